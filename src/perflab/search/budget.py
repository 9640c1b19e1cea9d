"""What a search may spend, in trials or in time, and what is left of it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perflab.search.result import Ended

CONFIRMED = 3
"""So many of the best are measured again."""

CONFIRMING_ROUNDS = 2
"""A setting that is to be believed gets so many times the rounds of a trial."""

_CONFIRMATION = CONFIRMING_ROUNDS * (CONFIRMED + 1) / 2
"""The confirmation's length in trials, which have two arms."""


@dataclass(frozen=True)
class Budget:
    """When to stop: at least one of them. `seconds` includes the confirmation."""

    trials: int | None = None
    seconds: float | None = None


class Spending:
    """Adds up what a search has spent; its clock runs from the start."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.trials = 0
        self._begun = time.monotonic()
        self._trials_s = 0.0

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._begun

    def trial(self, seconds: float) -> None:
        """Count a trial that took so long."""
        self.trials += 1
        self._trials_s += seconds

    def spent(self) -> Ended | None:
        """Which of the two allows no further trial, if one does not; the first trial is always allowed."""
        if self.budget.trials is not None and self.trials >= self.budget.trials:
            return "trials"
        if self.budget.seconds is None or not self.trials:
            return None
        return "minutes" if self.elapsed + (1 + _CONFIRMATION) * self._mean > self.budget.seconds else None

    def done(self, more: int = 0) -> float:
        """How much of the budget is spent once so many more trials are over, 0 to 1."""
        shares = [0.0]
        if self.budget.trials is not None:
            shares.append((self.trials + more) / (self.budget.trials + _CONFIRMATION))
        if self.budget.seconds is not None:
            shares.append((self.elapsed + more * self._mean) / self.budget.seconds)
        return min(max(shares), 0.99)

    def left(self) -> float | None:
        """Seconds that are left of the whole, at the rate until now; `None` before the first trial."""
        left = []
        if self.budget.seconds is not None:
            left.append(self.budget.seconds - self.elapsed)
        if self.budget.trials is not None and self.trials:
            left.append((self.budget.trials - self.trials + _CONFIRMATION) * self._mean)
        return max(min(left), 0.0) if left else None

    @property
    def text(self) -> str:
        """As in `trial 3 of 20, 41 of 120 s`, of the trial that comes next."""
        of = f" of {self.budget.trials}" if self.budget.trials is not None else ""
        spent = f", {self.elapsed:.0f} of {self.budget.seconds:.0f} s" if self.budget.seconds is not None else ""
        return f"trial {self.trials + 1}{of}{spent}"

    @property
    def _mean(self) -> float:
        return self._trials_s / self.trials if self.trials else 0.0
