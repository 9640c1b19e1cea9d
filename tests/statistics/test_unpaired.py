"""Two runs without common rounds: coverage, false alarms, what must not change the result, and its limits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_ind
from simulated import KINDS, unpaired

from perflab.stats.unpaired import compare_unpaired

if TYPE_CHECKING:
    from perflab.stats.comparison import Comparison

positive = st.floats(1e-3, 1e6).map(lambda x: float(f"{x:.5g}"))
forks = st.lists(positive, min_size=3, max_size=9)
few = settings(max_examples=30)


def one(before: list[float], after: list[float], better: str = "lower", **options: float) -> Comparison:
    return compare_unpaired(before, after, "m", "u", better, **options)  # type: ignore[arg-type]


def noisy(level: float, spread: float, n: int = 12, seed: int = 0) -> list[float]:
    return list(level * np.exp(np.random.default_rng(seed).normal(0, spread, n)))


@few
@given(forks, forks)
def test_the_interval_is_welchs(before: list[float], after: list[float]) -> None:
    if len({*before}) == 1 and len({*after}) == 1:
        return  # no spread: SciPy has no interval there
    found = one(before, after, "higher")
    expected = ttest_ind(np.log(after), np.log(before), equal_var=False).confidence_interval(0.95)
    assert (math.log(found.estimate.low), math.log(found.estimate.high)) == pytest.approx(
        (expected.low, expected.high), abs=1e-9
    )


@few
@given(forks, forks)
def test_swapping_inverts_everything(before: list[float], after: list[float]) -> None:
    there, back = one(before, after), one(after, before)
    assert there.estimate.value == pytest.approx(1 / back.estimate.value)
    assert (there.estimate.low, there.estimate.high) == pytest.approx((1 / back.estimate.high, 1 / back.estimate.low))
    assert there.cliffs_delta == pytest.approx(-back.cliffs_delta)
    assert there.verdict == {"faster": "slower", "slower": "faster"}.get(back.verdict, back.verdict)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_code_rarely_differs_and_is_almost_never_a_regression(kind: str) -> None:
    found = unpaired(kind, 8, worse_by=0.05)
    assert found.excludes_truth <= 0.06
    assert found.regressions <= 0.02


def test_a_real_regression_is_found() -> None:
    assert unpaired("cpu-bound", 8, shift=1.2, worse_by=0.10).regressions >= 0.99


def test_a_change_just_as_large_as_it_may_be_is_not_called_a_regression() -> None:
    assert unpaired("cpu-bound", 15, shift=1.1, worse_by=0.10).regressions <= 0.05


def test_drift_between_runs_is_not_in_the_interval() -> None:
    """Why a saved build is run again where it was kept: no statistics on two runs can know how the machine changed."""
    assert unpaired("cpu-bound", 8, worse_by=0.05, drift=0.03).excludes_truth > 0.3


def test_missing_forks_are_left_out() -> None:
    before, after = noisy(100, 0.1), noisy(90, 0.1, 9, seed=1)
    assert one([*before, math.nan], [math.nan, *after]) == one(before, after)


def test_too_few_forks_give_no_interval_and_no_verdict() -> None:
    found = one([100.0, 101.0], noisy(300, 0.01))
    assert (found.estimate.interval, found.verdict, found.minimum_detectable_effect) == (None, "inconclusive", None)
    assert found.estimate.value == pytest.approx(1 / 3, rel=0.02)
    assert found.flags[0].startswith("too few forks: 2 and 12")


def test_without_any_fork_there_is_nothing_to_say() -> None:
    found = one([math.nan], [1.0, 2.0, 3.0])
    assert (found.estimate, found.verdict) == (None, "inconclusive")


def test_equal_figures_have_no_spread() -> None:
    found = one([912.0] * 5, [1003.2] * 5)
    assert found.estimate.low == found.estimate.high == pytest.approx(1 / 1.1)
    assert any(flag.startswith("no spread") for flag in found.flags)


def test_values_of_zero_are_compared_as_differences() -> None:
    found = one([0.0, 1.0, 0.0, 1.0], [5.0, 6.0, 5.0, 6.0])
    assert (found.scale, found.estimate.value, found.verdict) == ("difference", -5.0, "slower")
    assert found.minimum_detectable_effect is not None


def test_infinite_values_are_refused() -> None:
    with pytest.raises(ValueError, match="infinite"):
        one([1.0, math.inf, 3.0], [1.0, 2.0, 3.0])
