"""Understand a report's tables: which columns are systems, parameters, statistics and measures, and what compares.

Columns that are statistics of one system are never systems, rows are compared where their whole key agrees, and figures
after they are in one unit. What is not understood gives no comparison.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from perflab.model.units import NUMBER, PREFIXES, parse_number, read_unit, units_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perflab.model.protocol import Better


class Quantity(NamedTuple):
    """A figure with its unit, as it is written."""

    value: float
    unit: str


class Row(NamedTuple):
    """A row's cells, with its first and last line."""

    cells: list[str]
    first: int
    last: int


@dataclass(frozen=True)
class Table:
    """A table: its heads, its rows, and the heading it stands under; `own` are names of the project, as `squeezed`."""

    head: list[str]
    rows: list[Row]
    heading: str = ""
    own: frozenset[str] = frozenset()
    decimal: str | None = None

    @property
    def has_own(self) -> bool:
        """Whether the project itself is in the table, so that the others are not compared with each other."""
        return any(around(one, self.own) for one in [*self.head, *(cell for row in self.rows for cell in row.cells)])


class Compared(NamedTuple):
    """A comparison of two figures of one measure: how many times better the candidate is; below 1, how much worse.

    `at` is the rest of the key: the parameters and operations that both have.
    """

    candidate: str
    baseline: str
    measure: str
    at: str
    of: Quantity
    over: Quantity
    times: float
    first: int
    last: int


class Single(NamedTuple):
    """A figure that is compared with none: a system's, or a `factor` that the table gives itself."""

    what: str
    measure: str
    at: str
    of: Quantity
    first: int
    last: int


_CELL = re.compile(
    rf"(?:~|≈|ca?\. ?|about )?\s*(?P<number>{NUMBER})\s*(?:(?P<prefix>[kKMGT])(?![\w/]))?"
    rf"\s*(?:(?:±|\+/-|\+-)\s*{NUMBER}\s*%?)?\s*(?P<unit>/?[^\W\d](?:(?! \d)[^()\[\]±<>…])*?|%)?"
    rf"\s*(?:(?:±|\+/-|\+-)\s*[^()]*)?[\s*🚀🏆🥇🥈🥉✅]*"
)
_MOST_WORDS = 5  # of a project's name
_ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_BESIDE = re.compile(r"[(\[](?P<times>\d+(?:\.\d+)?) ?[x×][)\]]\s*$")
_DURATION = re.compile(r"(?:(\d+) ?h(?:ours?)? ?)?(\d+) ?m(?:in)?(?:utes?)? ?(\d+(?:\.\d+)?) ?s(?:ec)?(?:onds?)?")
_NOTHING = re.compile(r"\W*|n/?a|none|tbd|oom|error|failed|timeout|unsupported|dnf|\?", re.IGNORECASE)


def read_cell(text: str, head_unit: str = "", decimal: str | None = None) -> Quantity | None:
    """Read a cell, with the unit of its column's head if it has none itself; `None` if it is no certain figure."""
    text = _ASIDE.sub("", text).strip()
    if found := _DURATION.fullmatch(text):
        hours, minutes, seconds = (float(one or 0) for one in found.groups())
        return Quantity(3600 * hours + 60 * minutes + seconds, "s")
    found = _CELL.fullmatch(text)
    if found is None:
        return None
    try:
        value = parse_number(found["number"], decimal)
    except ValueError:
        return None
    unit = found["unit"] or ""
    if unit:
        known = read_unit(unit)
        if known is None or not known.is_known or (head_unit and units_in(unit, head_unit) is None):
            return None
    value *= PREFIXES.get(found["prefix"] or "", 1)
    return Quantity(value, unit or head_unit)


def is_rate(cell: str) -> bool:
    """Return whether a cell has a time or a rate, as no head has."""
    figure = read_cell(cell, decimal=".")
    unit = read_unit(figure.unit) if figure else None
    return bool(unit and unit.is_known and "time" in unit.dimension)


_MEASURES = re.compile(
    r"(?:\w+ )*?(?:time|mean|latency|throughput|speed|duration|elapsed|wall|cpu|memory|mem|rss|footprint|heap|alloc\w*|"
    r"score|avg|average|rate|bandwidth|performance|runtime|p\d[\d.]*|\d\d[\d.]*th.*|median|real|total)\b.*",
    re.IGNORECASE,
)
_SECONDARY = re.compile(
    r"err(?:or)?|±|std ?-?dev(?:iation)?|std|sd|sem|variance|var|rsd|cv|min(?:imum)?|max(?:imum)?|iqr|q1|q3|range|"
    r"cnt|count|iterations?|iters?|samples?|runs|rounds|outliers|rank|#|no\.?|ratio ?sd|alloc ratio|gen ?\d|"
    r".*\bratios?\b.*|rel(?:ative)?.*|vs\.?.*|diff.*|delta|Δ|change|improvement|overhead|gain|%|percent\w*|status|stars|version|date|year",
    re.IGNORECASE,
)
_SIZES = re.compile(r"(?:\w+ )*(?:\w*size|length|width)s?", re.IGNORECASE)
_RATIO = re.compile(r"ratio|scaled", re.IGNORECASE)
_SPEEDUP = re.compile(r"speed-?up|(?:times |x )?faster|factor", re.IGNORECASE)
_UNITS = re.compile(r"units?", re.IGNORECASE)
_SYSTEMS = re.compile(
    r"(?:\w+ )*(?:lib(?:rary)?|impl(?:ementation)?|framework|package|crate|module|language|tool|engine|parser|allocator"
    r"|database|db|server|client|system|algorithm|approach|variant|solution|project|queue|map|compiler|runtime|router"
    r"|backend|serializer|codec|strategy|data structure|hasher|driver|orm|bundler|logger|program|librarie|strategie"
    r"|cache|compressor|hash)s?(?: name)?",
    re.IGNORECASE,
)
_OPERATIONS = re.compile(
    r"(?:\w+ )?(?:operation|op|bench(?:mark)?|test|task|function|workload|scenario|query|method|action|case|size|length"
    r"|input|file|dataset|key|n)s?(?: name)?",
    re.IGNORECASE,
)
_CASES = re.compile(
    r"\d|\b(?:small|medium|large|big|simple|complex|cold|warm|hot|first|second|single|multi|read|write|debug|release|"
    r"best|worst|average|a?sync|(?:en|de)cod\w*|(?:de)?serializ\w*|(?:de)?compress\w*|pars\w*|stringify|(?:un)?marshal\w*"
    r"|linux|windows|mac\w*|intel|amd|arm|cpu|gpu|chrome|firefox|safari|android|ios|(?:un)?pack|insert|delete|update|lookup|build|load|store|save|get|set|put|push|pop|in|out)\b",
    re.IGNORECASE,
)
_SETTINGS = re.compile(r"\(?(?:mode|job|runtime|toolchain|categories|platform|os|cpu|machine)\)?", re.IGNORECASE)
_OPTIONS = re.compile(
    r"(?:\w+ )*(?:option|setting|flag|argument|variable|property|field|env\w*|config\w*)s?(?: name)?",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r".*(?:time-?out|interval|retr(?:y|ies)|limit|delay|ttl|window|max\w*|min\w*|sizes?|period|refresh\w*)\W*",
    re.IGNORECASE,
)
_OLD = {"old", "before", "baseline", "original", "naive", "previous", "prev", "master", "main", "base", "slow"}
_NEW = {"new", "after", "optimized", "optimised", "improved", "current", "now", "fast", "patched", "branch", "ours"}
_BETTER = re.compile(r"(?P<way>higher|lower|less|more|bigger|smaller|larger) is better|(?P<arrow>[↑↓])", re.IGNORECASE)
_UP = {"higher", "more", "bigger", "larger", "↑"}
_COST = re.compile(r"\b(?:time|latency|duration|elapsed|runtime|memory|rss|alloc\w*)\b", re.IGNORECASE)
_SPEED = re.compile(r"\b(?:throughput|bandwidth|speed)\b", re.IGNORECASE)


@dataclass
class _Column:
    """A column: its head's name and unit, what it is, its cells as figures, and the factors that stand beside them.

    Kinds are `unit`, `ratio` and `factor` as their heads say, `measure`, `figures` (which have units, but the head is
    no measure), `number` and `text` (of a row's key), and `skipped`.
    """

    name: str
    unit: str
    better: Better | None
    kind: str
    figures: list[Quantity | None]
    beside: list[float | None]


def words(text: str) -> list[str]:
    """Return the words of a name in small letters: `FastMap.get` is fast, map and get."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text)
    return [one for one in re.split(r"[\W_]+", parts.lower()) if one]


def squeezed(text: str) -> str:
    """Return a name without what people write differently: `fast_map`, `FastMap` and `fastmap` are one."""
    return "".join(words(text))


def around(name: str, own: frozenset[str]) -> tuple[list[str], list[str]] | None:
    """Return a name's words before and after the project's own; `None` if that is not in it."""
    parts = words(name)
    for start in range(len(parts)):
        for stop in range(start + 1, min(start + _MOST_WORDS, len(parts)) + 1):
            if "".join(parts[start:stop]) in own:
                return parts[:start], parts[stop:]
    return None


def head_unit(head: str) -> tuple[str, str]:
    """Split a head into its name and its unit, which may be empty: `Throughput (M ops/s)`, `Time, msec`, `ns/op`."""
    inner = re.search(r"[(\[]([^()\[\]]*)[)\]]\s*[↑↓]?$", head)
    for part in re.split(r"[,;|:]", inner[1]) if inner else ():
        if _is_measure(part.removeprefix("in ").strip()):
            return head[: inner.start()].strip(), part.removeprefix("in ").strip()  # type: ignore[union-attr]
    bare = re.sub(r"[↑↓]", "", head).strip()
    when, _, rest = bare.partition(" ")
    if when.lower() in _OLD | _NEW and _is_measure(rest):
        return when, rest
    if _is_measure(bare):
        return "", bare
    name, _, last = bare.rpartition(",")
    if _is_measure(last.strip()):
        return name.strip(), last.strip()
    parts = bare.split()
    for number in range(1, len(parts)):
        text = " ".join(parts[number:])
        if _is_measure(text.removeprefix("in ")):
            return " ".join(parts[:number]), text.removeprefix("in ")
    return bare, ""


def _bare(title: str) -> str:
    """Return a head without what is in parentheses."""
    return re.sub(r"\s*[(\[][^()\[\]]*[)\]]", "", title).strip() or title


def _is_measure(text: str) -> bool:
    unit = read_unit(text)
    return bool(unit and unit.is_known and (unit.better or "/time" in unit.dimension))


def _column(head: str, cells: Sequence[str], decimal: str | None) -> _Column:
    title, unit = head_unit(head)
    name = _bare(title)
    figures = [read_cell(cell, unit, decimal) for cell in cells]
    numeric = any(figures) and all(
        one or _NOTHING.fullmatch(cell.strip()) for one, cell in zip(figures, cells, strict=True)
    )
    is_measured = numeric and not _SIZES.fullmatch(name)
    is_when = not {*words(name)[:1]}.isdisjoint(_OLD | _NEW)
    own = {one.unit for one in figures if one}
    said = _BETTER.search(head)
    better: Better | None = None
    if said:
        better = "higher" if (said["way"] or said["arrow"]).lower() in _UP else "lower"
    elif not unit and not any(own):
        better = "lower" if _COST.search(name) else "higher" if _SPEED.search(name) else None
    if _UNITS.fullmatch(name):
        kind = "unit"
    elif _RATIO.fullmatch(name) and numeric:
        kind = "ratio"
    elif own == {"x"} or (numeric and _SPEEDUP.fullmatch(name) and own <= {"", "x"}):
        kind = "factor" if _SPEEDUP.fullmatch(name) else "skipped"
    elif _SECONDARY.fullmatch(name) or (any(own) and not numeric):
        kind = "skipped"
    elif is_measured and (
        (unit and not title) or (_MEASURES.fullmatch(name) and not re.match(r"\d", name) and not is_when)
    ):
        kind = "measure"
    elif is_measured and any(own):
        kind = "figures"
    elif any(figures):
        kind = "number" if _are_settings([cell for cell, one in zip(cells, figures, strict=True) if one]) else "skipped"
    else:
        kind = "text"
    beside = [_BESIDE.search(cell) for cell in cells]
    return _Column(title, unit, better, kind, figures, [float(one["times"]) if one else None for one in beside])


def _are_settings(cells: Sequence[str]) -> bool:
    """Tell parameters, as 1, 64 and 1000, from what was counted or measured without a unit, as 43550 and 133.1."""
    return 2 * len(set(cells)) <= len(cells) or all(
        number.rstrip("0")[2:] == "" or (number.isdigit() and int(number).bit_count() == 1)
        for number in (re.sub(r"[\s,'_]", "", cell) for cell in cells)
    )


def is_about_settings(table: Table) -> bool:
    """Return whether a table is about options, whose figures are no results."""
    return bool(
        _OPTIONS.fullmatch(table.head[0])
        or {"Default", "default"} & set(table.head)
        or all(_SETTING.fullmatch(row.cells[0]) for row in table.rows)
    )


def understand(table: Table) -> list[Compared | Single]:
    """Return what a table says for certain; nothing if it is not understood."""
    columns = [
        _column(head, [row.cells[at] for row in table.rows], table.decimal) for at, head in enumerate(table.head)
    ]
    for at, one in enumerate(columns):
        if one.kind == "unit":
            _give_units(table, columns, at)
    if columns[0].kind in {"figures", "skipped"} and any(columns[0].figures):
        columns[0].kind = "number"  # sizes of input, for one
    across = [one for one in columns if one.kind == "figures"]
    measured = [{known.dimension for each in one.figures if each and (known := read_unit(each.unit))} for one in across]
    rows_are_systems = (
        len(set().union(*measured)) > max(map(len, measured), default=1)
        or _is_system(columns[0].name)
        or not any(table.head)
        or any(around(row.cells[0], table.own) for row in table.rows)
    )
    if len(across) > 1 and not rows_are_systems and not any(one.kind == "measure" for one in columns):
        return list(_across(table, columns, across))
    for one in across:
        one.kind = "measure" if rows_are_systems or one.unit or len(across) == 1 else "skipped"
    return list(_down(table, columns))


def _is_system(head: str) -> bool:
    return bool(_SYSTEMS.fullmatch(_bare(head)))


def _give_units(table: Table, columns: list[_Column], at: int) -> None:
    """Give a measure the units that a column of their own has."""
    for column in columns:
        if column.kind in {"measure", "number"} and _MEASURES.fullmatch(column.name):
            column.kind = "measure"
            column.figures = [
                Quantity(one.value, row.cells[at].strip()) if one and _is_measure(row.cells[at].strip()) else None
                for one, row in zip(column.figures, table.rows, strict=True)
            ]


def _down(table: Table, columns: list[_Column]) -> Iterator[Compared | Single]:
    """Compare rows, whose first column names systems, where the rest of their key agrees."""
    texts = [at for at, one in enumerate(columns) if one.kind == "text"]
    if not texts:
        return
    system = next((at for at in texts if _is_system(columns[at].name)), texts[0])
    names = [row.cells[system].strip() for row in table.rows]
    keys = [at for at, one in enumerate(columns) if one.kind == "number"]
    if len(set(names)) < len(names) or any(_SETTINGS.fullmatch(columns[at].name) for at in texts):
        keys += [at for at in texts if at != system]
    ats = [", ".join(f"{columns[at].name}={row.cells[at].strip()}".strip("=") for at in keys) for row in table.rows]
    ratios = next((one.figures for one in columns if one.kind == "ratio"), [None] * len(names))
    for column in columns:
        if column.kind == "factor":
            yield from _singles(table, column, names, ats)
        if column.kind != "measure":
            continue
        together = all(column.beside) and column.beside.count(1) == 1
        are_systems = together or _is_system(columns[system].name)
        sides: dict[str, list[_Side]] = {}
        for name, at, figure, beside, ratio, row in zip(
            names, ats, column.figures, column.beside, ratios, table.rows, strict=True
        ):
            side = _Side(name, figure, row, beside == 1 if together else ratio is not None and ratio.value == 1)
            if together and names.count(name) > 1:
                side = side._replace(name=f"{name} ({at})")
            sides.setdefault("" if together else at, []).extend([side] if figure and name else [])
        found = [
            one
            for at, each in sides.items()
            for one in _compare(table, column, at, each, are_systems=are_systems, all_sides=len(set(names)))
        ]
        yield from found
        yield from _singles(table, column, names, ats, found)


def _across(table: Table, columns: list[_Column], across: list[_Column]) -> Iterator[Compared | Single]:
    """Compare columns, whose heads name systems, in each row; or take the factors that a column has."""
    are_systems = bool(_OPERATIONS.fullmatch(_bare(columns[0].name))) and not any(
        _CASES.search(one.name) for one in across
    )
    ats = [
        ", ".join(row.cells[at].strip() for at, one in enumerate(columns) if one.kind in {"text", "number"})
        for row in table.rows
    ]
    found: list[Compared] = []
    for number, (row, at) in enumerate(zip(table.rows, ats, strict=True)):
        sides = [_Side(one.name, one.figures[number], row) for one in across if one.figures[number]]
        column = _Column("", "", across[0].better, "", [], [])
        found += _compare(table, column, at, sides, are_systems=are_systems, all_sides=len(across))
    yield from found
    for one in columns if not found else ():
        if one.kind == "factor":
            yield from _singles(table, one, ats, [""] * len(ats))


class _Side(NamedTuple):
    name: str
    figure: Quantity | None
    row: Row
    is_base: bool = False  # the table itself gives it the factor 1


def _compare(
    table: Table, column: _Column, at: str, sides: Sequence[_Side], *, are_systems: bool, all_sides: int
) -> Iterator[Compared]:
    """Compare figures as the table is meant.

    That is what is new with what is old, the project's own with the others, each with the one that the table gives the
    factor 1, or the best of systems with all others. Of operations, as `push` and `pop`, only the project's are
    compared, with the same of others: `fastmap push` with `stdmap push`.
    """
    names = [set(words(one.name)) for one in sides]
    old = [one for one, name in zip(sides, names, strict=True) if name & _OLD and not name & _NEW]
    new = [one for one, name in zip(sides, names, strict=True) if name & _NEW and not name & _OLD]
    own = [(one, rest) for one in sides if (rest := around(one.name, table.own))]
    base = [one for one in sides if one.is_base]
    pairs: list[tuple[_Side, _Side]] = []
    if len({one.name for one in sides}) < len(sides):
        pass
    elif len(old) == len(new) == 1 and set(words(old[0].name)) - _OLD == set(words(new[0].name)) - _NEW:
        pairs = [(new[0], old[0])]
    elif own:
        for other in sides:
            alike = [len(rest[0] + rest[1]) if are_systems or _is_around(other.name, *rest) else -1 for _, rest in own]
            if not around(other.name, table.own):
                pairs += [
                    (one, other)
                    for (one, _), words_alike in zip(own, alike, strict=True)
                    if are_systems or words_alike == max(0, *alike)
                ]
    elif len(base) == 1:
        pairs = [(one, base[0]) for one in sides if one is not base[0]]
    elif are_systems and len(sides) == all_sides and not table.has_own:
        best = next((one for one in sides if all(_times(column, one, other) >= 1 for other in sides)), None)
        pairs = [(best, one) for one in sides if best and one is not best]
    for one, other in pairs:
        times = _times(column, one, other)
        if one.figure and other.figure and not math.isnan(times) and f"{times:.4g}" != "1":
            lines = min(one.row.first, other.row.first), max(one.row.last, other.row.last)
            yield Compared(one.name, other.name, column.name, at, one.figure, other.figure, times, *lines)


def _is_around(name: str, before: list[str], behind: list[str]) -> bool:
    parts = words(name)
    return parts[: len(before)] == before and parts[len(parts) - len(behind) :] == behind


def _times(column: _Column, one: _Side, other: _Side) -> float:
    """Return how many times better one side is; NaN if no unit or head tells, or a figure is not above zero."""
    if one.figure is None or other.figure is None or min(one.figure.value, other.figure.value) <= 0:
        return math.nan
    size, unit = units_in(one.figure.unit, other.figure.unit), read_unit(one.figure.unit)
    better = column.better or (unit.better if unit else None)
    if size is None or better is None or not (_is_measure(one.figure.unit) or one.figure.unit == ""):
        return math.nan
    times = one.figure.value * size / other.figure.value
    return times if better == "higher" else 1 / times


def _singles(
    table: Table, column: _Column, names: Sequence[str], ats: Sequence[str], but: Sequence[Compared] = ()
) -> Iterator[Single]:
    """Yield the figures of a column above zero, or of memory also zero, but not of rows that are compared."""
    compared = {line for one in but for line in (one.first, one.last)}
    for name, at, one, row in zip(names, ats, column.figures, table.rows, strict=True):
        unit = "x" if column.kind == "factor" else one.unit if one else ""
        known = read_unit(unit) if unit == "x" or _is_measure(unit) else None
        of_memory = known and re.fullmatch(r"(?:size|alloc)(?!/time).*", known.dimension)
        if one and name and known and (one.value > 0 or (of_memory and not one.value)) and row.first not in compared:
            yield Single(name, column.name, at, Quantity(one.value, unit), row.first, row.last)
