"""Whether a variant gets steadily faster or slower over the rounds: a hot machine, a full disk, a new neighbour."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perflab.statistics.trend import theil_sen_slope, trend_p_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVEL = 0.01
SMALLEST_CHANGE = 0.02
"""Relative change over the run; a smaller one is no drift however sure."""

MINIMUM_FORKS = 6
"""With five rounds even a perfect order has p = 2/5! > 0.01."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Trend over the rounds.

    Attributes:
        drifting: the trend is both sure (p < 0.01) and large enough to matter (2 % over the run).
        change: Theil-Sen slope times the length of the run, relative to the median's size; 0.1 is 10 % up.
        p_value: of Mann and Kendall's test of no trend.
    """

    drifting: bool
    change: float
    p_value: float


def drift(values: NDArray[np.float64]) -> Drift | None:
    """Test the values of all rounds, NaN where a fork is missing, for a monotone trend.

    Returns:
        The trend, or None for fewer than `MINIMUM_FORKS` forks, constant values, or a median of zero or so close to it
        that a change relative to it is no number.
    """
    rounds = np.flatnonzero(~np.isnan(values))
    present = values[rounds]
    if rounds.size < MINIMUM_FORKS or np.ptp(present) == 0 or np.median(present) == 0:
        return None
    p_value = trend_p_value(present)
    change = theil_sen_slope(rounds, present) * float(rounds[-1] - rounds[0]) / abs(float(np.median(present)))
    if not math.isfinite(change):
        return None
    return Drift(p_value < LEVEL and abs(change) >= SMALLEST_CHANGE, change, p_value)
