"""The verdicts on a suite: what the screen suspects, and how seldom unchanged code is blamed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from perflab.stats.comparison import compare
from perflab.stats.suite import ALARMS, FEWEST_ROUNDS, confirmed_confidence, gate_word, screen

THRESHOLD = 0.02


def scores(rng: np.random.Generator, rounds: int, factor: float = 1.0, spread: float = 0.01) -> list[float]:
    """Log ratios with the spikes of a shared machine."""
    noise = rng.normal(0, spread, rounds) + rng.choice([0, 0.3, -0.3], rounds, p=[0.9, 0.05, 0.05])
    return [float(one) for one in noise - math.log(factor)]


def test_the_screen_tells_what_is_clear_from_what_is_suspect() -> None:
    rng = np.random.default_rng(1)
    few = [0.0] * (FEWEST_ROUNDS - 1)
    assert screen(few, few, THRESHOLD).word == "not reached"
    calm, noisy = list(rng.normal(0, 0.002, 12)), list(rng.normal(0, 0.05, 12))
    assert screen(calm, noisy, THRESHOLD).word == "no difference"
    of_some = [one - 0.1 for one in noisy]
    assert screen(calm, of_some, THRESHOLD).word == "suspect", "slower in some samples only"
    slower = screen(scores(rng, 20, 1.1), noisy, THRESHOLD)
    assert slower.word == "suspect"
    assert slower.score is not None
    assert slower.score < 0
    wide = list(rng.normal(0, 0.5, 8))
    assert screen(wide, wide, THRESHOLD).word == "open"


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [(0.9, 0.95, "slower"), (1.05, 1.1, "faster"), (0.99, 1.01, "no difference"), (0.95, 1.01, "undecided")],
)
def test_only_a_whole_interval_beyond_the_threshold_is_a_verdict(low: float, high: float, word: str) -> None:
    rng = np.random.default_rng(2)
    middle, spread = math.sqrt(low * high), math.log(high / low)
    wanted = rng.normal(0, 1, 30)
    wanted = (wanted - wanted.mean()) / wanted.std() * spread * math.sqrt(30) / 6
    values = {"then": [1.0] * 30, "now": [float(one) for one in np.exp(-wanted) / middle]}
    (found,) = compare(values, "then", "time", "ns/op", "lower", confidence=0.95)
    assert gate_word(found, THRESHOLD) == word


def test_unchanged_suites_are_blamed_as_seldom_as_promised() -> None:
    """Sixty unchanged benchmarks on a machine with spikes; the screen's data are not looked at again."""
    rng = np.random.default_rng(3)
    suites, alarms, suspects = 60, 0, 0
    for _ in range(suites):
        found = sum(screen(scores(rng, 12), scores(rng, 12), THRESHOLD).word == "suspect" for _ in range(60))
        suspects += found
        level = confirmed_confidence(found)
        for _ in range(found):
            values = {"then": [1.0] * 20, "now": [math.exp(-one) for one in scores(rng, 20)]}
            (one,) = compare(values, "then", "time", "ns/op", "lower", confidence=level, robust=True)
            alarms += gate_word(one, 0.0) in {"slower", "faster"}
    assert suspects > 0, "the screen of a shared machine suspects some: that is why there is a second stage"
    assert alarms <= 3, f"more than three of {suites} have a probability below 1 % at {ALARMS}"
