"""Rank stability: which places change from one round to the next."""

from __future__ import annotations

import math

import pytest

from perflab.stats.composite import rank_rounds

VALUES = {
    "steady": [10.0, 10.0, 10.0, 10.0],
    "first": [20.0, 21.0, 22.0, 23.0],
    "jumpy": [5.0, 30.0, 12.0, 4.0],
}


def test_the_order_is_that_of_the_median_round() -> None:
    assert [place.label for place in rank_rounds(VALUES, "higher").places] == ["first", "steady", "jumpy"]
    assert [place.label for place in rank_rounds(VALUES, "lower").places] == ["jumpy", "steady", "first"]


def test_a_pair_swaps_in_the_rounds_that_say_otherwise() -> None:
    ranking = rank_rounds(VALUES, "higher")
    pair = ranking.swap("jumpy", "steady")
    assert pair
    assert (pair.ahead, pair.behind, pair.swapped, pair.rounds, pair.share) == ("steady", "jumpy", 2, 4, 0.5)
    always = ranking.swap("first", "steady")
    assert always
    assert always.share == 0


def test_places_go_from_the_best_to_the_worst_round() -> None:
    places = {place.label: (place.place, place.best, place.worst) for place in rank_rounds(VALUES, "higher").places}
    assert places == {"first": (1, 1, 2), "steady": (2, 2, 3), "jumpy": (3, 1, 3)}


def test_a_tie_decides_for_nobody() -> None:
    (pair,) = rank_rounds({"a": [1.0, 1.0, 2.0], "b": [1.0, 1.0, 1.0]}, "higher").swaps
    assert (pair.ahead, pair.swapped) == ("a", 1.0)
    (equal,) = rank_rounds({"a": [1.0, 1.0], "b": [1.0, 1.0]}, "higher").swaps
    assert equal.share == 0.5


def test_a_round_that_one_of_them_lacks_says_nothing_of_the_pair() -> None:
    ranking = rank_rounds({"a": [3.0, math.nan, 1.0], "b": [2.0, 9.0, 2.0], "c": [math.nan] * 3}, "higher")
    (pair,) = ranking.swaps
    assert pair.rounds == 2
    assert {place.label for place in ranking.places} == {"a", "b"}


def test_without_a_common_round_nothing_is_said() -> None:
    (pair,) = rank_rounds({"a": [1.0, math.nan], "b": [math.nan, 2.0]}, "higher").swaps
    assert pair.share is None


def test_rounds_must_match() -> None:
    with pytest.raises(ValueError, match="rounds do not match"):
        rank_rounds({"a": [1.0], "b": [1.0, 2.0]}, "higher")
