"""Drafting a ledger: what a report in Markdown or HTML says in figures, each claim with its lines.

What the text does not say for certain is left open, as `?`.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from decimal import Decimal
from html.parser import HTMLParser
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from markdown_it import MarkdownIt

from perflab.claims.ledger import OPEN
from perflab.claims.printed import printed_tables
from perflab.claims.prose import understand as understand_sentence
from perflab.claims.tables import (
    Compared,
    Quantity,
    Row,
    Table,
    head_unit,
    is_about_settings,
    is_rate,
    read_cell,
    squeezed,
    words,
)
from perflab.claims.tables import understand as understand_table
from perflab.model.errors import UsageError, one_line
from perflab.model.names import is_id
from perflab.model.units import decimal_sign, read_unit, units_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from perflab.claims.prose import Said
    from perflab.model.protocol import Description


_MOST_BYTES = 1 << 20
_LONGEST = 300  # characters of a statement
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9])")
_GENERIC = {"", "the", "a", "an", "go", "rust", "java", "c", "fast", "json", "cache", "map", "benchmark", "benchmarks"}
"""Words that do not tell a project from others."""


class _Text(NamedTuple):
    """A paragraph, or an item of a list."""

    text: str
    heading: str
    first: int
    last: int


def draft(path: Path, component: str, description: Description | None = None) -> tuple[str, str, int]:
    """Draft a ledger of a report in Markdown or HTML; return its name, its text, and the number of claims.

    `component` is the topic or bench that tests it, or `?`; the draft lists the names in its description.
    """
    text = read_report(path)
    reader = _Reader(text if path.suffix.lower() in {".html", ".htm", ".xhtml"} else _of_markdown(text))
    title = next((one for one in reader.headings if one), path.stem)
    decimal = decimal_sign(text) or "."
    named = re.split(r"[,(]|: | [-\u2013\u2014] ", title)[0]
    own = frozenset({squeezed(one) for one in (named, *named.split()[:1], path.resolve().parent.name)} - _GENERIC)
    claims: list[tuple[int, str]] = []
    for one in reader.texts:
        claims += [(one.first, claim) for claim in _of_sentences(one, decimal, description)]
    for table in reader.tables:
        claims += _of_table(replace(table, own=own, decimal=decimal), description)
    if not claims:
        raise UsageError(f"{path} has no statement with a figure", "write the ledger by hand: docs/claims.md")
    name = re.sub(r"[^\w.-]+", "-", path.stem).strip("-._").lower()
    name = name if is_id(name) else "report"
    lines = [
        f"# Drafted from {one_line(path.name)}: take out what is no claim, fill in each {OPEN}, and say each",
        "# statement in your own words. Keys: docs/claims.md of perflab.",
        *(f"# {names}" for names in _names(description)),
        f"report: {_quoted(name)}",
        f"title: {_quoted(title)}",
        f"sha256: {hashlib.sha256(text.encode()).hexdigest()}",
        f"component: {_quoted(component)}",
        "",
        "claims:",
        *(f"  - id: claim-{number}\n{claim}" for number, (_, claim) in enumerate(sorted(claims, key=itemgetter(0)), 1)),
    ]
    return name, "\n".join(lines), len(claims)


def read_report(path: Path) -> str:
    """Return a report's text, with its line ends as they are."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(f"cannot read {path}: more than 1 MiB", "name a part of it")
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise UsageError(f"cannot read {path}: {why}", "name a file in Markdown or HTML") from None


def figures_in_prose(text: str) -> Iterator[tuple[int, str, Said]]:
    """Yield what Markdown's sentences say in figures, each with its line and the sentence."""
    for one in _Reader(_of_markdown(text)).texts:
        yield from ((one.first, *said) for said in _said(one, decimal_sign(text) or "."))


def _said(text: _Text, decimal: str) -> Iterator[tuple[str, Said]]:
    for statement in _SENTENCE.split(text.text):
        for said in understand_sentence(statement, decimal):
            yield statement, said


def _names(description: Description | None) -> Iterator[str]:
    if description:
        yield one_line(f"Variants: {', '.join(one.name for one in description.variants)}")
        for scenario in description.scenarios:
            if scenario.parameters:
                yield f"Parameters of {scenario.name}: {', '.join(one.name for one in scenario.parameters)}"


def _of_sentences(text: _Text, decimal: str, description: Description | None) -> Iterator[str]:
    """Yield a claim for what each sentence says; one that is not understood has a `?` in place of its kind."""
    for statement, said in _said(text, decimal):
        keys: dict[str, Any] = {"kind": said.kind, "statement": statement, "where": text.heading}
        keys["lines"] = text.first, text.last
        metric = _metric(said.unit, description, of_memory=said.of_memory)
        if said.kind == "bound":
            size = 1.0 if said.unit == "x" else _in_metric(said.unit, metric, description)
            least, most = (one and one * (size or 1) for one in (said.low, said.high))
            keys |= {"at_least": least, "at_most": most, "unit": "" if size else said.unit}
        elif said.kind != OPEN:
            keys["published"] = (said.low, said.high, said.unit)
        yield _claim(keys, description, metric if said.kind != OPEN else "", factor=said.unit == "x")


def _of_table(table: Table, description: Description | None) -> Iterator[tuple[int, str]]:
    """Yield a claim for each comparison and figure of a table; for each row if it is not understood, an open one."""
    if is_about_settings(table):
        return
    found = understand_table(table)
    for one in found:
        at = f" ({one.at})" if one.at else ""
        keys: dict[str, Any] = {"where": table.heading, "lines": (one.first, one.last)}
        if isinstance(one, Compared):
            figures = f"{_figure(one.of)} against {_figure(one.over)} of {one.baseline}"
            keys |= {"kind": "ratio", "statement": f"{one.candidate}{at}: {one.measure} {figures}".replace("  ", " ")}
            keys |= {"published": (one.times, one.times, "x"), "candidate": one.candidate, "baseline": one.baseline}
        else:
            keys |= {"kind": "ratio" if one.of.unit == "x" else "absolute", "candidate": one.what}
            keys |= {"statement": f"{one.what}{at}: {one.measure} {_figure(one.of)}".replace("  ", " ")}
            keys |= {"published": (one.of.value, one.of.value, one.of.unit)}
            if not one.of.value:
                keys |= {"kind": "bound", "published": None, "at_most": 0}
        yield (
            one.first,
            _claim(keys, description, _metric(one.of.unit, description, one.measure), factor=keys["kind"] == "ratio"),
        )
    for row in table.rows if not found else ():
        known = [read_cell(cell, head_unit(head)[1]) for head, cell in zip(table.head, row.cells, strict=True)]
        if sum(one is not None for one in known[1:]) > 1 or any(one and one.unit for one in known):
            cells = (f"{head} {cell}".strip() for head, cell in zip(table.head[1:], row.cells[1:], strict=True))
            keys = {"kind": OPEN, "statement": f"{row.cells[0]}: {', '.join(cells)}", "where": table.heading}
            yield row.first, _claim(keys | {"lines": (row.first, row.last)}, description, "", factor=True)


def _figure(of: Quantity) -> str:
    return f"{of.value:.15g} {'x ' if of.unit[:1].isdigit() else ''}{of.unit}"


def _claim(keys: Mapping[str, Any], description: Description | None, metric: str, *, factor: bool) -> str:
    """Return a claim's keys as YAML; what the description does not know is `?`, with what the report calls it."""
    scenarios = [one.name for one in description.scenarios] if description else []
    lines = {"kind": _quoted(keys["kind"]), "statement": _quoted(keys["statement"])}
    lines |= {"where": _quoted(keys["where"]) if keys["where"] else "", "lines": "[{}, {}]".format(*keys["lines"])}
    if published := keys.get("published"):
        low, high, unit = published
        digits = 4 if unit == "x" else 15
        ends = [_number(one, digits) for one in (low, high)]
        figures = f"value: {ends[0]}" if low == high else f"low: {ends[0]}, high: {ends[1]}"
        lines["published"] = f"{{{figures}, unit: {_quoted(unit)}}}"
    elif keys["kind"] == OPEN:
        lines["published"] = _quoted(OPEN)
    for name in ("at_least", "at_most"):
        if keys.get(name) is not None:
            lines[name] = _number(keys[name], 6) + (f"  # {keys['unit']}" if keys.get("unit") else "")
    if factor or keys["kind"] == OPEN:
        lines["baseline"] = _variant(keys.get("baseline", ""), description)
    lines["candidate"] = _variant(keys.get("candidate", ""), description)
    lines["scenario"] = _quoted(scenarios[0] if len(scenarios) == 1 else OPEN)
    lines["metric"] = _quoted(metric) if metric else ""
    return "".join(f"    {key}: {value}\n" for key, value in lines.items() if value)


def _number(value: float, digits: int) -> str:
    """Return a number without an exponent, which YAML takes for a text if it has no decimal point."""
    return f"{Decimal(f'{value:.{digits}g}'):f}"


def _variant(name: str, description: Description | None) -> str:
    names = [one.name for one in description.variants] if description and name else []
    known = [one for one in names if squeezed(one) == squeezed(name)]
    known = known or [one for one in names if set(words(one)) > set(words(name))]
    return _quoted(known[0]) if len(known) == 1 else _quoted(OPEN) + (f"  # {one_line(name)}" if name else "")


def _metric(unit: str, description: Description | None, measure: str = "", *, of_memory: bool = False) -> str:
    """Return the metric of a figure with this unit: empty for the headline, `?` if it is not known."""
    scenarios = description.scenarios if description and len(description.scenarios) == 1 else []
    percentile = re.search(r"p\d[\d.]*", measure.lower())
    if percentile:
        return percentile[0] if any(percentile[0] in one.all_metrics for one in scenarios) else OPEN
    if unit == "x" and not of_memory:
        return ""
    of = "size" if of_memory else _dimension(unit)
    for scenario in scenarios:
        speeds = of.endswith("time") and _dimension(scenario.unit).endswith("time")
        if speeds or _dimension(scenario.unit) == of:
            return ""
        named = [one.name for one in scenario.metrics if _dimension(one.unit) == of]
        return named[0] if len(named) == 1 else OPEN
    return "" if of.endswith("time") else OPEN


def _dimension(unit: str) -> str:
    found = read_unit(unit)
    return found.dimension if found else ""


def _in_metric(unit: str, metric: str, description: Description | None) -> float | None:
    """Return the size of a unit in that of the metric, if that is known."""
    if metric == OPEN or not description or len(description.scenarios) != 1:
        return None
    (scenario,) = description.scenarios
    return units_in(unit, (scenario.all_metrics[metric] if metric else scenario.headline).unit)


def _quoted(text: str) -> str:
    """Return a text in JSON, which is one in YAML, too."""
    return json.dumps(one_line(text)[:_LONGEST], ensure_ascii=False)


def _of_markdown(text: str) -> str:
    """Return Markdown as HTML whose blocks have their first and last line."""
    reader = MarkdownIt("commonmark").enable("table")
    tokens = reader.parse(text)
    for token in tokens:
        if token.map and token.type == "html_block":
            lines = token.content.split("\n")
            token.content = "\n".join(
                _TAG.sub(rf'\1 data-lines="{n} {n}"', one) for n, one in enumerate(lines, token.map[0] + 1)
            )
        elif token.type == "fence" and token.info.lower().strip() in _CONFIGURATION:
            token.content = ""
        elif token.map:
            # Of a fenced block this is the fence, and of an indented one the line above.
            token.attrSet("data-lines", f"{token.map[0] + (token.type != 'code_block')} {token.map[1]}")
    return str(reader.renderer.render(tokens, reader.options, {}))


class _Reader(HTMLParser):
    """Collects the headings, paragraphs, items, tables and printed output of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[_Text] = []
        self.tables: list[Table] = []
        self.headings: list[str] = []
        self._said, self._hidden, self._printed = "", 0, False
        self._cells, self._rows, self._in_row, self._in_item = list[str](), list[Row](), False, False
        self._lines = 1, 0
        self.feed(text)
        self.close()

    @property
    def _heading(self) -> str:
        return self.headings[-1] if self.headings else ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        first, _, last = (dict(attrs).get("data-lines") or f"{self.getpos()[0]} 0").partition(" ")
        lines = int(first), int(last)
        self._hidden += tag in _HIDDEN
        if tag == "table":
            self._rows = []
        elif tag == "sup":
            self._said += "^"
        elif tag == "br":
            self._said += " "
        elif tag in _CELLS:
            self._said = ""
            self._lines = self._lines[0], max(self._lines[1], lines[1])
        elif tag == "tr" or (tag in _BLOCKS and not self._in_row):
            if self._in_item and (text := " ".join(self._said.split())):  # which has other items in it
                self.texts.append(_Text(text, self._heading, self._lines[0], max(self._lines[0], lines[0] - 1)))
            self._lines, self._said = lines, ""
            self._in_row, self._in_item, self._cells = tag == "tr", tag == "li", []
        elif tag in {"pre", "code"} and (tag == "pre" or self._printed):
            self._lines = lines if "data-lines" in dict(attrs) or tag == "pre" else self._lines
            self._printed, self._said = True, ""

    def handle_data(self, data: str) -> None:
        self._said += "" if self._hidden else data

    def handle_endtag(self, tag: str) -> None:
        text = " ".join(self._said.split())
        lines = self._lines[0], self._lines[1] or self.getpos()[0]
        self._hidden -= tag in _HIDDEN
        if tag in _CELLS:
            self._cells.append(text)
        elif tag == "tr":
            self._rows.append(Row(self._cells, *lines))
            self._in_row = False
        elif tag == "table" and len(self._rows) > 1:
            head, *rows = self._rows
            width = len(head.cells)
            if any(is_rate(one) for one in head.cells[1:]):
                head, rows = Row([""] * width, *lines), self._rows
            self.tables.append(Table(head.cells, [one for one in rows if len(one.cells) == width], self._heading))
        elif tag == "pre":
            self.tables += printed_tables(self._said, lines[0] + (self._lines[1] > 0), self._heading)
            self._printed, self._said = False, ""
        elif tag in _HEADINGS:
            self.headings.append(text)
            self.texts.append(_Text(text, text, *lines))
        elif tag in _BLOCKS and text and not self._in_row:
            self.texts.append(_Text(text, self._heading, *lines))
            self._said, self._in_item = "", False


_TAG = re.compile(r"(<(?:tr|td|th|p|li|dd|blockquote|pre|h[1-4])\b)")
_CONFIGURATION = {"yaml", "yml", "toml", "json", "jsonc", "xml", "html", "properties", "env", "nginx"}
"""What a fenced block is called that is no printed output; code's names are taken for their colours."""
_HIDDEN = {"style", "script", "nav", "del", "s"}
_CELLS = {"th", "td"}
_HEADINGS = {"h1", "h2", "h3", "h4"}
_BLOCKS = {"p", "li", "dd", "blockquote"} | _HEADINGS
