"""Diagnostics of one variant's forks: outliers, bimodality, drift, autocorrelation."""

from __future__ import annotations

import dataclasses
import math
import statistics
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from perflab.model.estimate import Estimate, flat_fields
from perflab.model.format import quantity
from perflab.stats.arrays import np
from perflab.stats.interval import (
    CONFIDENCE,
    is_autocorrelated,
    lag1_autocorrelation,
    sequential_interval,
    student_quantile,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Summary:
    """Summary of a variant's forks, in the metric's unit; `None` where there are too few forks.

    `missing` counts rounds without a fork; `cv` is the coefficient of variation, standard deviation over mean.
    """

    forks: int
    missing: int
    median: float | None
    mean: Estimate | None
    confidence: float
    minimum: float | None
    maximum: float | None
    cv: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return flat_fields(self, "mean")


def summarise(values: Sequence[float], unit: str = "", *, sequential: int = 0) -> Summary:
    """Summarise one variant's forks.

    The interval is of this variant alone and includes the drift that all variants of a round share, so overlapping
    intervals say nothing about the difference: use `compare`. If no value is negative, neither is the interval.

    Args:
        values: One value per round; NaN where the fork is missing.
        unit: The unit of the values.
        sequential: The round of the first look, as for `compare`.
    """
    rounds = np.asarray(values, dtype=float)
    forks = rounds[~np.isnan(rounds)]
    missing = int(rounds.size - forks.size)
    if not forks.size:
        return Summary(0, missing, None, None, CONFIDENCE, None, None, None)
    interval = sequential_interval(forks, first_look=sequential)
    if interval is not None and forks.min() >= 0:
        interval = dataclasses.replace(interval, low=max(interval.low, 0.0))
    mean = float(np.sort(forks).mean())
    spread = float(forks.std(ddof=1)) if forks.size > 1 else None
    return Summary(
        forks=int(forks.size),
        missing=missing,
        median=statistics.median(forks.tolist()),
        mean=Estimate(mean, unit=unit) if interval is None else interval.around(mean, unit),
        confidence=CONFIDENCE,
        minimum=float(forks.min()),
        maximum=float(forks.max()),
        cv=None if spread is None or mean == 0 else spread / abs(mean),
    )


MILD_FENCE = 1.5
SEVERE_FENCE = 3.0

# Widens the fences, so that values equal up to rounding are not outliers of a zero interquartile range.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Outliers:
    """Rounds (indices) with values beyond a fence: mild 1.5, severe 3 interquartile ranges (Tukey 1977).

    Mild and severe are disjoint.
    """

    low_severe: tuple[int, ...] = ()
    low_mild: tuple[int, ...] = ()
    high_mild: tuple[int, ...] = ()
    high_severe: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """Number of outliers, mild and severe."""
        return len(self.low_severe) + len(self.low_mild) + len(self.high_mild) + len(self.high_severe)


def classify_outliers(values: NDArray[np.float64]) -> Outliers:
    """Classify the values of all rounds; NaN, a missing fork, is not an outlier."""
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


# Bimodality: the forks fall into two groups, for instance if a lock convoy or core placement occurs in some of them.
#
# The statistic is the best two-group split's separation: the distance of the group means over the standard deviation
# within the groups (the D of Ashman et al. (1994), with a pooled spread). Half of any unimodal sample is "separated"
# from the other half too (a split normal sample has D = 2.6), so their bound of D > 2 means nothing here. The flag
# compares with the same statistic on samples from the uniform distribution instead, the least favourable unimodal one
# of Hartigan and Hartigan (1985), which keeps false alarms far below the level on bell shapes.


MODES_MINIMUM_FORKS = 8
SMALLEST_GROUP = 0.2
"""Share of the forks; fewer are outliers, not a mode."""

MODES_LEVEL = 0.05
"""False-alarm rate on uniform data; on normal data it is below 0.02."""

_BLOCKS = [250] * 16
"""Simulated rows: all at once would take hundreds of MB."""
_ENDLESS = 1e9


@dataclass(frozen=True, slots=True)
class Modality:
    """The best split of a variant's forks into two groups.

    `separation` is the distance of the group means in standard deviations within the groups, `p_value` the share of
    uniform samples at least as separated. The `centres` are geometric means or, where a value is not above zero,
    arithmetic ones, in the metric's unit; `upper_share` is the share of the forks in the upper group.
    """

    bimodal: bool
    separation: float
    p_value: float
    centres: tuple[float, float]
    upper_share: float


def modality(values: Floats) -> Modality | None:
    """Test one variant's forks for two modes; None for fewer than `MINIMUM_FORKS` or constant values.

    Args:
        values: Finite, at least one per fork; compared on the log scale if all are above zero.
    """
    n = values.size
    if n < MODES_MINIMUM_FORKS:
        return None
    logarithmic = bool((values > 0).all())
    ordered = np.sort(np.log(values) if logarithmic else values)
    scale = float(np.ptp(ordered))
    if scale <= 1e-12 * max(1.0, float(np.abs(ordered).max())):
        return None
    separations = _separations(((ordered - ordered[0]) / scale)[np.newaxis, :])[0]
    best = int(np.argmax(separations))
    upper = n - (_smallest_group(n) + best)
    separation = float(separations[best])
    null = _uniform_separations(n)
    p_value = (1 + null.size - int(np.searchsorted(null, separation))) / (1 + null.size)
    centres = float(ordered[: n - upper].mean()), float(ordered[n - upper :].mean())
    return Modality(
        bimodal=p_value < MODES_LEVEL,
        separation=separation,
        p_value=p_value,
        centres=(math.exp(centres[0]), math.exp(centres[1])) if logarithmic else centres,
        upper_share=upper / n,
    )


def _smallest_group(n: int) -> int:
    return max(2, math.ceil(SMALLEST_GROUP * n))


def _separations(rows: Floats) -> Floats:
    """Return the separation of every allowed split of sorted rows: shape (rows, splits)."""
    n = rows.shape[1]
    smallest = _smallest_group(n)
    sizes = np.arange(smallest, n - smallest + 1)
    centred = rows - rows.mean(axis=1, keepdims=True)
    lower = np.cumsum(centred, axis=1)[:, sizes - 1]
    distance = -lower / (n - sizes) - lower / sizes
    total = (centred**2).sum(axis=1, keepdims=True)
    within = np.sqrt(np.maximum(total - lower**2 / sizes - lower**2 / (n - sizes), 0) / (n - 2))
    separations: Floats = np.minimum(distance / np.maximum(within, 1 / _ENDLESS), _ENDLESS)
    return separations


@lru_cache(maxsize=64)
def _uniform_separations(n: int) -> Floats:
    """Return the statistic's distribution for unimodal data, sorted."""
    rng = np.random.default_rng(n)
    null = np.concatenate([_separations(np.sort(rng.random((block, n)))).max(axis=1) for block in _BLOCKS])
    null.sort()
    null.setflags(write=False)
    return null


# A monotone trend, without assuming a shape: Mann and Kendall's test, and Theil and Sen's slope.
#
# The figures are those of `scipy.stats.kendalltau` and `theilslopes`, and tests compare them; computed here for the
# same reason as in `interval.py`.


_LARGEST_EXACT = 33
"""Values up to which the exact distribution is used if none are tied; the normal one is close enough beyond."""


def trend_p_value(values: Floats) -> float:
    """Return the two-sided p-value of the Mann (1945) and Kendall (1975) trend test.

    Args:
        values: At least two, finite, in chronological order, not all equal.
    """
    n = values.size
    earlier, later = np.triu_indices(n, 1)
    rising = int((values[earlier] < values[later]).sum())
    falling = int((values[earlier] > values[later]).sum())
    ties = np.unique(values, return_counts=True)[1]
    if n <= _LARGEST_EXACT and ties.max() == 1:
        return _exact(n, min(rising, falling))
    variance = (_ordered_pairs(n) - _ordered_pairs(ties).sum()) / 18
    return math.erfc(abs(rising - falling) / math.sqrt(2 * variance))


def theil_sen_slope(times: NDArray[np.intp], values: Floats) -> float:
    """Return the median slope between all pairs (Sen 1968); the times must differ."""
    earlier, later = np.triu_indices(values.size, 1)
    return float(np.median((values[later] - values[earlier]) / (times[later] - times[earlier])))


def _exact(n: int, inversions: int) -> float:
    """Return the probability that a permutation of n has at most `inversions` inversions, or as few non-inversions.

    The k-th value is smaller than 0 to k - 1 of those before it, each as likely, independently of the others.
    """
    distribution = np.ones(1)
    for k in range(2, n + 1):
        distribution = np.convolve(distribution, np.full(k, 1 / k))
    return min(1.0, 2 * float(distribution[: inversions + 1].sum()))


def _ordered_pairs(n: int | NDArray[np.intp]) -> NDArray[np.intp]:
    """Return Kendall's term of the score's variance for n values, or for a group of n ties."""
    return np.asarray(n * (n - 1) * (2 * n + 5))


DRIFT_LEVEL = 0.01
SMALLEST_CHANGE = 0.02
"""Minimum relative change over the run to count as drift, however significant."""

DRIFT_MINIMUM_FORKS = 6
"""With five rounds even a perfect order has p = 2/5! > 0.01."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Trend over the rounds.

    Attributes:
        drifting: True if the trend is significant (p < 0.01) and relevant (2 % over the run).
        change: Over the run, by the Theil-Sen slope; 0.1 is 10 % up. The slope is of the logarithms, so that nothing
            falls by more than 100 %, or of the values relative to their median if any is zero or below.
        p_value: The p-value of the Mann-Kendall test.
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
    if rounds.size < DRIFT_MINIMUM_FORKS or np.ptp(present) == 0 or np.median(present) == 0:
        return None
    p_value = trend_p_value(present)
    positive = bool(present.min() > 0)
    slope = theil_sen_slope(rounds, np.log(present) if positive else present) * float(rounds[-1] - rounds[0])
    with np.errstate(over="ignore"):
        change = float(np.expm1(slope)) if positive else slope / abs(float(np.median(present)))
    if not math.isfinite(change):
        return None
    return Drift(p_value < DRIFT_LEVEL and abs(change) >= SMALLEST_CHANGE, change, p_value)


UNSETTLED = 0.1
"""Relative change of a figure within processes from which longer processes would give another result."""

_SURE = 0.99


def changes_within(first: Sequence[float], last: Sequence[float]) -> bool:
    """Check for a change of `UNSETTLED` or more within processes that is significant (Student's t of the pairs).

    `first` has the figure over the first third of each process's samples, `last` that over the last third.
    """
    if len(first) < DRIFT_MINIMUM_FORKS:
        return False
    before = np.asarray(first, dtype=float)
    with np.errstate(over="ignore", invalid="ignore"):  # overflow does not count as change
        changes = np.asarray(last, dtype=float) - before
        change, error = abs(float(changes.mean())), float(changes.std(ddof=1)) / math.sqrt(changes.size)
        surely = change > student_quantile((1 + _SURE) / 2, changes.size) * error
    return surely and change >= UNSETTLED * abs(float(before.mean()))


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """Diagnostics of a variant; parts are None if the forks are too few or too similar.

    `autocorrelation` is lag-1; it shows drift shared by all variants, which cancels in the paired ratio. Each flag is
    `keyword: explanation`.
    """

    forks: int
    outliers: Outliers
    modality: Modality | None
    drift: Drift | None
    autocorrelation: float | None
    flags: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {
            "forks": self.forks,
            "outliers": {side: list(rounds) for side, rounds in dataclasses.asdict(self.outliers).items()},
            "modality": {**dataclasses.asdict(self.modality), "centres": list(self.modality.centres)}
            if self.modality
            else None,
            "drift": dataclasses.asdict(self.drift) if self.drift else None,
            "autocorrelation": self.autocorrelation,
            "flags": list(self.flags),
        }


def diagnose(values: Sequence[float], unit: str) -> Diagnostics:
    """Diagnose a variant's forks, in the order of the rounds; NaN where a fork is missing."""
    rounds = np.asarray(values, dtype=float)
    if np.isinf(rounds).any():
        raise ValueError("a fork's value is infinite; a missing fork is NaN")
    present = rounds[~np.isnan(rounds)]
    outliers = classify_outliers(rounds)
    modes = modality(present)
    trend = drift(rounds)
    flags = []
    if outliers.count:
        flags.append(f"outliers: {outliers.count} of {present.size} forks")
    if modes and modes.bimodal:
        low, high = (quantity(centre, unit) for centre in modes.centres)
        flags.append(
            f"bimodal: {1 - modes.upper_share:.0%} of the forks near {low}, {modes.upper_share:.0%} near {high}"
        )
    if trend and trend.drifting:
        flags.append(f"drift: {trend.change:+.1%} over the run")
    if is_autocorrelated(present):
        flags.append("autocorrelated: a fork depends on the one before it")
    return Diagnostics(int(present.size), outliers, modes, trend, lag1_autocorrelation(present), tuple(flags))
