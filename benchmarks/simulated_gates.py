"""Simulated gates: how often one that judges many metrics cries wolf, and what it finds.

Run as a program it prints the table of `docs/history.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from simulated import KINDS

from perflab.stats.comparison import simultaneous_confidence
from perflab.stats.interval import mean_intervals

if TYPE_CHECKING:
    from simulated import Floats

EXPERIMENTS = 500
RESAMPLES = 500
VERDICTS = 12
ROUNDS = 8
THRESHOLD = 0.05


@dataclass(frozen=True)
class Gates:
    """Many gates, each with the intervals of its verdicts: log improvement factors, a row per gate.

    Attributes:
        low: Lower ends.
        high: Upper ends.
    """

    low: Floats
    high: Floats

    @property
    def regressions(self) -> Floats:
        """Which verdicts are regressions."""
        return np.asarray(self.high < -math.log1p(THRESHOLD), dtype=float)

    @property
    def inconclusive(self) -> Floats:
        """Which verdicts leave the threshold open."""
        return np.asarray((self.high >= -math.log1p(THRESHOLD)) & (self.low < -math.log1p(THRESHOLD)), dtype=float)


def gates(
    kind: str, worse_by: float = 0.0, *, experiments: int = EXPERIMENTS, confidence: float | None = None
) -> Gates:
    """Gates in which every metric is truly worse by `worse_by`; the metrics do not depend on each other.

    Args:
        kind: How forks differ.
        worse_by: 0.05 for 1.05 times the time.
        experiments: How many gates.
        confidence: Of each interval; without it, that with which all of a gate hold together with 95 %.
    """
    rng = np.random.default_rng([7, len(kind)])
    shape = (experiments * VERDICTS, ROUNDS)
    scores = KINDS[kind](rng, shape) - KINDS[kind](rng, shape) - math.log1p(worse_by)
    level = simultaneous_confidence(0.95, VERDICTS) if confidence is None else confidence
    low, high = mean_intervals(scores, level, resamples=RESAMPLES)
    return Gates(low.reshape(experiments, VERDICTS), high.reshape(experiments, VERDICTS))


def main() -> None:
    heads = (
        "forks",
        "any regression, nothing changed",
        "any, all worse by exactly 5 %",
        "found, worse by 20 %",
        "inconclusive, nothing changed",
        "any of 12 plain 95 % intervals below 1",
    )
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for kind in KINDS:
        same, at_threshold, worse = gates(kind), gates(kind, THRESHOLD), gates(kind, 0.20)
        plain = gates(kind, confidence=0.95)
        shares = [
            same.regressions.any(axis=1).mean(),
            at_threshold.regressions.any(axis=1).mean(),
            worse.regressions.mean(),
            same.inconclusive.mean(),
            (plain.high < 0).any(axis=1).mean(),
        ]
        print(f"| {kind} | " + " | ".join(f"{share:.1%}" for share in shares) + " |")


if __name__ == "__main__":
    main()
