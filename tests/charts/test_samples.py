"""The charts of samples: distributions, absolute values, latencies."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from perflab.charts import theme
from perflab.charts.distribution import ForkSamples, Latency, distribution_chart, latency_chart
from perflab.charts.estimates import Value, values_chart
from perflab.model.estimate import Estimate

if TYPE_CHECKING:
    from perflab.charts.chart import Chart


def sampled(forks: list[ForkSamples], *, metric: str = "t", unit: str = "s", better: str = "") -> Chart:
    return distribution_chart(forks, metric=metric, unit=unit, better=better, title="burst")


def strips(chart: Chart) -> list[dict[str, Any]]:
    return [dict(trace) for trace in chart.figure_json["data"] if trace["mode"] == "markers"]


def test_every_sample_is_a_point(drawn: dict[str, Chart]) -> None:
    assert [len(strip["x"]) for strip in strips(drawn["distribution"])] == [100, 100]


def test_an_outlier_is_shown_and_never_dropped() -> None:
    chart = sampled([ForkSamples("a", 0, [1.0, 1.1, 900.0])], metric="time", unit="s")
    assert max(strips(chart)[0]["x"]) == 900


def test_forks_have_lanes_of_their_own_within_their_variants_strip() -> None:
    chart = sampled(
        [ForkSamples("a", n, [1.0, 2, 3]) for n in range(5)] + [ForkSamples("b", 0, [1.0])], metric="t", unit="s"
    )
    first, second = strips(chart)
    lanes = [first["y"][start : start + 3] for start in range(0, 15, 3)]
    assert all(max(one) < min(other) for one, other in itertools.pairwise(lanes))
    assert all(-0.5 < y < 0.5 for y in first["y"])
    assert 0.5 < second["y"][0] < 1.5
    assert set(first["marker"]["symbol"]) == {"circle", "circle-open"}


def test_the_median_of_each_fork_is_a_line() -> None:
    chart = sampled([ForkSamples("a", 0, [1.0, 5, 3]), ForkSamples("a", 1, [7.0])], metric="t", unit="s")
    (line,) = [trace for trace in chart.figure_json["data"] if trace["mode"] == "lines"]
    assert list(line["x"]) == [3, 3, None, 7, 7, None]


def test_the_worst_case_of_a_fork_is_a_cross_in_its_lane() -> None:
    forks = [ForkSamples("a", 0, [1.0, 2], worst=9.0), ForkSamples("a", 1, [1.0]), ForkSamples("b", 0, [1.0])]
    chart = sampled(forks, metric="t", unit="s")
    (first, crosses, second) = strips(chart)
    assert (crosses["name"], list(crosses["x"])) == ("worst case of a fork", [9])
    assert crosses["y"][0] == pytest.approx(sum(first["y"][:2]) / 2, abs=0.1)
    assert len(second["x"]) == 1
    assert "9.00 s to 9.00 s" in chart.text


@pytest.mark.parametrize(("largest", "kind"), [(19.0, None), (21.0, "log")])
def test_the_axis_is_logarithmic_beyond_a_range_of_twenty(largest: float, kind: str | None) -> None:
    forks = [ForkSamples("a", 0, [1.0, largest])]
    assert sampled(forks, metric="t", unit="s").figure_json["layout"]["xaxis"].get("type") == kind
    rows = [Value("a", Estimate(1.0, unit="s")), Value("b", Estimate(largest, unit="s"))]
    assert values_chart(rows, metric="t", better="lower", title="t").figure_json["layout"]["xaxis"].get("type") == kind


def test_zeros_do_not_stand_on_a_logarithmic_axis() -> None:
    chart = sampled([ForkSamples("a", 0, [0.0, 1000.0])], metric="refused", unit="refusals/message")
    assert "type" not in chart.figure_json["layout"]["xaxis"]


def test_a_linear_axis_of_nanoseconds_shows_the_prefix_that_fits() -> None:
    chart = sampled([ForkSamples("a", 0, [2.5e6, 3e6])], metric="wake-up", unit="ns/op", better="lower")
    assert chart.figure_json["layout"]["xaxis"]["title"]["text"] == "wake-up (ms/op; lower is better)"
    assert list(strips(chart)[0]["x"]) == [2.5, 3.0]


def test_absolute_values_start_at_zero(drawn: dict[str, Chart]) -> None:
    axis = drawn["values"].figure_json["layout"]["xaxis"]
    assert axis["range"][0] == 0
    assert axis["range"][1] > 3.3e6


def test_the_latency_axis_gives_each_nine_the_same_width(drawn: dict[str, Chart]) -> None:
    axis = drawn["latency"].figure_json["layout"]["xaxis"]
    places = dict(zip(axis["ticktext"], axis["tickvals"], strict=True))
    assert places["0"] == 0
    assert places["90"] == pytest.approx(1)
    assert places["99"] - places["90"] == pytest.approx(places["99.9"] - places["99"]) == pytest.approx(1)
    assert places["max"] > places["99.9"]


def test_latency_is_logarithmic_with_a_unit_at_each_tick(drawn: dict[str, Chart]) -> None:
    axis = drawn["latency"].figure_json["layout"]["yaxis"]
    assert axis["type"] == "log"
    assert (axis["tickformat"], axis["ticksuffix"]) == ("~s", "s")


def test_a_thick_line_is_the_median_of_the_thin_ones() -> None:
    forks = [Latency("a", n, {"p50": time, "p99": 10 * time}) for n, time in enumerate((100.0, 300.0, 200.0))]
    thin, thick = latency_chart(forks, title="t").figure_json["data"]
    assert list(thick["y"]) == pytest.approx([200e-9, 2000e-9])
    assert [1e9 * y for y in thin["y"] if y is not None] == pytest.approx([100, 1000, 300, 3000, 200, 2000])
    assert thin["line"]["width"] < thick["line"]["width"]


def test_percentiles_that_some_forks_lack_do_not_shift_the_others() -> None:
    chart = latency_chart([Latency("a", 0, {"p50": 10.0}), Latency("a", 1, {"p50": 30.0, "p99": 90.0})], title="t")
    thick = chart.figure_json["data"][1]
    assert list(thick["y"]) == pytest.approx([20e-9, 90e-9])


def test_the_segments_of_a_bar_add_up_to_its_variants_cost(drawn: dict[str, Chart]) -> None:
    bars = [dict(trace) for trace in drawn["parts"].figure_json["data"]]
    assert [bar["name"] for bar in bars] == ["queue", "thread"]
    assert [sum(ends) for ends in zip(*(bar["x"] for bar in bars), strict=True)] == [380, 330]


def test_the_table_of_parts_holds_the_intervals(drawn: dict[str, Chart]) -> None:
    assert "[280, 320] ns/actor" in drawn["parts"].text


def test_no_two_of_many_variants_look_the_same() -> None:
    looks = [(theme.colour(number), theme.symbol(number), theme.dash(number)) for number in range(30)]
    assert len(set(looks)) == len(looks)
    assert looks[0][1:] != looks[6][1:], "the same colour, so all else has to differ"


def test_the_worst_case_stands_beside_the_estimate_and_in_the_axis(drawn: dict[str, Chart]) -> None:
    chart = drawn["worst"]
    (worst,) = [trace for trace in chart.figure_json["data"] if trace["name"] == "worst case"]
    assert list(worst["x"]) == [5, 4], "in the axis' unit, milliseconds"
    assert chart.figure_json["layout"]["xaxis"]["range"][1] > 5
    assert "5.00 ms" in chart.text
    assert "worst" not in drawn["values"].text
