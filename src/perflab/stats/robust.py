"""The interval for *which of these two is faster* where the spread comes from the machine: Hodges and Lehmann's (1963).

The estimate is the median of the means of all pairs of scores; the interval holds all shifts that Wilcoxon's signed
ranks do not reject (Hollander, Wolfe and Chicken 2014, section 3.2). It needs scores that are symmetric around the
truth and nothing else. Paired scores are, if what disturbs the machine hits both processes alike. Spikes then cost it
little, where they widen the mean's interval without end.

A slow mode of one of the two is no disturbance but a result, and its scores lean to one side. The rule, which stands
before the data: of `LEAST_ROUNDS` and more this interval, unless scores far from the middle are surely one-sided; else
the mean's; both where that is in doubt. docs/measuring.md has its coverage.
"""

from __future__ import annotations

import functools
import math
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from perflab.stats.arrays import np
from perflab.stats.interval import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


LEAST_ROUNDS = 12
"""With fewer rounds the mean's interval is narrower even of normal scores."""

_FAR = 3.0
"""Standard deviations from the median, as estimated from the median absolute deviation."""
_OF_NORMAL = 1.4826

_DOUBTFUL, _SURE = 0.125, 0.01
"""Probability of so one-sided a split of far scores by chance: of four to none, and less than that of seven to none."""

_EXACT = 60
"""Rounds up to which the distribution of signed ranks is worked out."""


class Far(NamedTuple):
    """Numbers of scores far below and above the median."""

    below: int
    above: int

    @property
    def _by_chance(self) -> float:
        n = self.below + self.above
        return float(2 * sum(math.comb(n, k) for k in range(min(self) + 1)) / 2**n)

    @property
    def one_sided(self) -> bool:
        """Whether they may be too one-sided for disturbances that hit both processes alike."""
        return self._by_chance <= _DOUBTFUL

    @property
    def surely_one_sided(self) -> bool:
        """Whether they are."""
        return self._by_chance <= _SURE


def far_scores(scores: Floats) -> Far:
    """Count the scores that are far from their median."""
    deviations = scores - np.median(scores)
    far = _FAR * _OF_NORMAL * float(np.median(np.abs(deviations)))
    return Far(int((deviations < -far).sum()), int((deviations > far).sum())) if far else Far(0, 0)


def hodges_lehmann(scores: Floats, confidence: float) -> tuple[float, Interval] | None:
    """Return the estimate and its interval; `None` for too few scores to reach the confidence."""
    n = scores.size
    rank = _rank(n, confidence)
    if rank == 0:
        return None
    first, second = np.triu_indices(n)
    means = np.sort((scores[first] + scores[second]) / 2)
    return float(np.median(means)), Interval(float(means[rank - 1]), float(means[-rank]), confidence)


@functools.cache
def _rank(n: int, confidence: float) -> int:
    """Return the largest rank that signed ranks fall below with at most half of what the confidence leaves."""
    outside = (1 - confidence) / 2
    if n > _EXACT:
        mean, sd = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return max(math.floor(mean + 0.5 + NormalDist().inv_cdf(outside) * sd), 0)
    ways = np.ones(1)
    for one in range(1, n + 1):  # each rank counts or does not
        ways = np.pad(ways, (0, one)) + np.pad(ways, (one, 0))
    return int(np.searchsorted(np.cumsum(ways) / 2.0**n, outside, side="right"))
