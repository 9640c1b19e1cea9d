from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.charts.timeline import Moment, Span, timeline_chart

if TYPE_CHECKING:
    from perflab.charts.chart import Chart


def test_a_bar_starts_when_its_span_does_and_lasts_as_long(drawn: dict[str, Chart]) -> None:
    running, parked = drawn["timeline"].figure_json["data"]
    assert drawn["timeline"].figure_json["layout"]["xaxis"]["title"]["text"] == "time since the first event (ms)"
    assert list(parked["base"]) == [0]
    assert round(parked["x"][0], 3) == 99.999
    assert list(running["y"]) == ["producer", "consumer"]
    assert round(running["x"][1], 6) == 4


def test_states_have_hatches(drawn: dict[str, Chart]) -> None:
    shapes = [trace["marker"]["pattern"]["shape"] for trace in drawn["timeline"].figure_json["data"]]
    assert len(set(shapes)) == len(shapes)


def test_moments_that_are_close_do_not_write_over_each_other() -> None:
    spans = [Span("a", "running", 0, 1e9)]
    moments = [Moment(1e6, "one"), Moment(2e6, "two"), Moment(9e8, "three")]
    notes = timeline_chart(spans, moments=moments).figure_json["layout"]["annotations"]
    assert [note["yshift"] for note in notes] == [0, 16, 0]
    assert [note["xanchor"] for note in notes] == ["left", "left", "right"]


def test_threads_stand_in_the_order_given(drawn: dict[str, Chart]) -> None:
    # plotly counts categories from below.
    assert list(drawn["timeline"].figure_json["layout"]["yaxis"]["categoryarray"]) == ["consumer", "producer"]


def test_the_table_names_the_longest_and_says_what_it_leaves_out() -> None:
    chart = timeline_chart([Span("a", "running", 10.0 * n, 10.0 * n + n + 1) for n in range(30)])
    assert "18 shorter ones" in chart.text
    assert "30.0 ns" in chart.text
