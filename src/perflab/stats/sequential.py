"""Intervals that hold at every look, so that a run may end as soon as they decide a claim.

An interval made for one look misses far more often than its level says if one looks after each round and stops when it
pleases. Lai's (1976) confidence sequence for a normal mean of unknown variance holds the mean at all looks from a first
one on together, with the probability of its level, whatever the schedule of looks and the reason for stopping; Wang and
Ramdas (2025) derive it anew. `docs/measuring.md` has its coverage on forks that are not normal.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from perflab.stats.interval import CONFIDENCE, mean_interval, student_outside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from perflab.stats.interval import Interval


FIRST_LOOK = 6
"""No earlier first look: beginning at three values widens all later intervals by a sixth."""

GROWTH = 1.1
"""By how much a run's rounds have grown between two looks: each reads and judges the whole run."""

_LEAST = 2
"""One value has no spread to look at."""


def lai_half_width(sd: float, n: int, confidence: float, first_look: int) -> float:
    """Half width of Lai's confidence sequence at `n` values, in the unit of `sd`.

    With s of divisor n it is `s sqrt((b n)^(1/n) - 1)`, where `b = (1 + a^2/(m-1))^m / m` and `a` solves
    `2 (1 - F(a) + a f(a)) = 1 - confidence`; F and f are Student's t on m - 1 degrees of freedom.

    `sd` has the divisor n - 1, and m is `first_look`, from 2 to n.
    """
    grown = (_log_b(confidence, first_look) + math.log(n)) / n
    return sd * math.sqrt((n - 1) / n * math.expm1(grown))


@cache
def _log_b(confidence: float, first_look: int) -> float:
    """The logarithm of Lai's b."""
    m, freedom = first_look, first_look - 1
    density_at_0 = math.exp(math.lgamma(m / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)

    def excess(log_a: float) -> float:
        a = math.exp(log_a)
        density = density_at_0 * (1 + a * a / freedom) ** (-m / 2)
        return float(student_outside(a, m) + 2 * a * density - (1 - confidence))

    # Bisection, for `excess` falls and has one root here: SciPy's `optimize` takes longer to import than all the rest.
    low, high = math.log(1e-6), math.log(1e12)
    while low < (log_a := (low + high) / 2) < high:
        low, high = (log_a, high) if excess(log_a) > 0 else (low, log_a)
    return m * math.log1p(math.exp(2 * log_a) / freedom) - math.log(m)


def sequential_interval(
    values: Sequence[float] | NDArray[np.float64], confidence: float = CONFIDENCE, *, first_look: int
) -> Interval | None:
    """`mean_interval`, never narrower than Lai's if looks began at `first_look` values.

    Without looks, below 2, and before the first one it is `mean_interval`: a run that ended there did so by its budget,
    which has not seen a value.
    """
    row = np.asarray(values, dtype=float)
    interval = mean_interval(row, confidence)
    if interval is None or not _LEAST <= first_look <= row.size:
        return interval
    ordered = np.sort(row)
    return interval.at_least(
        float(ordered.mean()), lai_half_width(float(ordered.std(ddof=1)), row.size, confidence, first_look)
    )
