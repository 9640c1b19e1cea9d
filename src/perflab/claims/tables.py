"""Understand a report's tables: which columns are systems, parameters, statistics and measures, and what compares.

Columns that are statistics of one system are never systems, rows are compared where their whole key agrees, and figures
after they are in one unit. What is not understood gives no comparison.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
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
    """A table: its heads, its rows, and the heading it stands under; `own` are the words of the project's name."""

    head: list[str]
    rows: list[Row]
    heading: str = ""
    own: frozenset[str] = frozenset()
    decimal: str | None = None


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
    of: Quantity
    first: int
    last: int


_CELL = re.compile(
    rf"(?:~|≈|ca?\. ?|about )?\s*(?P<number>{NUMBER})\s*(?:(?P<prefix>[kKMGT])(?![\w/]))?"
    rf"\s*(?:(?:±|\+/-|\+-)\s*{NUMBER}\s*%?)?\s*(?P<unit>[^\W\d][^()\[\]±<>]*?|%)?"
    rf"\s*(?:(?:±|\+/-|\+-)\s*[^()]*)?(?:[(\[][^()\[\]]*[)\]])?[\s*🚀🏆🥇🥈🥉✅]*"
)
_DURATION = re.compile(r"(?:(\d+) ?h(?:ours?)? ?)?(\d+) ?m(?:in)?(?:utes?)? ?(\d+(?:\.\d+)?) ?s(?:ec)?(?:onds?)?")
_NOTHING = re.compile(r"\W*|n/?a|none|tbd|oom|error|failed|timeout|unsupported|dnf|\?", re.IGNORECASE)


def read_cell(text: str, head_unit: str = "", decimal: str | None = None) -> Quantity | None:
    """Read a cell, with the unit of its column's head if it has none itself; `None` if it is no certain figure."""
    if found := _DURATION.fullmatch(text.strip()):
        hours, minutes, seconds = (float(one or 0) for one in found.groups())
        return Quantity(3600 * hours + 60 * minutes + seconds, "s")
    found = _CELL.fullmatch(text.strip())
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


_MEASURES = re.compile(
    r"(?:\w+ )*?(?:time|mean|latency|throughput|speed|duration|elapsed|wall|cpu|memory|mem|rss|footprint|heap|alloc\w*|"
    r"score|avg|average|rate|bandwidth|performance|runtime|p\d[\d.]*|\d\d[\d.]*th.*|median|real|total)\b.*",
    re.IGNORECASE,
)
_SECONDARY = re.compile(
    r"err(?:or)?|±|std ?-?dev(?:iation)?|std|sd|sem|variance|var|rsd|cv|min(?:imum)?|max(?:imum)?|iqr|q1|q3|range|"
    r"cnt|count|iterations?|iters?|samples?|runs|rounds|outliers|rank|#|no\.?|ratio ?sd|alloc ratio|gen ?\d|"
    r"rel(?:ative)?.*|vs\.?.*|diff.*|delta|Δ|change|improvement|overhead|gain|%|percent\w*|status|stars|version|date|year",
    re.IGNORECASE,
)
_RATIO = re.compile(r"ratio", re.IGNORECASE)
_SPEEDUP = re.compile(r"speed-?up|(?:times |x )?faster|factor", re.IGNORECASE)
_UNITS = re.compile(r"units?", re.IGNORECASE)
_SYSTEMS = re.compile(
    r"(?:\w+ )*(?:lib(?:rary)?|impl(?:ementation)?|framework|package|crate|module|language|tool|engine|parser|allocator"
    r"|database|db|server|client|system|algorithm|approach|variant|solution|project|queue|map|compiler|runtime|router"
    r"|backend|serializer|codec|format|container|type|strategy|data structure|hasher|driver|orm|bundler|logger"
    r"|program|librarie|strategie|cache|store|index)s?",
    re.IGNORECASE,
)
_OPERATIONS = re.compile(
    r"(?:\w+ )?(?:operation|op|bench(?:mark)?|test|task|function|workload|scenario|query|method|action|case)s?"
    r"(?: name)?",
    re.IGNORECASE,
)
_CASES = re.compile(
    r"\d|\b(?:small|medium|large|big|simple|complex|cold|warm|hot|first|second|single|multi|read|write|debug|release|"
    r"best|worst|average|sync|async|encode|decode|serialize|deserialize|insert|lookup|get|put|push|pop|in|out)\b",
    re.IGNORECASE,
)
_SETTINGS = re.compile(r"\(?(?:mode|job|runtime|toolchain|categories|platform|os|cpu|machine)\)?", re.IGNORECASE)
_OLD = {
    "old",
    "before",
    "baseline",
    "original",
    "naive",
    "previous",
    "prev",
    "master",
    "main",
    "base",
    "slow",
    "classic",
}
_NEW = {
    "new",
    "after",
    "optimized",
    "optimised",
    "improved",
    "current",
    "now",
    "fast",
    "patched",
    "pr",
    "branch",
    "ours",
}
_BETTER = re.compile(r"(?P<way>higher|lower|less|more|bigger|smaller|larger) is better|(?P<arrow>[↑↓])", re.IGNORECASE)
_UP = {"higher", "more", "bigger", "larger", "↑"}


@dataclass
class _Column:
    """A column: its head's name and unit, and what it is."""

    name: str
    unit: str
    better: Better | None
    kind: str
    figures: list[Quantity | None] = field(default_factory=list)


def words(text: str) -> frozenset[str]:
    """Return the words of a name in small letters: `FastMap.get` is fast, map and get."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return frozenset(one for one in re.split(r"[\W_]+", f"{parts} {text}".lower()) if one)


def head_unit(head: str) -> tuple[str, str]:
    """Split a head into its name and its unit, which may be empty: `Throughput (M ops/s)`, `Time, msec`, `ns/op`."""
    inner = re.search(r"[(\[]([^()\[\]]*)[)\]]\s*[↑↓]?$", head)
    for part in re.split(r"[,;|:]", inner[1]) if inner else ():
        if _is_measure(part.removeprefix("in ").strip()):
            return head[: inner.start()].strip(), part.removeprefix("in ").strip()  # type: ignore[union-attr]
    bare = re.sub(r"[↑↓]", "", head).strip()
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
    own = {one.unit for one in figures if one}
    said = _BETTER.search(head)
    better: Better | None = None
    if said:
        better = "higher" if (said["way"] or said["arrow"]).lower() in _UP else "lower"
    if _UNITS.fullmatch(name):
        kind = "unit"
    elif _RATIO.fullmatch(name) and numeric:
        kind = "ratio"
    elif own == {"x"} or (numeric and _SPEEDUP.fullmatch(name) and own <= {"", "x"}):
        kind = "factor" if _SPEEDUP.fullmatch(name) else "skipped"
    elif _SECONDARY.fullmatch(name):
        kind = "skipped"
    elif numeric and (unit or (_MEASURES.fullmatch(name) and not re.match(r"\d", name))):
        kind = "measure"
    elif numeric and any(own):
        kind = "figures"
    elif numeric:
        kind = "number"
    elif any(figures):
        kind = "unclear"
    else:
        kind = "text"
    return _Column(title, unit, better, kind, figures)


def understand(table: Table) -> list[Compared | Single]:
    """Return what a table says for certain; nothing if it is not understood."""
    columns = [
        _column(head, [row.cells[at] for row in table.rows], table.decimal) for at, head in enumerate(table.head)
    ]
    if any(one.kind == "unclear" for one in columns):
        return []
    unit_column = next((at for at, one in enumerate(columns) if one.kind == "unit"), None)
    if unit_column is not None:
        _give_units(table, columns, unit_column)
    across = [one for one in columns if one.kind == "figures"]
    rows_are_systems = bool(_SYSTEMS.fullmatch(_bare(columns[0].name)))
    if len(across) > 1 and not rows_are_systems and not any(one.kind == "measure" for one in columns):
        return list(_across(table, columns, across))
    for one in across:
        one.kind = "measure" if rows_are_systems or len(across) == 1 else "skipped"
    return list(_down(table, columns))


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
    system = next((at for at in texts if _SYSTEMS.fullmatch(_bare(columns[at].name))), texts[0])
    names = [row.cells[system].strip() for row in table.rows]
    keys = [at for at, one in enumerate(columns) if one.kind == "number"]
    if len(set(names)) < len(names) or any(_SETTINGS.fullmatch(columns[at].name) for at in texts):
        keys += [at for at in texts if at != system]
    groups: dict[str, list[int]] = {}
    for number, row in enumerate(table.rows):
        at = ", ".join(f"{columns[one].name}={row.cells[one].strip()}" for one in keys)
        groups.setdefault(at, []).append(number)
    ratio = next((one for one in columns if one.kind == "ratio"), None)
    for column in columns:
        if column.kind == "factor":
            yield from _singles(table, column, names, "x")
        if column.kind != "measure":
            continue
        found = []
        for at, numbers in groups.items():
            sides = [_Side(names[one], column.figures[one], table.rows[one]) for one in numbers if column.figures[one]]
            base = [one for one in numbers if ratio and (share := ratio.figures[one]) and share.value == 1]
            baseline = names[base[0]] if len(base) == 1 else None
            are_systems = _SYSTEMS.fullmatch(_bare(columns[system].name)) is not None
            found += _compare(table, column, at, sides, are_systems=are_systems, baseline=baseline)
        yield from found or _singles(table, column, names)


def _across(table: Table, columns: list[_Column], across: list[_Column]) -> Iterator[Compared]:
    """Compare columns, whose heads name systems, in each row."""
    are_systems = bool(_OPERATIONS.fullmatch(_bare(columns[0].name))) and not any(
        _CASES.search(one.name) for one in across
    )
    for number, row in enumerate(table.rows):
        at = ", ".join(row.cells[one].strip() for one, each in enumerate(columns) if each.kind in {"text", "number"})
        sides = [_Side(one.name, one.figures[number], row) for one in across if one.figures[number]]
        yield from _compare(table, _Column("", "", across[0].better, ""), at, sides, are_systems=are_systems)


class _Side(NamedTuple):
    name: str
    figure: Quantity | None
    row: Row


def _compare(
    table: Table, column: _Column, at: str, sides: Sequence[_Side], *, are_systems: bool, baseline: str | None = None
) -> list[Compared]:
    """Compare figures as the table is meant.

    That is each against the one that a column of ratios has as 1, what is new against what is old, the project's own
    against each other, or the best of systems against each other. Operations, as `push` and `pop`, are not compared.
    """
    names = [one.name for one in sides]
    if len(set(names)) < len(names):
        return []
    old = [one for one in sides if words(one.name) & _OLD and not words(one.name) & _NEW]
    new = [one for one in sides if words(one.name) & _NEW and not words(one.name) & _OLD]
    own = [one for one in sides if words(one.name) == table.own] or [
        one for one in sides if words(one.name) & table.own
    ]
    if baseline is not None:
        pairs = [(one, each) for each in sides if each.name == baseline for one in sides if one is not each]
    elif len(old) == len(new) == 1 and words(old[0].name) - _OLD == words(new[0].name) - _NEW:
        pairs = [(new[0], old[0])]
    elif len(own) == 1:
        pairs = [(own[0], one) for one in sides if one is not own[0]]
    elif are_systems:
        best = next((one for one in sides if all(_times(column, one, other) >= 1 for other in sides)), None)
        pairs = [(best, one) for one in sides if best and one is not best]
    else:
        pairs = []
    return [
        Compared(
            *(one.name, other.name, column.name, at, one.figure, other.figure, times),
            *(min(one.row.first, other.row.first), max(one.row.last, other.row.last)),
        )
        for one, other in pairs
        if one.figure and other.figure and not math.isnan(times := _times(column, one, other))
    ]


def _times(column: _Column, one: _Side, other: _Side) -> float:
    """Return how many times better one side is; NaN if no unit tells, or a figure is not above zero."""
    if one.figure is None or other.figure is None or min(one.figure.value, other.figure.value) <= 0:
        return math.nan
    size, unit = units_in(one.figure.unit, other.figure.unit), read_unit(one.figure.unit)
    better = column.better or (unit.better if unit else None)
    if size is None or better is None or not _is_measure(one.figure.unit):
        return math.nan
    times = one.figure.value * size / other.figure.value
    return times if better == "higher" else 1 / times


def _singles(table: Table, column: _Column, names: Sequence[str], unit: str = "") -> Iterator[Single]:
    for name, one, row in zip(names, column.figures, table.rows, strict=True):
        if one and one.value > 0 and (unit or _is_measure(one.unit)):
            yield Single(name, column.name, Quantity(one.value, unit or one.unit), row.first, row.last)


_AT_LEAST_TWO = re.compile(r"\s{2,}|\t")
_GO = re.compile(r"Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(\S+) (ns/op)\b.*")


def printed_tables(text: str, first: int, heading: str) -> Iterator[Table]:
    """Yield the tables in a block of output: with pipes, as BenchmarkDotNet's, in columns, as JMH's, and Go's lines."""
    lines = text.split("\n")
    head: list[str] = []
    rows: list[Row] = []
    for number, line in enumerate([*lines, ""]):
        go = _GO.fullmatch(line.strip())
        cells = [go[1], f"{go[2]} {go[3]}"] if go else _printed_cells(line)
        if go and not head:
            head = ["Benchmark", "Time"]
        if head and len(cells) == len(head):
            rows.append(Row(cells, first + number, first + number))
        elif not set(line.strip()) <= set("|-:=+ ") or not line.strip():
            if head and rows:
                yield Table(head, rows, heading)
            head, rows = cells if len(cells) > 1 else [], []


def _printed_cells(line: str) -> list[str]:
    """Split a line of output into cells: by pipes, or where two blanks are."""
    bare = line.strip()
    if bare.startswith("|"):
        return [] if set(bare) <= set("|-:=+ ") else [one.strip() for one in bare.strip("|").split("|")]
    # JMH's error goes with its score.
    return [one for one in _AT_LEAST_TWO.split(re.sub(r"\s+\N{PLUS-MINUS SIGN}\s+", "  ", bare)) if one]
