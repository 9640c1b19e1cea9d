"""Drafting a ledger: the statements with figures of a report in Markdown or HTML, each with its lines.

A draft is a skeleton: what a text does not say for certain is left open, as `?`.
"""

from __future__ import annotations

import hashlib
import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, NamedTuple

from markdown_it import MarkdownIt

from perflab.claims.ledger import OPEN
from perflab.model.errors import UsageError, one_line
from perflab.model.names import is_id

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from perflab.model.protocol import Description


_MOST_BYTES = 1 << 20
_LONGEST = 300  # characters of a statement
_TYPED = {0xD7: "x", 0x2013: "-", 0x3BC: "µ"}  # other signs for these

# A comma stands between thousands: `12,5` may be twelve and a half, and is no number here.
_NUMBER = r"(?<![\w.,])((?:\d{1,3}(?:,\d{3})+|\d+)(?!\d|,\d)(?:\.\d+)?)"
_RANGE = rf"{_NUMBER}(?:\s*(?:-|to)\s*{_NUMBER})?\s*"
_FACTOR = re.compile(rf"{_RANGE}(x\b|times\b|-?fold\b)", re.IGNORECASE)
_FIGURE = re.compile(
    rf"{_RANGE}((?:[kMG]?(?:ops?|msgs?|messages|items|events|requests|req|tasks)/(?:ms|s|sec|second)|[KMGT]i?B/s|"
    r"(?:ns|us|µs|ms|s)(?:/op)?|B/op|allocs/op|[KMGT]i?B|bytes|%))(?![\w/])"
)
_NUMBER_FIRST = re.compile(rf"\W{{0,3}}{_NUMBER}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9])")


class _Text(NamedTuple):
    """A paragraph, an item of a list, or a row of a table."""

    text: str
    heading: str
    first: int
    last: int
    row: bool = False


def draft(path: Path, component: str, description: Description | None = None) -> tuple[str, str, int]:
    """Draft a ledger of a report in Markdown or HTML; return its name, its text, and the number of claims.

    `component` is the topic or bench that tests it, or `?`; the draft lists the names in its description.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(f"cannot draft claims from {path}: more than 1 MiB", "name a part of it")
        data = path.read_bytes()
        text = data.decode().translate(_TYPED)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise UsageError(f"cannot draft claims from {path}: {why}", "name a file in Markdown or HTML") from None
    texts = _Reader(text if path.suffix.lower() in {".html", ".htm", ".xhtml"} else _of_markdown(text)).texts
    claims = [claim for one in texts for claim in _claims(one, description)]
    if not claims:
        raise UsageError(f"{path} has no statement with a figure", "write the ledger by hand: docs/claims.md")
    name = re.sub(r"[^\w.-]+", "-", path.stem).strip("-._").lower()
    name = name if is_id(name) else "report"
    title = next((one.heading for one in texts if one.heading), path.stem)
    lines = [
        f"# Drafted from {one_line(path.name)}: take out what is no claim, fill in each {OPEN}, and say each",
        "# statement in your own words. Keys: docs/claims.md of perflab.",
        *(f"# {names}" for names in _names(description)),
        f"report: {_quoted(name)}",
        f"title: {_quoted(title)}",
        f"sha256: {hashlib.sha256(data).hexdigest()}",
        f"component: {_quoted(component)}",
        "",
        "claims:",
        *(f"  - id: claim-{number}\n{claim}" for number, claim in enumerate(claims, 1)),
    ]
    return name, "\n".join(lines), len(claims)


def _names(description: Description | None) -> Iterator[str]:
    if description:
        yield one_line(f"Variants: {', '.join(one.name for one in description.variants)}")
        for scenario in description.scenarios:
            if scenario.parameters:
                yield f"Parameters of {scenario.name}: {', '.join(one.name for one in scenario.parameters)}"


def _claims(text: _Text, description: Description | None) -> Iterator[str]:
    """Yield the keys of each claim that a text may make, as YAML."""
    scenarios = [one.name for one in description.scenarios] if description else []
    for statement in [text.text] if text.row else _SENTENCE.split(text.text):
        factor, figures = _FACTOR.search(statement), list(_FIGURE.finditer(statement))
        if not factor and not figures and not text.row:
            continue
        kind = "ratio" if factor else "absolute" if len(figures) == 1 and figures[0][3] != "%" else OPEN
        match = factor or (figures[0] if kind == "absolute" else None)
        lines = {
            "kind": _quoted(kind),
            "statement": _quoted(statement),
            "where": _quoted(text.heading) if text.heading else "",
            "lines": f"[{text.first}, {text.last}]",
            "published": _published(match) if match else _quoted(OPEN),
            "baseline": _quoted(OPEN) if kind != "absolute" else "",
            "candidate": _quoted(OPEN),
            "scenario": _quoted(scenarios[0] if len(scenarios) == 1 else OPEN),
        }
        yield "".join(f"    {key}: {value}\n" for key, value in lines.items() if value)


def _published(match: re.Match[str]) -> str:
    ends = sorted((one.replace(",", "") for one in match.groups()[:2] if one), key=float)
    low, high = ends[0], ends[-1]
    unit = "x" if match.re is _FACTOR else match[3]
    return f"{{value: {low}, unit: {unit}}}" if low == high else f"{{low: {low}, high: {high}, unit: {unit}}}"


def _quoted(text: str) -> str:
    """Return a text in JSON, which is one in YAML, too."""
    return json.dumps(one_line(text)[:_LONGEST], ensure_ascii=False)


def _of_markdown(text: str) -> str:
    """Return Markdown as HTML whose blocks have their first and last line."""
    reader = MarkdownIt("commonmark").enable("table")
    tokens = reader.parse(text)
    for token in tokens:
        if token.map:
            token.attrSet("data-lines", f"{token.map[0] + 1} {token.map[1]}")
    return str(reader.renderer.render(tokens, reader.options, {}))


class _Reader(HTMLParser):
    """Collects the headings, paragraphs, items and rows of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[_Text] = []
        self._heading, self._said, self._hidden = "", "", 0
        self._head, self._row, self._in_row = list[str](), list[str](), False
        self._lines = 1, 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in _HIDDEN
        self._head = [] if tag == "table" else self._head
        if tag in _CELLS:
            self._said = ""
        elif tag == "tr" or (tag in _BLOCKS and not self._in_row):
            first, _, last = (dict(attrs).get("data-lines") or f"{self.getpos()[0]} 0").partition(" ")
            self._lines, self._said, self._in_row = (int(first), int(last)), "", tag == "tr"

    def handle_data(self, data: str) -> None:
        self._said += "" if self._hidden else data.translate(_TYPED)

    def handle_endtag(self, tag: str) -> None:
        text = " ".join(self._said.split())
        lines = self._lines[0], self._lines[1] or self.getpos()[0]
        self._hidden -= tag in _HIDDEN
        if tag in _CELLS:
            self._row.append(text)
        elif tag == "tr":
            if self._head and any(map(_NUMBER_FIRST.match, self._row[1:])):
                cells = (f"{head} {cell}".strip() for head, cell in zip(self._head[1:], self._row[1:], strict=False))
                self.texts.append(_Text(f"{self._row[0]}: {', '.join(cells)}", self._heading, *lines, row=True))
            self._head, self._row, self._in_row = self._head or self._row, [], False
        elif tag in _HEADINGS:
            self._heading = text
        elif tag in _BLOCKS and text and not self._in_row:
            self.texts.append(_Text(text, self._heading, *lines))
            self._said = ""


_HIDDEN = {"style", "script", "nav"}
_CELLS = {"th", "td"}
_HEADINGS = {"h1", "h2", "h3", "h4"}
_BLOCKS = {"p", "li", "dd", "blockquote"} | _HEADINGS
