"""Tukey's fences: which forks lie apart. They are classified and shown, never dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MILD_FENCE = 1.5
SEVERE_FENCE = 3.0

# Widens the fences so that values equal up to rounding are not outliers of a zero interquartile range.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Outliers:
    """Rounds (indices) whose value lies beyond a fence: mild 1.5, severe 3 interquartile ranges (Tukey 1977).

    Mild and severe exclude each other.
    """

    low_severe: tuple[int, ...] = ()
    low_mild: tuple[int, ...] = ()
    high_mild: tuple[int, ...] = ()
    high_severe: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """How many forks lie beyond any fence."""
        return len(self.low_severe) + len(self.low_mild) + len(self.high_mild) + len(self.high_severe)


def classify_outliers(values: NDArray[np.float64]) -> Outliers:
    """Classify the values of all rounds; NaN, a missing fork, is in no class."""
    present = values[~np.isnan(values)]
    if not present.size:
        return Outliers()
    lower, upper = np.quantile(present, [0.25, 0.75])
    slack = _ROUNDING * float(np.abs(present).max())
    mild, severe = MILD_FENCE * (upper - lower) + slack, SEVERE_FENCE * (upper - lower) + slack

    def rounds(mask: NDArray[np.bool_]) -> tuple[int, ...]:
        return tuple(int(index) for index in np.flatnonzero(mask))

    return Outliers(
        low_severe=rounds(values < lower - severe),
        low_mild=rounds((values < lower - mild) & (values >= lower - severe)),
        high_mild=rounds((values > upper + mild) & (values <= upper + severe)),
        high_severe=rounds(values > upper + severe),
    )
