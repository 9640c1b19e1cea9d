"""The interval's invariances, its small-sample correction, and what it does with data that have no spread."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from perflab.stats import interval
from perflab.stats.interval import (
    MOST_RESAMPLED,
    expanded_confidence,
    lai_half_width,
    mean_interval,
    mean_intervals,
    sequential_interval,
)

values = st.lists(st.floats(-1e3, 1e3).map(lambda x: round(x, 6)), min_size=3, max_size=12)
few = settings(max_examples=40)


@pytest.fixture(autouse=True)
def _no_warnings() -> None:
    warnings.simplefilter("error")


def limits(data: list[float], confidence: float = 0.95) -> tuple[float, float]:
    interval = mean_interval(data, confidence, resamples=500)
    assert interval is not None
    return interval.low, interval.high


@few
@given(values)
def test_it_holds_the_mean_and_is_finite(data: list[float]) -> None:
    low, high = limits(data)
    assert math.isfinite(low)
    assert math.isfinite(high)
    assert low <= np.sort(data).mean() <= high


@few
@given(values, st.randoms())
def test_the_order_of_rounds_does_not_matter(data: list[float], random: st.DataObject) -> None:
    shuffled = list(data)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert limits(shuffled) == limits(data)


@few
@given(values)
def test_negating_mirrors_it(data: list[float]) -> None:
    low, high = limits(data)
    assert limits([-x for x in data]) == pytest.approx((-high, -low), rel=1e-9, abs=1e-9)


@few
@given(values, st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
def test_scale_and_shift_carry_over(data: list[float], scale: float, shift: float) -> None:
    # Values that differ by less than a shift's rounding would become equal.
    data = [round(x, 2) for x in data]
    low, high = limits(data)
    moved = limits([scale * x + shift for x in data])
    assert moved == pytest.approx((scale * low + shift, scale * high + shift), rel=1e-6, abs=1e-6 * (scale + 1))


@few
@given(values)
def test_more_confidence_is_wider(data: list[float]) -> None:
    low, high = limits(data, 0.95)
    wider_low, wider_high = limits(data, 0.99)
    assert wider_low <= low
    assert wider_high >= high


@few
@given(values)
def test_it_is_never_narrower_than_students_t(data: list[float]) -> None:
    low, high = limits(data)
    spread = np.std(data, ddof=1) if max(data) > min(data) else 0.0
    student = stats.t.ppf(0.975, len(data) - 1) * spread / math.sqrt(len(data))
    assert high - np.mean(data) >= student * (1 - 1e-9) - 1e-9
    assert np.mean(data) - low >= student * (1 - 1e-9) - 1e-9


def test_it_leans_towards_the_long_tail() -> None:
    data = list(np.random.default_rng(0).exponential(size=40))
    low, high = limits(data)
    assert high - np.mean(data) > 1.1 * (np.mean(data) - low)


def test_a_row_does_not_depend_on_its_neighbours() -> None:
    rows = np.random.default_rng(0).normal(size=(2_000, 9))
    rows[7] = 1.0
    low, high = mean_intervals(rows, resamples=400)
    for row in (0, 7, 1_999):
        alone = mean_interval(rows[row], resamples=400)
        assert alone is not None
        assert (alone.low, alone.high) == pytest.approx((low[row], high[row]), rel=1e-12)


def test_a_large_sample_agrees_with_students_t() -> None:
    data = list(np.random.default_rng(1).normal(10, 1, 400))
    low, high = limits(data)
    reference = stats.ttest_1samp(data, 0).confidence_interval(0.95)
    assert (low, high) == pytest.approx((reference.low, reference.high), abs=0.02)


def test_of_more_values_than_are_resampled_it_is_students_t(monkeypatch: pytest.MonkeyPatch) -> None:
    data = np.random.default_rng(2).exponential(size=MOST_RESAMPLED + 1)
    few = mean_interval(data[1:])
    monkeypatch.delattr(interval, "bca_limits")
    many = mean_interval(data)
    reference = stats.ttest_1samp(data, 0).confidence_interval(0.95)
    assert few is not None
    assert many is not None
    assert (many.low, many.high) == pytest.approx((reference.low, reference.high), rel=1e-12)
    assert few.high - data[1:].mean() > 1.01 * (data[1:].mean() - few.low)
    # Where looks may end a run, its interval stays the one that holds at each of them.
    looked = sequential_interval(data, first_look=6)
    assert looked is not None
    reach = lai_half_width(float(data.std(ddof=1)), data.size, 0.95, 6)
    assert (looked.low, looked.high) == pytest.approx((data.mean() - reach, data.mean() + reach), rel=1e-12)


@pytest.mark.parametrize("n", [3, 5, 30])
@pytest.mark.parametrize("value", [0.0, 0.1, 1e100, -7.0])
def test_equal_values_give_zero_width(n: int, value: float) -> None:
    low, high = limits([value] * n)
    assert low == high == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("data", [[], [1.0], [1.0, 2.0]])
def test_too_few_values_give_no_interval(data: list[float]) -> None:
    assert mean_interval(data) is None


@pytest.mark.parametrize("data", [[1, 1, 2], [0, 0, 0, 0, 0, 0, 1e12], [0, 0, 5e-324], [1, 1, 1 + 1e-16]])
def test_nearly_degenerate_data_stay_finite(data: list[float]) -> None:
    low, high = limits(data)
    assert math.isfinite(low)
    assert math.isfinite(high)
    assert low <= high


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_values_that_are_not_finite_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        mean_interval([1.0, 2.0, bad])


@pytest.mark.parametrize("n", [3, 5, 10, 20, 100])
def test_the_expanded_level_gives_the_bootstrap_of_normal_data_students_reach(n: int) -> None:
    # The bootstrap's standard error divides by n, not n - 1.
    bootstrap_reach = stats.norm.ppf((1 + expanded_confidence(0.95, n)) / 2) * math.sqrt((n - 1) / n)
    assert bootstrap_reach == pytest.approx(stats.t.ppf(0.975, n - 1))


@given(st.integers(3, 200), st.floats(0.5, 0.999))
def test_the_expansion_shrinks_with_the_sample_and_grows_with_the_level(n: int, confidence: float) -> None:
    assert expanded_confidence(confidence, n) >= expanded_confidence(confidence, n + 1) > confidence
    assert expanded_confidence(confidence, n) <= expanded_confidence((1 + confidence) / 2, n)
