"""Outliers, modes, drift and memory: found where they are, and seldom where they are not."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from perflab.stats.diagnostics import changes_within, classify_outliers, diagnose, drift, modality, summarise
from perflab.stats.interval import is_autocorrelated

NAN = math.nan


def share_bimodal(rows: np.ndarray) -> float:
    return float(np.mean([(found := modality(row)) is not None and found.bimodal for row in rows]))


def test_outliers_are_classified_by_tukeys_fences() -> None:
    # Quartiles of the present values 3 and 7: fences at -3 and 13 (mild), -9 and 19 (severe).
    values = np.array([3, 5, 7, NAN, 3, 5, 7, 3, 5, 7, 3, 5, 7, 3, 7, -4.0, -10.0, 14.0, 20.0])
    found = classify_outliers(values)
    assert (found.low_severe, found.low_mild, found.high_mild, found.high_severe) == ((16,), (15,), (17,), (18,))


def test_an_interval_of_times_does_not_reach_below_zero() -> None:
    mean = summarise([1.0, 1.0, 100.0]).mean
    assert mean is not None
    assert mean.low == 0
    below = summarise([-1.0, 1.0, 100.0]).mean
    assert below is not None
    assert below.low is not None
    assert below.low < -1


def test_rounding_is_no_outlier() -> None:
    assert classify_outliers(np.array([0.3] * 9 + [0.1 * 3])).count == 0
    assert classify_outliers(np.array([])).count == 0


@settings(max_examples=50)
@given(st.lists(st.floats(-1e6, 1e6) | st.just(NAN), max_size=30))
@example([0.0, 0.0, 0.0, -1.0, -1.0, -2.0, -5e-324])  # a median that divides to infinity
def test_anything_can_be_diagnosed_and_shown(values: list[float]) -> None:
    found = diagnose(values, "ns")
    assert found.forks == sum(not math.isnan(value) for value in values)
    assert found.outliers.count <= found.forks
    shown = found.to_dict()
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown


@settings(max_examples=30)
@given(st.lists(st.floats(1, 1e3), min_size=8, max_size=20, unique=True), st.sampled_from([0.5, 4.0, 1024.0]))
def test_the_unit_does_not_matter(values: list[float], scale: float) -> None:
    here, there = diagnose(values, "ns"), diagnose([scale * value for value in values], "ns")
    assert here.outliers == there.outliers
    assert (here.modality is None) == (there.modality is None)
    if here.modality and there.modality:
        assert there.modality.separation == pytest.approx(here.modality.separation, rel=1e-6)


def test_two_modes_are_found_and_described() -> None:
    rng = np.random.default_rng(0)
    found = modality(np.concatenate([rng.normal(100, 2, 12), rng.normal(160, 3, 8)]))
    assert found is not None
    assert found.bimodal
    assert found.centres == pytest.approx((100, 160), rel=0.02)
    assert found.upper_share == pytest.approx(0.4)


@pytest.mark.parametrize("n", [8, 15, 30])
@pytest.mark.parametrize("shape", ["normal", "lognormal", "uniform", "exponential", "t3"])
def test_one_mode_is_seldom_taken_for_two(shape: str, n: int) -> None:
    rng = np.random.default_rng(n)
    size = (1_000, n)
    rows = {
        "normal": 100 + rng.normal(size=size),
        "lognormal": np.exp(rng.normal(0, 0.5, size)),
        "uniform": 100 + rng.random(size),
        "exponential": 10 + rng.exponential(size=size),
        "t3": 100 + rng.standard_t(3, size),
    }[shape]
    bound = {"normal": 0.02, "lognormal": 0.02, "t3": 0.02}.get(shape, 0.10)
    assert share_bimodal(rows) <= bound


@pytest.mark.parametrize(("n", "power"), [(10, 0.3), (15, 0.5), (30, 0.8)])
def test_lock_contended_forks_are_found_with_enough_of_them(n: int, power: float) -> None:
    rng = np.random.default_rng(n)
    rows = np.exp(0.42 * (rng.random((400, n)) < 0.5) + rng.normal(0, 0.08, (400, n)))
    assert share_bimodal(rows) >= power


def test_a_lone_outlier_is_no_mode() -> None:
    found = diagnose([*np.random.default_rng(0).normal(100, 1, 19), 200.0], "ns")
    assert found.outliers.high_severe == (19,)
    assert found.modality is not None
    assert not found.modality.bimodal


@pytest.mark.parametrize("values", [[1.0] * 20, [1.0, 2.0] * 3, []])
def test_too_few_or_constant_values_have_no_modes(values: list[float]) -> None:
    assert modality(np.array(values)) is None


def test_drift_is_found_with_its_size() -> None:
    rng = np.random.default_rng(0)
    found = drift(np.linspace(100, 120, 15) + rng.normal(0, 1, 15))
    assert found is not None
    assert found.drifting
    assert found.change == pytest.approx(0.2, abs=0.03)
    assert drift(np.geomspace(1_000, 10, 15)).change == pytest.approx(-0.99), "to a hundredth"
    assert drift(np.linspace(0, 12, 13)).change == pytest.approx(2), "of the median"


def test_a_sure_but_tiny_trend_is_no_drift() -> None:
    found = drift(np.linspace(100, 100.1, 30))
    assert found is not None
    assert found.p_value < 1e-6
    assert not found.drifting


def test_gaps_do_not_bend_a_trend() -> None:
    trend = np.arange(100.0, 120.0)
    holed = trend.copy()
    holed[[3, 4, 5, 11]] = NAN
    assert drift(holed).change == pytest.approx(drift(trend).change, rel=0.02)


def test_drift_is_seldom_seen_in_noise() -> None:
    rows = np.random.default_rng(1).normal(100, 10, (600, 12))
    assert np.mean([drift(row).drifting for row in rows]) <= 0.02


@pytest.mark.parametrize("values", [[1.0] * 10, list(range(1, 6)), [-1.0, 0.0, 1.0] * 3])
def test_no_drift_can_be_told(values: list[float]) -> None:
    assert drift(np.array(values, dtype=float)) is None


def test_memory_is_found_and_seldom_imagined() -> None:
    rng = np.random.default_rng(2)
    assert is_autocorrelated(np.sin(np.arange(30) / 3) + rng.normal(0, 0.1, 30))
    assert is_autocorrelated(np.array([1.0, 2.0] * 10))
    assert np.mean([is_autocorrelated(row) for row in rng.normal(size=(1_000, 15))]) <= 0.02


def test_the_flags_say_what_was_found() -> None:
    rng = np.random.default_rng(3)
    flags = " ".join(diagnose([*rng.normal(100, 0.01, 10), *rng.normal(2e6, 1, 10)], "ns/op").flags)
    assert "bimodal: 50% of the forks near 100 ns/op, 50% near 2.00 ms/op" in flags
    assert "drift: +" in flags
    assert not diagnose(list(rng.normal(100, 1, 12)), "ns").flags
    with pytest.raises(ValueError, match="infinite"):
        diagnose([math.inf], "ns")


def test_a_figure_that_changes_within_processes_is_found_and_noise_is_not() -> None:
    rng = np.random.default_rng(5)

    def share_found(change: float, trials: int = 2000) -> float:
        level = rng.normal(100, 10, (trials, 8))
        first, last = (level + rng.normal(0, 10, level.shape) for _ in range(2))
        return float(np.mean([changes_within(one, two) for one, two in zip(first, last * (1 + change), strict=True)]))

    assert share_found(0) < 0.015
    assert share_found(0.5) > 0.95


@pytest.mark.parametrize(
    ("first", "last", "changes"),
    [
        ([0.0] * 6, [0.0] * 6, False),
        ([0.0] * 6, [1.0, 1.1, 1.0, 0.9, 1.0, 1.2], True),
        ([100.0] * 6, [91.0] * 6, False),
        ([100.0] * 6, [90.0] * 6, True),
        ([100.0] * 5, [50.0] * 5, False),
        ([1e308] * 6, [-1e308] * 6, False),
    ],
)
def test_a_change_within_processes_is_of_ten_per_cent_and_six_of_them(
    first: list[float], last: list[float], *, changes: bool
) -> None:
    assert changes_within(first, last) is changes
