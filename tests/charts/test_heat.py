"""The heat map: colour repeats the figures, and void is no shade of slow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perflab.charts.heat import heat_chart
from perflab.claims.standings import TableCell

from .conftest import share, table

if TYPE_CHECKING:
    from perflab.charts.chart import Chart

CELLS = {
    ("steady", "fast"): TableCell(share=share(0.86), worst_share=share(0.9)),
    ("steady", "delay"): TableCell(share=share(0.5), worst_share=share(0.4)),
    ("reader", "fast"): TableCell(share=share(1.0), worst_share=share(1.0)),
    ("reader", "delay"): TableCell(share=share(0.0), worst_share=share(0.0), void="1001 overruns"),
    ("late", "fast"): TableCell(share=share(0.2)),
}


def drawn(**scores: float) -> Chart:
    return heat_chart(table(CELLS, scores))


def trace(chart: Chart) -> dict[str, Any]:
    (found,) = chart.figure_json["data"]
    return dict(found)


def test_a_cell_says_the_share_and_that_of_the_worst_case() -> None:
    assert trace(drawn())["text"][0][0] == "86.0 %<br>90.0 %"
    assert "86.0 % / 90.0 %" in drawn().text


def test_what_is_void_has_no_colour_and_says_so_and_is_crossed_out() -> None:
    chart = drawn()
    assert trace(chart)["z"][1][1] is None
    layout = chart.figure_json["layout"]
    (mark,) = [note for note in layout["annotations"] if "void" in note["text"]]
    assert (mark["x"], mark["y"]) == (1, 1)
    assert len(layout["shapes"]) == 2
    assert all(line["x0"] < 1 < line["x1"] for line in layout["shapes"])
    (row,) = [line for line in chart.text.splitlines() if line.startswith("reader")]
    assert "void" in row
    assert "0.0 %" not in row.replace("100.0 %", "")


def test_what_was_not_measured_is_empty_and_not_void() -> None:
    chart = drawn()
    assert trace(chart)["z"][2][1] is None
    assert trace(chart)["text"][2][1] == ""
    assert "void" not in next(line for line in chart.text.splitlines() if line.startswith("late"))


def test_the_colours_span_from_nothing_to_the_best_whatever_was_measured() -> None:
    # Else the slowest of three good ones would look as bad as one that is ten times slower.
    shown = trace(drawn())
    assert (shown["zmin"], shown["zmax"]) == (0, 100)


def test_the_score_stands_beside_its_row() -> None:
    chart = drawn(reader=0.5)
    notes = {note["text"]: note for note in chart.figure_json["layout"]["annotations"]}
    assert notes["50.0 [50.0, 50.0] %"]["y"] == 1
    assert "<b>composite score</b>" in notes
    assert "50.0 [50.0, 50.0] %" in chart.text


def test_the_first_row_is_at_the_top() -> None:
    assert drawn().figure_json["layout"]["yaxis"]["autorange"] == "reversed"
