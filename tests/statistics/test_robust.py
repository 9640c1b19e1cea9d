"""The interval where the spread comes from the machine."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulated import simulate

from perflab.stats.comparison import compare, score_and_interval
from perflab.stats.interval import mean_interval
from perflab.stats.precision import precise_enough
from perflab.stats.robust import LEAST_ROUNDS, far_scores, hodges_lehmann

NOISE = np.random.default_rng(3).normal(0, 0.01, 40)


def spiked(*spikes: float) -> np.ndarray:
    return np.concatenate([NOISE, spikes])


@pytest.mark.parametrize(
    ("n", "rank"),
    # Hollander, Wolfe and Chicken 2014, table A.4: the upper 2.5 % of signed ranks, as n (n + 1) / 2 + 1 less the rank.
    [(6, 1), (8, 4), (10, 9), (12, 14), (15, 26), (20, 53)],
)
def test_the_interval_is_that_of_wilcoxons_test(n: int, rank: int) -> None:
    scores = 2.0 ** np.arange(n)  # no two pairs have one mean
    found = hodges_lehmann(scores, 0.95)
    assert found is not None
    means = sorted((one + other) / 2 for i, one in enumerate(scores) for other in scores[i:])
    assert (found[1].low, found[1].high) == (means[rank - 1], means[-rank])
    assert found[0] == np.median(means)


def test_of_many_rounds_it_is_nearly_the_same_by_the_normal_distribution() -> None:
    scores = np.random.default_rng(4).normal(0, 1, 61)
    exact, approximate = (hodges_lehmann(scores[:n], 0.95) for n in (60, 61))
    assert exact is not None
    assert approximate is not None
    assert 0.9 < approximate[1].half_width / exact[1].half_width < 1.1


def test_too_few_scores_reach_no_confidence() -> None:
    assert hodges_lehmann(np.arange(5.0), 0.95) is None
    assert hodges_lehmann(np.arange(6.0), 0.99) is None


def test_spikes_on_both_sides_hardly_widen_it() -> None:
    scores = spiked(1, -2, 1.5, -1)
    _, robust = score_and_interval(scores, 0.95, robust=True)
    _, mean = score_and_interval(scores, 0.95)
    assert robust is not None
    assert mean is not None
    assert robust.half_width < 0.1 * mean.half_width
    assert mean == mean_interval(scores)


def test_a_mode_of_one_of_the_two_stays_in_the_mean() -> None:
    scores = spiked(*[0.5] * 8)
    assert far_scores(scores).surely_one_sided
    score, interval = score_and_interval(scores, 0.95, robust=True)
    assert score == pytest.approx(scores.mean())
    assert interval == mean_interval(scores)
    (found,) = compare({"a": list(np.exp(scores)), "b": [1.0] * 48}, "a", "time", "ns", "lower", robust=True)
    assert "one-sided: 8 of 48 rounds are far off, 8 of them to one side" in found.flags[0]


def test_where_that_is_in_doubt_the_interval_holds_both() -> None:
    scores = spiked(*[0.5] * 4)
    _, interval = score_and_interval(scores, 0.95, robust=True)
    mean, shift = mean_interval(scores), hodges_lehmann(scores, 0.95)
    assert interval is not None
    assert mean is not None
    assert shift is not None
    assert (interval.low, interval.high) == (min(mean.low, shift[1].low), max(mean.high, shift[1].high))
    assert interval.half_width > max(mean.half_width, shift[1].half_width)


def test_few_rounds_and_other_questions_keep_the_mean() -> None:
    few = spiked(1, -2)[-(LEAST_ROUNDS - 1) :]
    assert score_and_interval(few, 0.95, robust=True)[1] == mean_interval(few)


def test_a_run_ends_by_the_interval_that_it_will_have() -> None:
    values = {"a": list(np.exp(spiked(1, -1, 2, -2))), "b": [1.0] * 44}
    assert precise_enough(values, "a", "lower", target_half_width=0.01, robust=True)
    assert not precise_enough(values, "a", "lower", target_half_width=0.01)


@given(st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=LEAST_ROUNDS, max_size=30))
def test_swapping_the_two_inverts_it(values: list[float]) -> None:
    scores = np.array(values)
    (one, interval), (other, mirrored) = (score_and_interval(each, 0.95, robust=True) for each in (scores, -scores))
    assert interval is not None
    assert mirrored is not None
    assert one == pytest.approx(-(other or 0.0))
    assert (interval.low, interval.high) == pytest.approx((-mirrored.high, -mirrored.low))


@pytest.mark.parametrize("kind", ["cpu-bound", "lock-contended", "rare slow mode", "spikes"])
def test_it_covers_the_truth(kind: str) -> None:
    runs = simulate(kind, 15, factor=1.1, experiments=400, seed=7)
    found = [score_and_interval(row, 0.95, robust=True)[1] for row in runs.scores]
    truth = math.log(runs.factor)
    assert 0.92 <= np.mean([one is not None and one.low <= truth <= one.high for one in found]) <= 0.99
