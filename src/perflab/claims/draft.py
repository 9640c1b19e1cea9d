"""A draft of a ledger: the statements with figures of a report in Markdown or HTML, each with its lines.

What a text cannot say is left open, as `?`: which variant is meant, in which scenario, and whether it is
a claim at all.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from markdown_it import MarkdownIt

from perflab.claims.ledger import find_ledgers
from perflab.host.confined import confined
from perflab.model.errors import UsageError, one_line
from perflab.model.files import read_bytes
from perflab.model.limits import MOST_CLAIMS, TooMuchError
from perflab.model.names import is_id

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence
    from pathlib import Path

    from perflab.model.protocol import Description, Parameter


OPEN = "?"
_MOST_BYTES = 1 << 20
_TYPED = {0xD7: "x", 0x2013: "-", 0x3BC: "µ"}
"""What is typed in place of signs of multiplication, dashes of ranges, and Greek letters."""
_LONGEST = 300
"""Characters of a statement."""

# A comma stands between thousands: `12,5` may be twelve and a half, and is no number here.
_WHOLE = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?![\d]|,\d)"
_NUMBER = rf"(?<![\w.,])({_WHOLE}(?:\.\d+)?|\.\d+)"
_RANGE = rf"{_NUMBER}(?:\s*(?:-|to)\s*({_WHOLE}(?:\.\d+)?))?"
_FACTOR = re.compile(rf"{_RANGE}\s*(?:x\b|times\b|-?fold\b)", re.IGNORECASE)
_PERCENT = re.compile(rf"{_RANGE}\s*%")
_UNIT = (
    r"(?:[kMG]?(?:ops?|msgs?|messages|items|events|requests|req|tasks)/(?:s|sec|second)|[KMGT]i?B/s|"
    r"(?:ns|us|µs|ms|s)(?:/op)?|B/op|allocs/op|[KMGT]i?B|bytes|ops/sec|ops/ms)"
)
_RATE = re.compile(r"/(?:m?s|sec|second)$")
_FIGURE = re.compile(rf"{_RANGE}\s*({_UNIT})(?![\w/])")
_NOTHING = re.compile(
    r"\b(?:no|zero|without|never|nothing)\b[^.]{0,20}\balloc\w*|\balloc\w*\s+(?:nothing|no)\b", re.IGNORECASE
)
_GROWS = re.compile(
    r"\b(?:advantage|difference|gap|lead|margin|speed-?up)s?\b.{0,60}\b(?:grow|increas|widen|rise)\w*\b", re.IGNORECASE
)
_FROM = re.compile(
    r"(?:\b(?:at least|more than|no less than)\s*$)|(?:^\W{0,3}(?:or (?:more|better)|and more|\+))", re.IGNORECASE
)
"""What ends before a figure, or begins behind it, that is the least one."""
_PAIR = 2
_MOST_NAMED = 20
_LESS = re.compile(r"\b(?:less|fewer|lower|reduc\w*|smaller|cut\w*|drop\w*|down|decreas\w*)\b", re.IGNORECASE)
_MORE = re.compile(r"\b(?:faster|more|higher|better|improv\w*|increas\w*|up|gain\w*|speed-?up)\b", re.IGNORECASE)
_WORSE = re.compile(r"\b(?:slower|longer|worse|as long)\b", re.IGNORECASE)
_CELL = re.compile(rf"\W{{0,3}}{_RANGE}\s*({_UNIT}|x|%)?\W{{0,3}}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9])")


@dataclass
class _Block:
    """A paragraph, a list's item, or a row of a table whose first one is its head."""

    first: int
    last: int
    heading: str
    text: str = ""
    cells: list[str] = field(default_factory=list)
    head: list[str] = field(default_factory=list)


class _Drafted(NamedTuple):
    kind: str
    statement: str
    block: _Block
    published: dict[str, float | str]
    baseline: str = OPEN
    candidate: str = OPEN
    note: str = ""
    at_most: float | None = None
    at_least: float | None = None
    metric: str = ""
    """What kind of metric it takes, if not the scenario's headline."""
    factor: bool = False
    """Whether a bound is one of a factor over the baseline."""
    conditions: Sequence[tuple[str, str]] = ()
    """What a row is about, as a size: the heads of columns with what stands there."""


def draft(path: Path, component: str, description: Description | None = None) -> tuple[str, str, int]:
    """Draft a ledger of a report.

    Args:
        path: The report, in Markdown or HTML.
        component: The topic or bench that tests it; `?` if that is open.
        description: Of it. Names in tables that are those of variants are taken over, and the only scenario.

    Returns:
        The ledger's name, its text, and how many claims it drafts.

    Raises:
        UsageError: If the file is no text, or has no figure.
    """
    try:
        data = read_bytes(path, _MOST_BYTES)
        text = data.decode().translate(_TYPED)
    except (OSError, ValueError) as error:
        what = error.strerror if isinstance(error, OSError) and error.strerror else "it is no text in UTF-8"
        what = str(error) if isinstance(error, TooMuchError) else what
        raise UsageError(f"cannot draft claims from {path}: {what}", "name a file in Markdown or HTML") from None
    of_html = path.suffix.lower() in {".html", ".htm", ".xhtml"}
    try:
        title, claims = json.loads(confined(lambda: json.dumps(_claims_of(text, description, of_html=of_html))))
    except ValueError as error:
        raise UsageError(f"cannot draft claims from {path}: {error}", "name a part of it") from None
    if not claims:
        raise UsageError(f"{path} has no statement with a figure", "write the ledger by hand: docs/claims.md")
    name = re.sub(r"[^\w.-]+", "-", path.stem).strip("-._").lower()
    name = name if is_id(name) else "report"
    lines = [
        f"# Drafted from {one_line(path.name)}: take out what is no claim, fill in each {OPEN}, and say each",
        "# statement in your own words. Keys: docs/claims.md of perflab.",
        *_names(description),
        f"report: {_text(name)}",
        f"title: {_text(title or one_line(path.stem)[:_LONGEST])}",
        f"sha256: {hashlib.sha256(data).hexdigest()}",
        f"component: {_text(component)}",
        "",
        "claims:",
        *chain.from_iterable(claims),
    ]
    return name, "\n".join(lines) + "\n", len(claims)


def _names(description: Description | None) -> Iterator[str]:
    """What may stand for an open side or parameter."""
    if description and description.variants:
        yield one_line(f"# Sides: {', '.join(one.name for one in description.variants[:_MOST_NAMED])}")
    for scenario in description.scenarios[:_MOST_NAMED] if description else ():
        if names := [one.name for one in scenario.parameters[:_MOST_NAMED]]:
            yield one_line(f"# Parameters of {scenario.name}: {', '.join(names)}")


def _claims_of(text: str, description: Description | None, *, of_html: bool) -> tuple[str, list[list[str]]]:
    """The first heading of a report, and the lines of each claim."""
    blocks = _of_html(text) if of_html else _of_markdown(text)
    known = {_plain(one.name): one.name for one in description.variants} if description else {}
    scenarios = [one.name for one in description.scenarios] if description else []
    scenario = scenarios[0] if len(scenarios) == 1 else OPEN
    parameters = description.scenarios[0].parameters if description and len(scenarios) == 1 else []
    found = enumerate(islice(_claims(blocks), MOST_CLAIMS), 1)
    records = [list(_record(f"claim-{number}", one, known, scenario, parameters)) for number, one in found]
    return next((one.heading for one in blocks if one.heading), "")[:_LONGEST], records


def new_ledger(folder: Path, name: str) -> Path:
    """Where a ledger of this name is written.

    Raises:
        UsageError: If there is one.
    """
    if name in find_ledgers(folder):
        raise UsageError(f"there is a ledger {name} already: {folder / name}.yaml", "rename one of them")
    return folder / f"{name}.yaml"


def _record(
    name: str, one: _Drafted, known: Mapping[str, str], scenario: str, parameters: Sequence[Parameter]
) -> Iterator[str]:
    yield f"  - id: {name}"
    yield f"    kind: {one.kind}"
    yield f"    statement: {_text(one.statement)}"
    if one.block.heading:
        yield f"    where: {_text(one.block.heading[:_LONGEST])}"
    yield f"    lines: [{one.block.first}, {one.block.last}]"
    if one.published:
        yield f"    published: {{{', '.join(f'{key}: {_text(value)}' for key, value in one.published.items())}}}"
    if one.at_most is not None:
        yield f"    at_most: {one.at_most:g}"
    if one.at_least is not None:
        yield f"    at_least: {one.at_least:g}"
    baseline, candidate = _sides(one, known)
    if one.kind in {"ratio", "scaling"} or one.factor:
        yield f"    baseline: {_meant(baseline, known)}"
    yield f"    candidate: {_meant(candidate, known)}"
    yield f"    scenario: {_text(scenario)}"
    if one.kind == "scaling":
        yield from (f"    {key}: {_text(OPEN)}" for key in ("parameter", "start", "stop"))
    else:
        yield from _params(one, parameters)
    if one.metric:
        yield f"    metric: {_text(OPEN)}  # {one.metric}"
    if one.note:
        yield f"    # {one_line(one.note)}"
    yield ""


def _sides(one: _Drafted, known: Mapping[str, str]) -> tuple[str, str]:
    """The baseline and the candidate."""
    if not one.baseline == one.candidate == OPEN or not one.block.text:
        return one.baseline, one.candidate
    # "A is faster than B", or slower: a draft's reader sees if it is the other way round.
    named = list(dict.fromkeys(word for word in re.findall(r"[\w.-]+", one.statement) if _plain(word) in known))
    first, second = (*named, OPEN, OPEN)[:2] if len(named) <= _PAIR else (OPEN, OPEN)
    return (first, second) if _WORSE.search(one.statement) else (second, first)


def _params(one: _Drafted, parameters: Sequence[Parameter]) -> Iterator[str]:
    """At which values a claim holds, if all that its row is about are listed ones; open if it may be any.

    A number alone says nothing: 1,024 threads are no size. Its column has no head, or is called like the parameter.
    """
    listed = [
        (known, value)
        for head, said in one.conditions
        for known in parameters
        if (value := said.replace(",", "")) in (known.choices or ()) and _plain(head) in {"", _plain(known.name)}
    ]
    values = {known.name: _text(value) if known.type == "string" else value for known, value in listed}
    if values and len(values) == len(listed) == len(one.conditions):
        yield f"    params: {{{', '.join(f'{name}: {value}' for name, value in values.items())}}}"
    elif others := ", ".join(f"{head} {said}".strip() for head, said in one.conditions) or _conditions(one):
        yield f"    params: {_text(OPEN)}  # {{name: value}} for {one_line(others)[:_LONGEST]}, or take the line out"


def _conditions(one: _Drafted) -> str:
    """The numbers of a sentence that are not its figure, such as the size at which it holds."""
    if not one.block.text:
        return ""
    figures = {value for value in (*one.published.values(), one.at_least) if isinstance(value, float)}
    said = [match for match in re.findall(_NUMBER, _PERCENT.sub("", one.statement)) if _number(match) not in figures]
    return ", ".join(said[:_PAIR])


def _meant(name: str, known: Mapping[str, str]) -> str:
    """The variant of this name; else open, with what the report calls it."""
    if found := known.get(_plain(name)):
        return _text(found)
    return _text(OPEN) if name == OPEN else f"{_text(OPEN)}  # {one_line(name)}"


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _text(value: float | str) -> str:
    """A text in JSON is one in YAML, too; of a number with an exponent, YAML 1.1 wants a point before that."""
    if isinstance(value, str):
        return json.dumps(one_line(value), ensure_ascii=False)
    return re.sub(r"^(\d+)e", r"\1.0e", f"{value:.6g}")


def _claims(blocks: Sequence[_Block]) -> Iterator[_Drafted]:
    first: dict[tuple[Hashable, ...], _Block] = {}
    for block in blocks:
        if block.cells:
            yield from _of_row(block, first)
            continue
        for sentence in _SENTENCE.split(block.text):
            text = one_line(sentence)[:_LONGEST]
            if one := _of_sentence(text, block):
                yield one
            if _GROWS.search(text):
                yield _Drafted("scaling", text, block, {}, note="the ratio at stop over the ratio at start", at_least=1)


def _of_sentence(text: str, block: _Block) -> _Drafted | None:
    if match := _FACTOR.search(text):
        if not match[2] and (_FROM.search(text[: match.start()]) or _FROM.search(text[match.end() :])):
            return _Drafted("bound", text, block, {}, at_least=_number(match[1]), factor=True)
        return _Drafted("ratio", text, block, _published(match[1], match[2], "x"))
    if match := _PERCENT.search(text):
        shares = [_number(one) / 100 for one in match.groups() if one]
        return _of_shares(text, block, match[0], shares)
    if _NOTHING.search(text):
        return _Drafted("bound", text, block, {}, at_most=0, metric="the one that counts allocations")
    if match := _FIGURE.search(text):
        return _Drafted("absolute", text, block, _published(match[1], match[2], match[3]))
    return None


def _of_shares(text: str, block: _Block, said: str, shares: list[float]) -> _Drafted | None:
    """The factor that so many per cent more or less are; `None` if the text does not say which."""
    if _MORE.search(text):
        return _ratio(text, block, sorted(1 + one for one in shares), f"{said} more: 1 + {shares[0]:g}")
    if _LESS.search(text) and max(shares) < 1:
        return _ratio(text, block, sorted(1 / (1 - one) for one in shares), f"{said} less: 1 / (1 - {shares[0]:g})")
    return None


def _ratio(text: str, block: _Block, factors: list[float], note: str) -> _Drafted | None:
    if factors[0] <= 1:
        return None
    low, high = factors[0], factors[-1]
    published: dict[str, float | str] = {"value": low} if low == high else {"low": low, "high": high}
    return _Drafted("ratio", text, block, {**published, "unit": "x"}, note=note)


def _of_row(row: _Block, first: dict[tuple[Hashable, ...], _Block]) -> Iterator[_Drafted]:
    """Of a row whose columns are figures of several systems, their factors; of one whose columns are metrics, each.

    Columns with one unit, or none, are systems. Rows of others are compared with the first row that is about the same:
    where some columns have units, the others say what a row is about.

    Args:
        row: The row.
        first: Of each table, known by its head, the first row, and the first one about the same; it is added to.
    """
    name, *cells = (cell[:_LONGEST] for cell in row.cells)
    heads = [*(head[:_LONGEST] for head in row.head[1:]), *[""] * len(cells)]
    found = {number: match for number, cell in enumerate(cells) if (match := _CELL.fullmatch(cell))}
    units = {number: _unit_of(heads[number], match) for number, match in found.items()}
    measured = [number for number in found if units[number]] or [*found]
    systems = [number for number in measured if units[number] != "x"]
    named = (row.head[0][:_LONGEST] if row.head else "", name)
    about = [(heads[number], cell) for number, cell in enumerate(cells) if cell and number not in measured]
    if len(systems) > 1 and len({units[number] for number in systems}) == 1:
        base, *others = systems
        for number in others:
            said = f"{name}: {heads[base]} {cells[base]}, {heads[number]} {cells[number]}"
            pair = (heads[base], _number(found[base][1])), (heads[number], _number(found[number][1]))
            yield from _compared(row, said, *pair, unit=units[base], conditions=[named, *about])
        return
    system = name
    if _CELL.fullmatch(name):
        system, about = OPEN, [named, *about]
    top, alike = (first.setdefault((id(row.head), *key), row) for key in ((), about))
    other = top if alike is row else alike
    others_about = [] if alike is other else [("", f"unlike the row of {other.cells[0][:_LONGEST]}")]
    for number in measured if any(units.values()) else ():
        said, unit, match = f"{name}: {heads[number]} {cells[number]}", units[number], found[number]
        if unit == "x":
            yield _Drafted("ratio", said, row, _published(match[1], match[2], "x"), candidate=system, conditions=about)
            continue
        if unit != "%":
            published = _published(match[1], match[2], unit)
            yield _Drafted("absolute", said, row, published, candidate=system, conditions=about)
        figure = _CELL.fullmatch(other.cells[number + 1]) if len(other.cells) > number + 1 else None
        if figure and other.cells[0] != row.cells[0] and system != OPEN:
            pair = (other.cells[0][:_LONGEST], _number(figure[1])), (name, _number(match[1]))
            yield from _compared(row, said, *pair, unit=unit, conditions=[*about, *others_about])


def _compared(
    row: _Block,
    said: str,
    one: tuple[str, float],
    other: tuple[str, float],
    *,
    unit: str,
    conditions: Sequence[tuple[str, str]],
) -> Iterator[_Drafted]:
    """The factor between two figures, of the better over the worse one: of a time the lower, of a rate the higher."""
    low, high = sorted((one, other), key=lambda figure: figure[1])
    if 0 < low[1] < high[1]:
        published: dict[str, float | str] = {"value": high[1] / low[1], "unit": "x"}
        note = f"{high[1]:g} / {low[1]:g}"
        worse, better = (low, high) if _RATE.search(unit) else (high, low)
        sides = worse[0], better[0]
        if not unit or unit == "%":
            sides = OPEN, OPEN
            note += f"; more is better: candidate {high[0]}, baseline {low[0]}; less is better: the other way round"
        yield _Drafted("ratio", said[:_LONGEST], row, published, *sides, note, conditions=conditions)


def _unit_of(head: str, match: re.Match[str]) -> str:
    """The unit of a cell: its own, or that which its column's head names."""
    if match[3]:
        return match[3]
    found = re.search(rf"(?:^|[\s(\[,])({_UNIT})(?:$|[\s)\],])", head)
    return found[1] if found else ""


def _published(low: str, high: str | None, unit: str) -> dict[str, float | str]:
    ends = [_number(one) for one in (low, high) if one]
    if len(ends) == 1 or ends[0] == ends[1]:
        return {"value": ends[0], "unit": unit}
    return {"low": min(ends), "high": max(ends), "unit": unit}


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _of_markdown(text: str) -> list[_Block]:
    found: list[_Block] = []
    heading, head, row = "", list[str](), list[str]()
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    lines = (0, 0)
    for number, token in enumerate(tokens):
        if token.map:
            lines = token.map[0] + 1, token.map[1]
        if token.type == "heading_open":
            heading = _shown(tokens[number + 1].content)
        elif token.type == "table_open":
            head = []
        elif token.type == "tr_open":
            row = []
        elif token.type in {"th_open", "td_open"}:
            row.append(_shown(tokens[number + 1].content))
        elif token.type == "tr_close" and head:
            found.append(_Block(lines[0], lines[0], heading, cells=row, head=head))
        elif token.type == "tr_close":
            head = row
        elif token.type == "inline" and tokens[number - 1].type == "paragraph_open":
            found.append(_Block(*lines, heading, _shown(token.content)))
    return found


_LONGEST_BLOCK = 10_000
"""Characters of a paragraph that are looked at; some patterns take the square of their number."""
_MOST_CELLS = 500
"""Of a row."""


def _shown(text: str) -> str:
    """Inline Markdown without its marks."""
    text = text[:_LONGEST_BLOCK]
    text = re.sub(r"!?\[([^\]\[]{0,500})\]\([^)\s]{0,500}\)", r"\1", text)
    return re.sub(r"[*`]+|(?<!\w)_+|_+(?!\w)", "", text).strip()


class _Html(HTMLParser):
    """Collects headings, paragraphs, items and rows, with their lines."""

    _PASSED_OVER = ("script", "style", "head", "nav")
    _TEXTS = ("p", "li", "dd", "dt", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "th", "td")

    def __init__(self) -> None:
        super().__init__()
        self.found: list[_Block] = []
        self._heading, self._said = "", list[str]()
        self._head, self._row = list[str](), list[str]()
        self._first, self._hidden, self._in_cell = 1, 0, False

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - the base class's
        self._hidden += tag in self._PASSED_OVER
        if tag in self._TEXTS and not self._in_cell:
            self._paragraph()
            self._first, self._in_cell = self.getpos()[0], tag in {"th", "td"}
        elif tag == "table":
            self._head = []
        elif tag == "tr":
            self._row = []

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._said.append(data.translate(_TYPED))

    def handle_endtag(self, tag: str) -> None:
        if tag in self._PASSED_OVER:
            self._hidden = max(self._hidden - 1, 0)
        elif tag in {"th", "td"}:
            self._row = [*self._row, self._taken()][:_MOST_CELLS]
            self._in_cell = False
        elif tag == "tr" and self._head:
            line = self.getpos()[0]
            self.found.append(_Block(min(self._first, line), line, self._heading, cells=self._row, head=self._head))
            self._row = []
        elif tag == "tr":
            self._head, self._row = self._row, []
        elif re.fullmatch("h[1-6]", tag):
            self._heading = self._taken()
        elif tag in self._TEXTS and not self._in_cell:
            self._paragraph()

    def _paragraph(self) -> None:
        if text := self._taken():
            self.found.append(_Block(self._first, self.getpos()[0], self._heading, text))

    def _taken(self) -> str:
        text, self._said = " ".join("".join(self._said)[:_LONGEST_BLOCK].split()), []
        return text


def _of_html(text: str) -> list[_Block]:
    reader = _Html()
    reader.feed(text)
    reader.close()
    return reader.found
