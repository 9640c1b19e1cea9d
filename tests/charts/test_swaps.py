"""Rank stability as a picture: every pair once, and the places that variants had in single rounds."""

from __future__ import annotations

from perflab.charts.heat import swaps_chart
from perflab.stats.composite import rank_rounds

RANKING = rank_rounds(
    {"first": [3.0, 3.0, 1.0, 3.0], "second": [2.0, 2.0, 2.0, 2.0], "last": [0.5, 0.4, 0.5, 0.4]}, "higher"
)


def test_each_pair_stands_once_above_the_diagonal() -> None:
    (trace,) = swaps_chart(RANKING, title="rank stability").figure_json["data"]
    assert [list(line) for line in trace["z"]] == [[0.25, 0.0], [None, 0.0]]
    assert list(trace["x"]) == ["second", "last"]
    assert trace["text"][0][0] == "25.0 %"


def test_a_coin_has_the_full_colour() -> None:
    (trace,) = swaps_chart(RANKING, title="rank stability").figure_json["data"]
    assert (trace["zmin"], trace["zmax"]) == (0, 0.5)


def test_the_table_tells_neighbours_and_the_places_in_single_rounds() -> None:
    text = swaps_chart(RANKING, title="rank stability").text
    (first,) = [line for line in text.splitlines() if line.startswith("first")]
    assert "1 of 4 rounds" in first
    assert "1 to 2" in first
