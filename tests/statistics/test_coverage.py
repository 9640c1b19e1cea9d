"""Simulated experiments with a known truth: does a 95 % interval hold it 95 % of the time?

`python benchmarks/simulated.py` prints the figures behind these bounds.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import bootstrap
from simulated import ROUNDS, STOPPING_TARGETS, coverage, false_alarms, sequential, simulate, stop_sequentially

from perflab.stats.comparison import compare
from perflab.stats.interval import DEFAULT_RESAMPLES
from perflab.stats.precision import MINIMUM_ROUNDS_TO_STOP, precise_enough

pytestmark = pytest.mark.long

KINDS = ("cpu-bound", "lock-contended")


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_interval_covers_the_truth(kind: str, rounds: int) -> None:
    assert 0.92 <= coverage(kind, rounds) <= 0.98


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("kind", KINDS)
def test_identical_variants_rarely_differ(kind: str, rounds: int) -> None:
    assert false_alarms(kind, rounds) <= 0.06


def test_corrected_intervals_cover_at_their_own_level() -> None:
    # Four candidates; the level that BCa alone cannot reach with five forks, as no resample leaves [min, max].
    assert 0.975 <= coverage("cpu-bound", 5, confidence=0.9875) <= 0.997


def test_skewed_modes_and_disturbances_are_covered_too() -> None:
    assert min(coverage("rare slow mode", 8), coverage("rare slow mode", 30), coverage("spikes", 15)) >= 0.94


def test_bca_alone_would_not_do() -> None:
    """Why the guard exists: with few forks the textbook interval is wrong about twice as often as it says."""
    runs = simulate("cpu-bound", 5, experiments=1_000)
    result = bootstrap((runs.scores,), np.mean, axis=-1, n_resamples=1_000, rng=np.random.default_rng(0))
    low, high = result.confidence_interval
    truth = math.log(runs.factor)
    assert np.mean((low <= truth) & (truth <= high)) < 0.90


@pytest.mark.parametrize(("kind", "target"), [(kind, targets[0]) for kind, targets in STOPPING_TARGETS.items()])
def test_stopping_at_a_precision_keeps_coverage_and_false_alarms(kind: str, target: float) -> None:
    real = sequential(kind, target, factor=1.1)
    null = sequential(kind, target, factor=1.0, seed=4)
    assert 9 < real.mean_rounds < 25  # the rule decided, neither the minimum nor the maximum
    assert 0.92 <= real.naive <= 0.98
    assert real.corrected >= 0.94
    assert 1 - null.corrected <= 0.06


def test_stopping_at_significance_would_not_do() -> None:
    """What the rule avoids: looking after each round until something shows."""
    scores = simulate("cpu-bound", 30, factor=1.0, experiments=1_000, seed=5).scores
    seen = np.arange(MINIMUM_ROUNDS_TO_STOP, 31)
    means = np.cumsum(scores, axis=1)[:, seen - 1] / seen
    errors = np.stack([scores[:, :n].std(axis=1, ddof=1) / math.sqrt(n) for n in seen], axis=1)
    assert np.mean((np.abs(means) > 2.1 * errors).any(axis=1)) > 0.12


def test_the_simulated_rule_is_that_of_the_runner() -> None:
    target = 0.012
    runs = simulate("cpu-bound", 20, experiments=6, seed=6)
    simulated = stop_sequentially(runs.scores, target, resamples=DEFAULT_RESAMPLES, max_rounds=20)
    for row in range(len(runs.baseline)):
        rounds = next(
            (
                n
                for n in range(1, 21)
                if precise_enough(
                    {"old": list(runs.baseline[row, :n]), "new": list(runs.candidate[row, :n])},
                    "old",
                    "higher",
                    target_half_width=target,
                )
            ),
            20,
        )
        assert rounds == simulated.rounds[row]
        values = {"old": list(runs.baseline[row, :rounds]), "new": list(runs.candidate[row, :rounds])}
        result = compare(values, "old", "m", "u", "higher")[0]
        assert math.log(result.estimate.low) == pytest.approx(simulated.low[row], abs=1e-9)
        assert math.log(result.estimate.high) == pytest.approx(simulated.high[row], abs=1e-9)
