"""What a sweep's charts say: intervals at each point, what was not measured, and where 1 is inside."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from comparisons import factor

from perflab.charts.curve import CurvePoint, FactorCell, SweptParameter, curve_chart, factor_curve, factors_chart
from perflab.model.estimate import Estimate

if TYPE_CHECKING:
    from perflab.charts.chart import Chart

SIZE = SweptParameter("size", "messages at once", [64, 128, 256, 4096])


def drawn(*stations: CurvePoint, parameter: SweptParameter = SIZE) -> Chart:
    return curve_chart(stations, parameter=parameter, metric="time", better="lower", title="times")


def station(variant: str, at: Any, value: float, *interval: float) -> CurvePoint:  # noqa: ANN401 - a setting
    return CurvePoint(variant, at, Estimate(value, *interval, unit="ns/op"))


def traces(chart: Chart) -> list[dict[str, Any]]:
    return [dict(trace) for trace in chart.figure_json["data"]]


def test_an_interval_reaches_from_low_to_high_at_its_point() -> None:
    (trace,) = traces(drawn(station("plain", 64, 100.0, 90.0, 130.0), station("plain", 128, 50.0)))
    assert list(trace["y"]) == [100.0, 50.0]
    assert list(trace["error_y"]["array"]) == [30.0, 0.0]
    assert list(trace["error_y"]["arrayminus"]) == [10.0, 0.0]


def test_a_line_goes_from_left_to_right_whatever_the_order_of_measuring() -> None:
    (trace,) = traces(drawn(*(station("plain", size, size) for size in (4096, 64, 256, 128))))
    assert all(one < other for one, other in pairwise(trace["x"]))
    assert list(trace["y"]) == pytest.approx([64e-9, 128e-9, 256e-9, 4096e-9])


def test_doubling_is_even_on_the_axis_and_says_so() -> None:
    axis = drawn(station("plain", 64, 1.0)).figure_json["layout"]["xaxis"]
    assert axis["type"] == "log"
    assert axis["title"]["text"] == "size (messages at once; log scale)"
    assert list(axis["ticktext"]) == ["64", "128", "256", "4,096"]


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([1, 3, 5], ["1", "3", "5"]),
        ([0, 100], ["0", "100"]),
        (["b", "a"], ["b", "a"]),
        ([False, True], ["false", "true"]),
    ],
)
def test_other_values_stand_on_a_linear_axis_or_side_by_side(values: list[Any], ticks: list[str]) -> None:
    parameter = SweptParameter("kind", "", values)
    axis = drawn(*(station("plain", value, 1.0) for value in values), parameter=parameter).figure_json["layout"][
        "xaxis"
    ]
    assert axis["type"] == "linear"
    assert list(axis["ticktext"]) == ticks
    assert axis["title"]["text"] == "kind (parameter)"


def test_a_single_value_can_be_drawn() -> None:
    layout = drawn(station("plain", 64, 1.0, 0.9, 1.1), parameter=SweptParameter("size", "", [64])).figure_json[
        "layout"
    ]
    low, high = layout["xaxis"]["range"]
    assert low < 64 < high


def test_variants_stand_side_by_side_so_that_no_interval_hides_another() -> None:
    one, other = traces(drawn(station("plain", 64, 1.0, 0.9, 1.1), station("wide", 64, 1.0, 0.9, 1.1)))
    assert one["x"][0] < other["x"][0]


def test_the_factors_axis_has_1_inside_and_a_line_there() -> None:
    chart = factor_curve(
        [CurvePoint("wide", 64, factor(3.0, 2.5, 3.5))], parameter=SIZE, baseline="plain", title="a factor"
    )
    layout = chart.figure_json["layout"]
    assert layout["yaxis"]["range"][0] < 0 < layout["yaxis"]["range"][1]
    (line,) = layout["shapes"]
    assert (line["y0"], line["y1"]) == (1, 1)
    assert "[2.50, 3.50]" in chart.text


def mapped(*cells: FactorCell) -> Chart:
    return factors_chart(
        cells, rows=SweptParameter("batch", "", [1, 8]), columns=SIZE, candidate="wide", baseline="plain", title="a map"
    )


def test_a_cell_whose_interval_includes_1_has_a_frame_and_a_tilde() -> None:
    chart = mapped(
        FactorCell(1, 64, factor(1.02, 0.98, 1.06)),
        FactorCell(8, 128, factor(2.0, 1.9, 2.1)),
        FactorCell(1, 128, factor(1.2)),
    )
    assert len(chart.figure_json["layout"]["shapes"]) == 2
    assert {(round(one["x0"]), round(one["y0"])) for one in chart.figure_json["layout"]["shapes"]} == {(0, 0), (1, 0)}
    (trace,) = traces(chart)
    assert trace["text"][0][0] == "~ 1.02x<br>[0.98, 1.06]"
    assert trace["text"][1][1] == "2.00x<br>[1.90, 2.10]"
    assert trace["text"][0][1] == "~ 1.20x<br>(no interval)"
    assert "~ 1.20x (no interval)" in chart.text


def test_as_much_better_and_worse_are_as_far_from_pale_and_small_factors_stay_pale() -> None:
    (trace,) = traces(mapped(FactorCell(1, 64, factor(2.0, 1.9, 2.1)), FactorCell(8, 64, factor(0.5, 0.4, 0.6))))
    assert trace["z"][0][0] == pytest.approx(-trace["z"][1][0])
    assert trace["zmax"] == pytest.approx(trace["z"][0][0])
    (small,) = traces(mapped(FactorCell(1, 64, factor(1.01, 1.005, 1.015))))
    assert small["z"][0][0] < small["zmax"] / 3


def test_what_is_missing_or_void_has_no_colour_and_says_which() -> None:
    chart = mapped(
        FactorCell(1, 64, factor(2.0, 1.9, 2.1)),
        FactorCell(8, 64, None, why="void"),
        FactorCell(8, 128, None, why="missing"),
    )
    (trace,) = traces(chart)
    assert [trace["z"][1][0], trace["z"][1][1], trace["z"][1][2]] == [None, None, None]
    assert {(one["x"], one["y"], one["text"]) for one in chart.figure_json["layout"]["annotations"]} == {
        (0, 1, "void"),
        (1, 1, "missing"),
    }
    assert "void" in chart.text
