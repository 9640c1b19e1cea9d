"""Whether a series of rounds remembers: the lag-1 autocorrelation and when it is more than chance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MINIMUM_ROUNDS_FOR_AUTOCORRELATION = 8

_Z_99 = 2.576


def lag1_autocorrelation(values: NDArray[np.float64]) -> float | None:
    """Lag-1 autocorrelation, from -1 to 1; None for too few or constant values."""
    deviations = values - values.mean() if values.size else values
    total = float(deviations @ deviations)
    if values.size < MINIMUM_ROUNDS_FOR_AUTOCORRELATION or np.ptp(values) == 0 or total == 0:
        return None
    return float(deviations[:-1] @ deviations[1:]) / total


def is_autocorrelated(values: NDArray[np.float64]) -> bool:
    """Whether it leaves the 99 % band of independent values: mean -1/n, spread 1/sqrt(n) (Bartlett 1946)."""
    r1 = lag1_autocorrelation(values)
    return r1 is not None and abs(r1 + 1 / values.size) > _Z_99 / math.sqrt(values.size)
