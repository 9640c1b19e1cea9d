"""The minimum detectable effect, checked against experiments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulated import RESAMPLES

from perflab.stats.comparison import detectable_shift
from perflab.stats.interval import mean_intervals

spreads = st.floats(1e-4, 2.0)


@given(spreads, st.integers(3, 300))
def test_more_rounds_detect_smaller_effects(log_sd: float, n: int) -> None:
    assert detectable_shift(log_sd, n + 1) < detectable_shift(log_sd, n)


@given(spreads, st.integers(3, 300))
def test_more_spread_more_confidence_and_more_power_need_larger_effects(log_sd: float, n: int) -> None:
    effect = detectable_shift(log_sd, n)
    assert detectable_shift(log_sd * 1.1, n) > effect
    assert detectable_shift(log_sd, n, confidence=0.99) > effect
    assert detectable_shift(log_sd, n, power=0.9) > effect


@pytest.mark.parametrize("n", [8, 20])
def test_the_effect_is_found_about_four_times_in_five(n: int) -> None:
    effect = detectable_shift(0.05, n)
    scores = np.random.default_rng(n).normal(effect, 0.05, (2_000, n))
    low, _ = mean_intervals(scores, resamples=RESAMPLES)
    # The guard makes the interval a little wider than the Student's t that the formula assumes.
    assert 0.75 <= np.mean(low > 0) <= 0.84


def test_without_spread_every_effect_is_detectable() -> None:
    assert detectable_shift(0.0, 5) == 0.0
