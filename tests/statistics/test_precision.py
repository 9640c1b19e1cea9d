"""The stopping rule looks at widths, never at results."""

from __future__ import annotations

import math

import numpy as np
import pytest

from perflab.stats.comparison import compare
from perflab.stats.precision import half_widths, precise_enough

NAN = math.nan


def column(level: float, spread: float, n: int, seed: int) -> list[float]:
    return list(level * np.exp(np.random.default_rng(seed).normal(0, spread, n)))


def test_half_widths_are_those_of_the_comparison() -> None:
    values = {name: column(1, 0.1, 10, seed) for seed, name in enumerate("abc")}
    widths = half_widths(values, "a", "higher")
    for result in compare(values, "a", "m", "u", "higher"):
        assert widths[result.candidate] == pytest.approx(math.sqrt(result.estimate.high / result.estimate.low) - 1)


@pytest.mark.parametrize("factor", [1.0, 1.001, 2.0, 0.1])
def test_the_size_of_the_effect_does_not_matter(factor: float) -> None:
    def stops(spread: float) -> bool:
        values = {"a": column(1, spread, 12, 1), "b": column(factor, spread, 12, 2)}
        return precise_enough(values, "a", "higher", target_half_width=0.02)

    assert stops(0.005)
    assert not stops(0.1)


def test_all_candidates_must_be_precise() -> None:
    values = {"a": column(1, 0.001, 12, 1), "b": column(1, 0.001, 12, 2), "c": column(1, 0.2, 12, 3)}
    assert not precise_enough(values, "a", "higher")
    del values["c"]
    assert precise_enough(values, "a", "higher")


def test_never_before_the_minimum() -> None:
    values = {"a": column(1, 1e-6, 7, 1), "b": column(1, 1e-6, 7, 2)}
    assert not precise_enough(values, "a", "higher")
    assert precise_enough({name: [*side, side[0]] for name, side in values.items()}, "a", "higher")


def test_a_width_that_was_only_just_reached_is_not_enough() -> None:
    quiet = column(1, 0.001, 6, 1)
    wild_then_quiet = [1.0, 1.4, 1.0, 0.7, 1.3, *column(1, 0.001, 30, 2)]
    values = {"a": [1.0] * 35, "b": wild_then_quiet}
    width = half_widths(values, "a", "higher")["b"]
    before = half_widths({name: side[:-2] for name, side in values.items()}, "a", "higher")["b"]
    assert width < before
    assert not precise_enough(values, "a", "higher", target_half_width=(width + before) / 2)
    assert precise_enough(values, "a", "higher", target_half_width=before * 1.001)
    assert quiet  # the quiet side alone would have met either


def test_missing_forks_delay_it() -> None:
    values = {"a": [*column(1, 0.001, 2, 1), *[NAN] * 8], "b": column(1, 0.001, 10, 2)}
    assert half_widths(values, "a", "higher") == {"b": math.inf}
    assert not precise_enough(values, "a", "higher")


def test_differences_are_relative_to_the_baseline() -> None:
    values = {"a": [100.0, 101, 99, 100, 102, 98, 100, 100, 0], "b": [100.5, 101, 99, 100, 102, 98, 100, 100, 0]}
    shifted = {name: [10 * x for x in side] for name, side in values.items()}
    assert half_widths(shifted, "a", "lower")["b"] == pytest.approx(half_widths(values, "a", "lower")["b"])
    assert half_widths({"a": [0.0] * 5, "b": [0.0] * 5}, "a", "lower") == {"b": 0.0}
    assert half_widths({"a": [0.0] * 5, "b": [0.0, 1, 0, 2, 1]}, "a", "lower") == {"b": math.inf}


@pytest.mark.parametrize("spread", [0.0, 0.01, 0.02, 0.03, 0.04, 0.06, 0.2])
@pytest.mark.parametrize("n", [8, 9, 12, 40])
def test_the_rule_is_that_of_the_widths(spread: float, n: int) -> None:
    """It looks at Student's half widths first, which can only say earlier that it is too soon."""
    values = {name: column(1, spread, n, seed) for seed, name in enumerate("abc")}
    earlier = {name: values[:-2] for name, values in values.items()}
    reached = all(width <= 0.02 for one in (values, earlier) for width in half_widths(one, "a", "higher").values())
    assert precise_enough(values, "a", "higher", target_half_width=0.02) == reached
