"""A monotone trend, without assuming a shape: Mann and Kendall's test, and Theil and Sen's slope.

The figures are those of `scipy.stats.kendalltau` and `theilslopes`, and tests compare them; computed here for the same
reason as in `bca.py`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_LARGEST_EXACT = 33
"""Values up to which the exact distribution is used if none are tied; the normal one is close enough beyond."""


def trend_p_value(values: Floats) -> float:
    """Two-sided p-value of Mann (1945) and Kendall's (1975) test that the order of the values means nothing.

    Args:
        values: at least two, finite, in the order of time, not all equal.
    """
    from scipy.special import ndtr  # noqa: PLC0415 - SciPy is slow to import

    n = values.size
    earlier, later = np.triu_indices(n, 1)
    rising = int((values[earlier] < values[later]).sum())
    falling = int((values[earlier] > values[later]).sum())
    ties = np.unique(values, return_counts=True)[1]
    if n <= _LARGEST_EXACT and ties.max() == 1:
        return _exact(n, min(rising, falling))
    variance = (_ordered_pairs(n) - _ordered_pairs(ties).sum()) / 18
    return 2 * float(ndtr(-abs(rising - falling) / math.sqrt(variance)))


def theil_sen_slope(times: NDArray[np.intp], values: Floats) -> float:
    """Median slope between all pairs (Sen 1968); the times must differ."""
    earlier, later = np.triu_indices(values.size, 1)
    return float(np.median((values[later] - values[earlier]) / (times[later] - times[earlier])))


def _exact(n: int, inversions: int) -> float:
    """Probability that a random permutation of n has at most so many inversions, or at most so many non-inversions.

    The k-th value is smaller than 0 to k - 1 of those before it, each as likely, independently of the others.
    """
    distribution = np.ones(1)
    for k in range(2, n + 1):
        distribution = np.convolve(distribution, np.full(k, 1 / k))
    return min(1.0, 2 * float(distribution[: inversions + 1].sum()))


def _ordered_pairs(n: int | NDArray[np.intp]) -> NDArray[np.intp]:
    """Kendall's term of the score's variance for n values, or for a group of n tied ones."""
    return np.asarray(n * (n - 1) * (2 * n + 5))
