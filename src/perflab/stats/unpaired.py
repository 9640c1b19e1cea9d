"""Compare a variant between two runs that were not interleaved and have no rounds in common.

The forks of the two runs are independent and cannot be paired: the interval is Welch's (1947), on the log values, with
the degrees of freedom of Satterthwaite (1946). It covers variation between forks, but not between runs: the drift of a
shared machine is in neither run's spread.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from perflab.stats.arrays import np
from perflab.stats.comparison import DEFAULT_POWER, SMALL_SAMPLE, Comparison, Effect, conclude, direction
from perflab.stats.interval import CONFIDENCE, MINIMUM_ROUNDS, Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from perflab.model.protocol import Better
    from perflab.stats.comparison import Scale

    Floats = NDArray[np.float64]


def compare_unpaired(
    baseline: Sequence[float],
    candidate: Sequence[float],
    metric: str,
    unit: str,
    better: Better,
    *,
    labels: tuple[str, str] = ("before", "after"),
    confidence: float = CONFIDENCE,
    target_half_width: float | None = None,
) -> Comparison:
    """Compare the forks of two runs, as `compare` does for one run.

    The numbers of forks may differ, and `rounds` of the result is the smaller one; NaN where a fork is missing.
    """
    return conclude(
        _effect(_present(baseline), _present(candidate), direction(better), confidence),
        labels,
        metric,
        unit,
        better,
        confidence=confidence,
        target_half_width=target_half_width,
    )


def _present(values: Sequence[float]) -> Floats:
    forks = np.asarray(values, dtype=float)
    if np.isinf(forks).any():
        raise ValueError("a fork's value is infinite; a missing fork is NaN")
    return np.sort(forks[~np.isnan(forks)])


def _effect(theirs: Floats, ours: Floats, sign: int, confidence: float) -> Effect:
    """Return the difference of two mean scores, with Welch's error."""
    from scipy.special import stdtrit  # noqa: PLC0415 - SciPy is slow to import

    fewest = min(theirs.size, ours.size)
    scale: Scale = "ratio" if (ours > 0).all() and (theirs > 0).all() else "difference"
    before, after = (np.log(theirs), np.log(ours)) if scale == "ratio" else (theirs, ours)
    score = sign * float(after.mean() - before.mean()) if fewest else None
    interval = detectable = None
    flags = []
    if score is not None and fewest >= MINIMUM_ROUNDS:
        # Squared standard errors of the two means; zero for equal values, despite rounding.
        errors = [float(one.var(ddof=1)) / one.size if one[-1] > one[0] else 0.0 for one in (before, after)]
        squares = sum(error**2 / (one.size - 1) for error, one in zip(errors, (before, after), strict=True))
        freedom = sum(errors) ** 2 / squares if squares else 1.0
        error = math.sqrt(sum(errors))
        quantile = float(stdtrit(freedom, (1 + confidence) / 2))
        interval = Interval(score - quantile * error, score + quantile * error, confidence)
        # Bloom's (1995) minimum detectable effect.
        detectable = (quantile + float(stdtrit(freedom, DEFAULT_POWER))) * error
        if fewest < SMALL_SAMPLE:
            flags.append(f"few forks: {theirs.size} and {ours.size}, the interval's coverage is not assured")
    else:
        flags.append(f"too few forks: {theirs.size} and {ours.size}, an interval needs {MINIMUM_ROUNDS} of each")
    return Effect(scale, theirs, ours, fewest, score, interval, detectable, flags)
