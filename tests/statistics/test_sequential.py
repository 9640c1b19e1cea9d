"""Intervals that hold at every look: `python benchmarks/simulated_sequential.py` has the figures behind this."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t as students_t
from simulated import KINDS, simulate
from simulated_sequential import (
    FIRST_LOOK,
    MAX_ROUNDS,
    guarded,
    lai,
    looks,
    missed_at_some_look,
    student,
    until_decided,
    words,
)

from perflab.stats.comparison import compare
from perflab.stats.diagnostics import summarise
from perflab.stats.interval import DEFAULT_RESAMPLES, lai_half_width, mean_interval, sequential_interval

EVERY = range(FIRST_LOOK, MAX_ROUNDS + 1)


@pytest.mark.parametrize("first_look", [2, 6, 12])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_at_the_first_look_it_is_students_with_what_later_looks_cost(first_look: int, confidence: float) -> None:
    a = lai_half_width(1.0, first_look, confidence, first_look) * math.sqrt(first_look)
    law = students_t(first_look - 1)
    assert 2 * (law.sf(a) + a * law.pdf(a)) == pytest.approx(1 - confidence, rel=1e-6)


def test_later_looks_narrow_it_nearly_as_the_root_of_the_rounds() -> None:
    widths = [lai_half_width(1.0, n, 0.95, FIRST_LOOK) for n in (FIRST_LOOK, 10, 30, 100, 1000)]
    assert widths == sorted(widths, reverse=True)
    assert widths[-2] / widths[-1] == pytest.approx(math.sqrt(10), rel=0.15)


@pytest.mark.long
@pytest.mark.parametrize("factor", [1.0, 1.1])
@pytest.mark.parametrize("kind", KINDS)
def test_it_holds_the_truth_at_all_looks_together(kind: str, factor: float) -> None:
    # Lai's alone: what the skewness of a sample adds can only make it hold more.
    assert missed_at_some_look(kind, lai, EVERY, factor=factor, experiments=2_000) <= 0.05


@pytest.mark.parametrize("kind", KINDS)
def test_an_interval_made_for_one_look_would_not_do(kind: str) -> None:
    assert missed_at_some_look(kind, student, EVERY, factor=1.0, experiments=2_000) > 0.12


def test_the_simulated_interval_is_that_of_the_lab() -> None:
    scores = simulate("rare slow mode", MAX_ROUNDS, experiments=4, seed=8).scores
    for rounds in (6, 7, 25, 60):
        low, high = guarded(scores, rounds, DEFAULT_RESAMPLES)
        for row, least, most in zip(scores, low, high, strict=True):
            found = sequential_interval(row[:rounds], first_look=FIRST_LOOK)
            assert found is not None
            assert (found.low, found.high) == pytest.approx((least, most), abs=1e-12)


def test_without_looks_and_before_the_first_one_it_is_the_interval_of_one_look() -> None:
    row = simulate("rare slow mode", 9, experiments=1, seed=8).scores[0]
    for first_look in (-1, 0, 1, 10):
        assert sequential_interval(row, first_look=first_look) == mean_interval(row)
    assert sequential_interval(row, first_look=9) != mean_interval(row)
    assert sequential_interval(row[:2], first_look=2) is None


def test_what_does_not_vary_keeps_a_width_of_zero() -> None:
    found = sequential_interval([2.0] * 8, first_look=6)
    assert found is not None
    assert found.half_width == 0


def test_comparisons_and_summaries_of_a_run_with_looks_are_wider() -> None:
    rng = np.random.default_rng(3)
    values = {name: list(np.exp(rng.normal(0, 0.1, 12))) for name in "ab"}
    once, looked = (compare(values, "a", "m", "u", "lower", sequential=first)[0].estimate for first in (0, 6))
    assert looked.low < once.low < once.high < looked.high
    assert looked.value == once.value
    alone, often = (summarise(values["a"], sequential=first).mean for first in (0, 6))
    assert often.low < alone.low < alone.high < often.high


def test_looks_are_a_tenth_of_the_rounds_apart() -> None:
    assert looks()[:7] == [6, 7, 8, 9, 10, 11, 13]
    assert looks()[-1] == 57


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.53, 0.86, "reproduced"),
        (0.51, 0.86, "undecided"),
        (0.01, 0.51, "direction only"),
        (0.90, 1.10, "direction only"),
        (-0.01, 0.51, "undecided"),
        (-0.30, -0.01, "refuted"),
        (-0.04, 0.04, "refuted"),
    ],
)
def test_the_simulated_words(low: float, high: float, word: str) -> None:
    assert words(np.array([low]), np.array([high])).tolist() == [word]


@pytest.mark.long
@pytest.mark.parametrize(("kind", "factor"), [("lock-contended", 1.3), ("spikes", 2.0), ("cpu-bound", 1.0)])
def test_deciding_takes_fewer_rounds_than_precision_and_is_hardly_ever_wrong(kind: str, factor: float) -> None:
    sequential, fixed = until_decided(kind, factor, experiments=60)
    assert sequential.decided >= 0.95
    assert sequential.wrong <= 0.05
    assert sequential.rounds < 0.6 * fixed.rounds
