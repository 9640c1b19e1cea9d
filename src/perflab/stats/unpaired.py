"""Compare a variant between two runs that were not interleaved and have no rounds in common.

Nothing is shared between a fork of the one run and a fork of the other, so there is nothing to pair: the interval is
Welch's (1947), on the log values, with the degrees of freedom of Satterthwaite (1946). It covers what varies between
forks. What varies between runs, as the drift of a shared machine does, is in neither run's spread, and no interval of
the two can hold it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perflab.stats.comparison import (
    DEFAULT_POWER,
    Comparison,
    cliffs_delta,
    direction,
    effect_word,
    estimated,
    outward,
    verdict_on,
    within,
)
from perflab.stats.interval import MINIMUM_ROUNDS, Interval, check_confidence
from perflab.stats.precision import MINIMUM_ROUNDS_TO_STOP, SETTLING_ROUNDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from perflab.model.protocol import Better
    from perflab.stats.comparison import Scale

    Floats = NDArray[np.float64]


_SMALL_SAMPLE = 5


def compare_unpaired(
    baseline: Sequence[float],
    candidate: Sequence[float],
    metric: str,
    unit: str,
    better: Better,
    *,
    labels: tuple[str, str] = ("before", "after"),
    confidence: float = 0.95,
    equivalence: float = 0.05,
    target_half_width: float | None = None,
) -> Comparison:
    """Compare the forks of two runs, as `compare` does those of one.

    `rounds` of the result is the smaller number of forks.

    Args:
        baseline: one value per fork of the earlier run; NaN where a fork is missing.
        candidate: one value per fork of the later one; their numbers may differ.
        metric: name of the metric, for the record.
        unit: of the values, for the record.
        better: which direction of the metric is an improvement.
        labels: names of the two, for the record.
        confidence: of the interval, after any correction for the number of comparisons.
        equivalence: relative margin within which a difference does not matter.
        target_half_width: the target at which one of the two stopped, if it did: as for `compare`.

    Raises:
        ValueError: infinite values, or a level or margin out of range.
    """
    check_confidence(confidence)
    if not equivalence > 0:
        raise ValueError(f"the equivalence margin is above zero, not {equivalence}")
    theirs, ours = _present(baseline), _present(candidate)
    scale: Scale = "ratio" if (ours > 0).all() and (theirs > 0).all() else "difference"
    shift = _shift(theirs, ours, scale, direction(better))
    interval = shift.interval(confidence) if shift else None
    level = float(np.abs(theirs).mean()) if theirs.size else 0.0
    margin = math.log1p(equivalence) if scale == "ratio" else equivalence * level
    if target_half_width is not None and shift and interval is not None and interval.half_width > 0:
        reach = math.log1p(target_half_width) if scale == "ratio" else target_half_width * level
        interval = interval.at_least(shift.mean, reach)
    detectable = shift.detectable(confidence) if shift and interval else None
    if detectable is not None and scale == "ratio":
        detectable = outward(scale, detectable) - 1
    delta = direction(better) * cliffs_delta(ours, theirs) if shift else None
    return Comparison(
        baseline=labels[0],
        candidate=labels[1],
        metric=metric,
        unit=unit,
        better=better,
        scale=scale,
        rounds=min(theirs.size, ours.size),
        estimate=estimated(scale, unit, shift.mean, interval) if shift else None,
        confidence=confidence,
        cliffs_delta=delta,
        effect=None if delta is None else effect_word(delta),
        minimum_detectable_effect=detectable,
        verdict=verdict_on(interval, margin),
        flags=tuple(_flags(theirs, ours, interval, scale, margin)),
    )


def precise_enough_unpaired(
    baseline: Sequence[float],
    candidate: Sequence[float],
    better: Better,
    *,
    target_half_width: float,
    confidence: float = 0.95,
) -> bool:
    """`precise_enough` for a run that is under way and forks that were measured before it.

    Args:
        baseline: the earlier run's forks.
        candidate: one value per round until now; NaN where a fork is missing.
        better: which direction of the metric is an improvement.
        target_half_width: relative, 0.02 for 2 %.
        confidence: of the interval.
    """
    if len(candidate) < MINIMUM_ROUNDS_TO_STOP:
        return False
    stages = (candidate, candidate[:-SETTLING_ROUNDS])
    return all(_half_width(baseline, stage, better, confidence) <= target_half_width for stage in stages)


def _half_width(baseline: Sequence[float], candidate: Sequence[float], better: Better, confidence: float) -> float:
    one = compare_unpaired(baseline, candidate, "", "", better, confidence=confidence)
    if one.estimate is None or one.estimate.interval is None:
        return math.inf
    low, high = one.estimate.interval
    if one.scale == "ratio":
        return math.sqrt(high / low) - 1
    level = float(np.abs(_present(baseline)).mean())
    return 0.0 if high == low else (high - low) / 2 / level if level else math.inf


@dataclass(frozen=True, slots=True)
class _Shift:
    """The difference of two means of scores, positive where the candidate is better; its error is Welch's."""

    mean: float
    error: float
    freedom: float
    forks: int

    def interval(self, confidence: float) -> Interval | None:
        if self.forks < MINIMUM_ROUNDS:
            return None
        reach = self._quantile((1 + confidence) / 2) * self.error if self.error else 0.0
        return Interval(self.mean - reach, self.mean + reach, confidence)

    def detectable(self, confidence: float) -> float:
        """Bloom's (1995) minimum detectable effect, with Welch's error."""
        if not self.error:
            return 0.0
        return (self._quantile((1 + confidence) / 2) + self._quantile(DEFAULT_POWER)) * self.error

    def _quantile(self, probability: float) -> float:
        from scipy.special import stdtrit  # noqa: PLC0415 - SciPy is slow to import

        return float(stdtrit(self.freedom, probability))


def _present(values: Sequence[float]) -> Floats:
    forks = np.asarray(values, dtype=float)
    if np.isinf(forks).any():
        raise ValueError("a fork's value is infinite; a missing fork is NaN")
    return np.sort(forks[~np.isnan(forks)])


def _shift(theirs: Floats, ours: Floats, scale: Scale, sign: int) -> _Shift | None:
    if not (theirs.size and ours.size):
        return None
    before, after = (np.log(theirs), np.log(ours)) if scale == "ratio" else (theirs, ours)
    mean = sign * float(after.mean() - before.mean())
    if min(before.size, after.size) < MINIMUM_ROUNDS:
        return _Shift(mean, 0.0, 1.0, min(before.size, after.size))
    # Squared standard errors of the two means; values that are all equal have none, whatever rounding leaves of it.
    errors = [float(one.var(ddof=1)) / one.size if one[-1] > one[0] else 0.0 for one in (before, after)]
    squares = sum(error**2 / (one.size - 1) for error, one in zip(errors, (before, after), strict=True))
    freedom = sum(errors) ** 2 / squares if squares else 1.0
    return _Shift(mean, math.sqrt(sum(errors)), freedom, min(before.size, after.size))


def _flags(theirs: Floats, ours: Floats, interval: Interval | None, scale: Scale, margin: float) -> list[str]:
    fewest = min(theirs.size, ours.size)
    flags = []
    if interval is None:
        flags.append(f"too few forks: {theirs.size} and {ours.size}, an interval needs {MINIMUM_ROUNDS} of each")
    elif fewest < _SMALL_SAMPLE:
        flags.append(f"few forks: {theirs.size} and {ours.size}, the interval's coverage is not assured")
    if interval is not None and interval.high == interval.low:
        flags.append("no spread: every fork of a run gives the same figure")
    if interval is not None and (interval.low > 0 or interval.high < 0) and within(interval, margin):
        flags.append("within margin: the difference is real but smaller than the equivalence margin")
    if scale == "difference":
        flags.append("difference: a value is zero or below, so differences are compared instead of ratios")
    return flags
