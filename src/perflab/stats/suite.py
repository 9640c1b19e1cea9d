"""Judge a suite of benchmarks in two stages: a cheap screen of all, then fresh data of those that it suspects.

A suite of two hundred benchmarks that did not change has ten "significant" ones at 95 %. Here the screen only chooses
what is measured again: none of its data enter the confirmation. Whatever it chose, each of the m confirmations of an
unchanged benchmark alarms with a probability of at most `ALARMS` / m (Bonferroni), so that a whole run of unchanged
code alarms with at most `ALARMS`. Only what the screen overlooks is its own: a loss of power, not a false alarm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from perflab.stats.arrays import np
from perflab.stats.comparison import score_and_interval, simultaneous_confidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.stats.comparison import Comparison
    from perflab.stats.interval import Interval


ALARMS = 0.01
"""The most probable a false alarm may be, of any benchmark of a suite."""

FEWEST_ROUNDS = 5
"""With fewer rounds in the screen a benchmark counts as not reached."""

_SCREENED = 0.99
"""Confidence of the screen's intervals; looked at again and again, so more than 95 %."""

ScreenWord = Literal["not reached", "no difference", "suspect", "open"]
GateWord = Literal["slower", "faster", "no difference", "undecided"]


@dataclass(frozen=True)
class Screened:
    """What the screen says of a benchmark.

    Attributes:
        rounds: Number of paired rounds.
        score: Log ratio; above 0 the new one is better. `None` without rounds.
        interval: Of the score.
        word: `suspect` if the whole interval is on one side of 0, `no difference` if it is within the threshold.
    """

    rounds: int
    score: float | None
    interval: Interval | None
    word: ScreenWord

    @property
    def suspicion(self) -> float:
        """How far the score is from 0, in half widths of its interval."""
        if self.score is None or self.interval is None:
            return 0.0
        return abs(self.score) / max(self.interval.half_width, 1e-9)


def screen(best: Sequence[float], means: Sequence[float], threshold: float) -> Screened:
    """Judge a benchmark by the log ratios of its rounds.

    Args:
        best: Of each process its fastest sample. What disturbs a machine hits some samples of a process and seldom all,
            so that this tells a change of the program with a tenth of the rounds.
        means: Of each process the mean, which alone shows what happens in some samples only.
        threshold: The share that does not matter, 0.02 for 2 %.
    """
    if len(best) < FEWEST_ROUNDS:
        return Screened(len(best), None, None, "not reached")
    score, interval = score_and_interval(np.asarray(best, dtype=float), _SCREENED, robust=True)
    _, of_means = score_and_interval(np.asarray(means, dtype=float), _SCREENED, robust=True)
    word: ScreenWord = "open"
    if interval is not None and of_means is not None:
        margin = math.log1p(threshold)
        if of_means.low > 0 or of_means.high < 0:
            word = "suspect"
        elif interval.low >= -margin and interval.high <= margin:
            word = "no difference"
        elif interval.low > 0 or interval.high < 0:
            word = "suspect"
    return Screened(len(best), score, interval, word)


def is_suspect(found: Screened, threshold: float) -> bool:
    """Whether to confirm a benchmark: a suspect, or one that looks like more than the threshold when time is up."""
    beyond = found.word == "open" and found.score is not None and abs(found.score) > math.log1p(threshold)
    return found.word == "suspect" or beyond


def confirmed_confidence(confirmations: int) -> float:
    """Return the level of each confirmation's interval, with which all of a suite hold together."""
    return simultaneous_confidence(1 - ALARMS, confirmations)


def gate_word(comparison: Comparison, threshold: float) -> GateWord:
    """Return the verdict of a confirmation: `slower` or `faster` if the whole interval is beyond the threshold."""
    if comparison.estimate is None or comparison.estimate.interval is None or comparison.scale != "ratio":
        return "undecided"
    low, high = comparison.estimate.interval
    if high < 1 / (1 + threshold):
        return "slower"
    if low > 1 + threshold:
        return "faster"
    return "no difference" if low >= 1 / (1 + threshold) and high <= 1 + threshold else "undecided"
