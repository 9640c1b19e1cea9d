from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from comparisons import comparison, factor

from perflab.charts.estimates import ratios_chart
from perflab.stats.comparison import compare

if TYPE_CHECKING:
    from perflab.charts.chart import Chart


def trace(chart: Chart, name: str) -> dict[str, Any]:
    (found,) = [each for each in chart.figure_json["data"] if each["name"].startswith(name)]
    return dict(found)


def test_the_noise_band_is_shaded_around_one_and_below_the_points(drawn: dict[str, Chart]) -> None:
    band, unity = drawn["ratios"].figure_json["layout"]["shapes"]
    assert (band["type"], band["x0"], band["x1"], band["layer"]) == ("rect", 0.94, 1.0638, "below")
    assert (unity["x0"], unity["x1"]) == (1, 1)
    assert trace(drawn["ratios"], "noise")["name"] == "noise, 1.00x [0.94, 1.064]"


def test_without_a_noise_band_none_is_claimed() -> None:
    chart = ratios_chart([comparison("a", factor(1.2, 1.1, 1.3))], metric="rate", title="t")
    assert [shape["type"] for shape in chart.figure_json["layout"]["shapes"]] == ["line"]
    assert "noise" not in chart.text


def test_the_published_figure_is_a_mark_of_its_own_with_its_number(drawn: dict[str, Chart]) -> None:
    published = trace(drawn["ratios"], "published")
    assert (list(published["x"]), list(published["y"])) == ([5.2], [0])
    assert list(published["text"]) == ["published 5.20x"]
    assert published["marker"]["symbol"] == "diamond-open"


def test_the_interval_stands_around_the_estimate(drawn: dict[str, Chart]) -> None:
    measured = trace(drawn["ratios"], "measured, 95 % interval")
    bars = measured["error_x"]
    ends = [
        (estimate - down, estimate + up)
        for estimate, down, up in zip(measured["x"], bars["arrayminus"], bars["array"], strict=True)
    ]
    assert ends == [pytest.approx((1.61, 2.05)), pytest.approx((0.93, 1.04))]


def test_each_row_says_its_verdict_and_its_numbers(drawn: dict[str, Chart]) -> None:
    first, second = (note["text"] for note in drawn["ratios"].figure_json["layout"]["annotations"])
    assert first == "<b>faster</b><br>1.83x [1.61, 2.05]"
    assert second == "<b>no difference</b><br>0.99x [0.93, 1.04]"


def test_ticks_are_factors_and_everything_is_in_range(drawn: dict[str, Chart]) -> None:
    axis = drawn["ratios"].figure_json["layout"]["xaxis"]
    assert axis["type"] == "log"
    assert axis["ticksuffix"] == "x"
    low, high = (10**end for end in axis["range"])
    assert low < 0.93
    assert high > 5.2


def test_a_long_title_gets_a_second_line_and_the_room_for_it() -> None:
    row = comparison("a", factor(1.0, 0.9, 1.1), "inconclusive")
    short = ratios_chart([row], metric="rate", title="publish: against mutex").figure_json["layout"]
    words = "sequencer publish (" + ", ".join(f"parameter-{number}=4096" for number in range(5)) + "): against mutex"
    long = ratios_chart([row], metric="rate", title=words).figure_json["layout"]
    lines = long["title"]["text"].split("<br>")
    assert " ".join(lines) == words
    assert len(lines) == 2
    assert max(map(len, lines)) <= 96
    # plotly lifts a title of two lines by half of the second.
    assert long["title"]["pad"]["t"] > short["template"]["layout"]["title"]["pad"]["t"]
    more = long["margin"]["t"] - short["margin"]["t"]
    assert more > 0
    assert long["height"] - short["height"] == more


def test_rows_of_comparisons_show_what_the_statistics_say() -> None:
    values = {"before": [10.0, 11, 10, 12, 11, 10], "after": [20.0, 23, 21, 22, 24, 20], "odd": [10.0] + [math.nan] * 5}
    comparisons = compare(values, "before", "rate", "op/s", "higher")
    after, odd = comparisons
    chart = ratios_chart(comparisons, metric="rate", published={"after": 2.5}, title="t")
    lines = [line.split() for line in chart.text.splitlines()]
    assert [
        "after",
        *after.estimate.value_text.split(),
        *after.estimate.interval_text.split(),
        "faster",
        "2.50x",
    ] in lines
    assert list(trace(chart, "measured")["x"]) == [after.estimate.value, odd.estimate.value]
    assert ["odd", "1.00x", "(no", "interval)", "inconclusive"] in lines
    assert "too few rounds" in odd.flags[1]


def test_a_difference_is_told_in_words_because_it_is_no_factor() -> None:
    values = {"before": [3.0, 4, 3, 5, 4, 3], "after": [0.0, 0, 0, 0, 0, 1]}
    (row,) = compare(values, "before", "refused", "refusals/message", "lower")
    assert not row.estimate.is_factor
    assert "refusals/message" in row.figures
    chart = ratios_chart([row], metric="refused", title="t")
    assert f"better by {row.figures}" in chart.text
    assert list(trace(chart, "measured")["x"]) == [None]


def test_the_worst_case_is_a_mark_of_its_own_beside_the_estimate() -> None:
    values = {"before": [10.0, 11, 10, 12, 11, 10], "after": [20.0, 23, 21, 22, 24, 20]}
    chart = ratios_chart(
        compare(values, "before", "rate", "op/s", "higher"), metric="rate", worst={"after": 0.25}, title="t"
    )
    assert list(trace(chart, "worst case")["x"]) == [0.25]
    assert 10 ** chart.figure_json["layout"]["xaxis"]["range"][0] < 0.25
    assert "0.25x" in chart.text
