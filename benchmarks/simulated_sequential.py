"""Simulated runs that are looked at as they grow: intervals that hold at every look, and rounds until decided.

Run as a program it prints the tables of `docs/measuring.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from simulated import KINDS, simulate, stop_sequentially

from perflab.stats.interval import FIRST_LOOK, GROWTH, lai_half_width, mean_intervals, student_quantile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MAX_ROUNDS = 60
EXPERIMENTS = 1_000
RESAMPLES = 500
FACTORS = (1.0, 1.05, 1.3, 2.0, 5.0)
PUBLISHED = 2.0
PRECISION = 0.01
"""What the presets stop at."""


def looks() -> list[int]:
    """The rounds after which a run under way is looked at."""
    found = [FIRST_LOOK]
    while (following := math.ceil(found[-1] * GROWTH)) <= MAX_ROUNDS:
        found.append(following)
    return found


def student(scores: Floats, rounds: int) -> tuple[Floats, Floats]:
    """Student's interval after so many rounds, made for one look."""
    return _around(scores, rounds, student_quantile(0.975, rounds) / math.sqrt(rounds))


def lai(scores: Floats, rounds: int, first_look: int = FIRST_LOOK) -> tuple[Floats, Floats]:
    """Lai's interval after so many rounds."""
    return _around(scores, rounds, lai_half_width(1.0, rounds, 0.95, first_look))


def _around(scores: Floats, rounds: int, width: float) -> tuple[Floats, Floats]:
    seen = scores[:, :rounds]
    centre, half = seen.mean(axis=1), width * seen.std(axis=1, ddof=1)
    return centre - half, centre + half


def guarded(scores: Floats, rounds: int, resamples: int = RESAMPLES) -> tuple[Floats, Floats]:
    """As `sequential_interval` makes it."""
    low, high = mean_intervals(scores[:, :rounds], resamples=resamples)
    least, most = lai(scores, rounds)
    return np.minimum(low, least), np.maximum(high, most)


def missed_at_some_look(
    kind: str, way: object, at: Iterable[int], *, factor: float = 1.1, experiments: int = EXPERIMENTS, seed: int = 11
) -> float:
    """Share of experiments in which the interval misses the true factor at one look or more."""
    assert callable(way)
    scores = simulate(kind, MAX_ROUNDS, factor=factor, experiments=experiments, seed=seed).scores
    truth, missed = math.log(factor), np.zeros(experiments, dtype=bool)
    for rounds in at:
        low, high = way(scores, rounds)
        missed |= (truth < low) | (high < truth)
    return float(missed.mean())


def words(low: Floats, high: Floats) -> NDArray[np.str_]:
    """The word on a published factor of `PUBLISHED`: band of a quarter of its log, margin of no difference of 5 %."""
    effect, margin = math.log(PUBLISHED), math.log(1.05)
    inside = (0.75 * effect <= low) & (high <= 1.25 * effect)
    outside = (high < 0.75 * effect) | (low > 1.25 * effect)
    refuted = (high < 0) | ((-margin <= low) & (high <= margin))
    return np.select(
        [inside, refuted, outside & (low > 0)], ["reproduced", "refuted", "direction only"], default="undecided"
    )


def right_word(factor: float) -> str:
    """The word on a published factor of `PUBLISHED` if this one is known exactly."""
    return {1.0: "refuted", PUBLISHED: "reproduced"}.get(factor, "direction only")


@dataclass(frozen=True)
class Decided:
    """Mean rounds, and the shares of experiments whose claim was decided, and decided wrongly."""

    rounds: float
    decided: float
    wrong: float

    @classmethod
    def of(cls, rounds: NDArray[np.int64], found: NDArray[np.str_], factor: float) -> Decided:
        decided = found != "undecided"
        return cls(float(rounds.mean()), float(decided.mean()), float((decided & (found != right_word(factor))).mean()))

    def __str__(self) -> str:
        return f"{self.rounds:.1f} | {self.decided:.1%} | {self.wrong:.1%}"


def until_decided(kind: str, factor: float, *, experiments: int = 400, seed: int = 12) -> tuple[Decided, Decided]:
    """Runs that end when their claim is decided, and the same runs to today's precision; both within `MAX_ROUNDS`."""
    scores = simulate(kind, MAX_ROUNDS, factor=factor, experiments=experiments, seed=seed).scores
    stop = np.full(experiments, MAX_ROUNDS)
    found = np.full(experiments, "undecided", dtype="<U16")
    running = np.arange(experiments)
    for rounds in looks():
        now = words(*guarded(scores[running], rounds))
        found[running] = now
        ended = now != "undecided"
        stop[running[ended]] = rounds
        running = running[~ended]
        if not running.size:
            break
    fixed = stop_sequentially(scores, PRECISION, resamples=RESAMPLES, max_rounds=MAX_ROUNDS)
    centre = np.array([row[:rounds].mean() for row, rounds in zip(scores, fixed.rounds, strict=True)])
    told = fixed.no_narrower_than(centre, PRECISION)
    fixed_words = np.where(fixed.rounds < MAX_ROUNDS, words(told.low, told.high), words(fixed.low, fixed.high))
    return Decided.of(stop, found, factor), Decided.of(fixed.rounds, fixed_words, factor)


def tables() -> str:
    """The tables of `docs/measuring.md`."""
    every = range(FIRST_LOOK, MAX_ROUNDS + 1)
    lines = [
        "| forks | holds the truth at all looks | A/A false alarms at any look | the same, Student's |",
        "|---|---|---|---|",
    ]
    for kind in KINDS:
        covered = 1 - missed_at_some_look(kind, guarded, every)
        alarms = missed_at_some_look(kind, guarded, every, factor=1.0, seed=13)
        naive = (
            missed_at_some_look(kind, student, every),
            missed_at_some_look(kind, student, every, factor=1.0, seed=13),
        )
        lines.append(f"| {kind} | {covered:.1%} | {alarms:.1%} | {1 - naive[0]:.1%}, {naive[1]:.1%} |")
    head = "rounds until decided, mean | decided | wrong | rounds to 1 %, mean | decided | wrong"
    lines += ["", f"| forks, true factor | {head} |", f"|---|{'---|' * 6}"]
    for kind in KINDS:
        for factor in FACTORS:
            sequential, fixed = until_decided(kind, factor)
            lines.append(f"| {kind}, {factor:g}x | {sequential} | {fixed} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(tables())
