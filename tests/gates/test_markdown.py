"""The table for a pull request, as a Markdown renderer takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from perflab.claims.regression import markdown

if TYPE_CHECKING:
    from collections.abc import Callable

    from perflab.claims.regression import Gate

PARSER = MarkdownIt("commonmark").enable("table")


def cells(text: str) -> list[list[str]]:
    """The table's rows, with what each cell shows."""
    rows: list[list[str]] = []
    for token in PARSER.parse(text):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows and len(rows[-1]) < 9:
            rows[-1].append("".join(child.content for child in token.children or []))
    return rows


def test_each_verdict_has_a_row_the_worst_first(gate: Gate) -> None:
    head, *rows = cells(markdown(gate))
    assert head[0] == "verdict"
    assert [row[0] for row in rows] == [
        "❌ regression",
        "💥 failed",
        "❔ inconclusive",
        "🚀 better",
        "✅ within threshold",
        "⚪ not compared",
        "⚪ not compared",
    ]
    assert {len(row) for row in [head, *rows]} == {9}
    regression = rows[0]
    assert regression[1:6] == ["sum", "slower", "sum", "100 ns", "130 ns"]
    assert regression[6].startswith("0.77x [")
    assert regression[7] == "5.0 %"
    assert regression[8].endswith("%")


def test_it_says_what_was_compared_where_how_and_by_which_command(gate: Gate) -> None:
    text = markdown(gate)
    first = text.splitlines()[0]
    assert first == "### ❌ toy, 5d6e7f8+changes against 1a2b3c4: 1 regression, 1 failed, 1 inconclusive, 1 better"
    assert "Measured on a processor, 2 cores, 16 GiB, Debian." in text
    assert "5 rounds of fresh processes, both builds interleaved" in text
    assert gate.found[0].compared.run.id in text
    assert text.endswith(f"```sh\n{gate.command}\n```\n")


@pytest.mark.parametrize(
    ("names", "begin"),
    [
        (("same",), "### 💥"),
        (("slower", "same"), "### ❌"),
    ],
)
def test_the_heading_has_the_worst_icon(toy_gate: Callable[..., Gate], names: tuple[str, ...], begin: str) -> None:
    assert markdown(toy_gate(*names)).startswith(begin)


def test_no_text_can_break_out_of_its_cell(toy_gate: Callable[..., Gate]) -> None:
    hostile = 'a|b <script>x</script> [x](http://y) `q` *e*\n| --- |\n![i](z) "&"'
    text = markdown(toy_gate("same", note=hostile, command="x\n```\n# gone"))
    assert {len(row) for row in cells(text)} == {9}
    inline = [child.type for token in PARSER.parse(text) for child in token.children or []]
    assert set(inline) <= {"text", "text_special", "softbreak"}
    assert [token.type for token in PARSER.parse(text)].count("table_open") == 1
    assert "html_block" not in {token.type for token in PARSER.parse(text)}
    assert [token.tag for token in PARSER.parse(text) if token.type == "heading_open"] == ["h3"]
