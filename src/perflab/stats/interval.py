"""Confidence interval of a mean over rounds: BCa bootstrap, expanded for small samples and guarded by Student's t.

BCa is Efron's (1987) bias-corrected and accelerated bootstrap. Two things are known to go wrong with it at five to ten
forks: the bootstrap's spread is too small by sqrt((n-1)/n), and its acceleration is estimated from a handful of values.
Hesterberg's (2015) expanded level repairs the first. The second, and the fact that no resample can leave
[min, max], which n = 5 values of a symmetric distribution straddle with a probability of only 93.75 %, is repaired by
never letting the interval be narrower than Student's t on either side. `docs/measuring.md` has the coverage of each.

Of more than `MOST_RESAMPLED` values the interval is Student's t alone, as the bootstrap takes time in proportion to
them. By then it is not too narrow: what the bootstrap corrects goes to zero, the expansion is below a thousandth of the
width, and a skewed sample costs coverage by its skewness squared over n.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import TYPE_CHECKING

from perflab.model.estimate import Estimate
from perflab.stats.arrays import np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


# Efron's (1987) bias-corrected and accelerated bootstrap limits of a mean, for many rows at once.
#
# The figures are those of `scipy.stats.bootstrap`, draw for draw, and a test compares the two. They are computed here
# because importing `scipy.stats` takes longer than the rest of a comparison, and would happen between two forks.
# For a mean the jackknife has a closed form as well: leaving out a value moves the mean by its deviation over n - 1.


def bca_limits(rows: Floats, confidence: float, counts: Floats) -> tuple[Floats, Floats]:
    """Return the BCa limits of the mean along the last axis; every row is resampled by the same `counts`.

    No row of `rows`, of shape (..., n), is constant; sums of a row must be exact, so that resamples that tie, tie. The
    limits, of shape (...), are NaN where no resample lies on one side of the mean.
    """
    resamples, n = counts.shape
    means = rows @ counts.T / n
    means.sort(axis=-1)
    centre = rows.mean(axis=-1, keepdims=True)
    below = (means < centre).sum(axis=-1) + (means <= centre).sum(axis=-1)
    bias = _normal_quantile(below / (2 * resamples))
    deviations = rows - centre
    acceleration = (deviations**3).sum(axis=-1) / (6 * (deviations**2).sum(axis=-1) ** 1.5)
    low, high = (bias + _NORMAL.inv_cdf(level) for level in ((1 - confidence) / 2, (1 + confidence) / 2))
    with np.errstate(invalid="ignore"):  # an infinite bias gives NaN, as documented
        levels = [_normal_cdf(bias + shifted / (1 - acceleration * shifted)) for shifted in (low, high)]
    return _quantiles(means, levels[0]), _quantiles(means, levels[1])


def draw_counts(n: int, resamples: int, rng: np.random.Generator) -> Floats:
    """Draw the counts of `n` values in each resample, of shape (resamples, n)."""
    drawn = rng.integers(0, n, (resamples, n))
    drawn += n * np.arange(resamples)[:, np.newaxis]
    return np.bincount(drawn.ravel(), minlength=resamples * n).reshape(resamples, n).astype(float)


@functools.lru_cache(maxsize=2)
def _counts(n: int, resamples: int) -> Floats:
    """Return the counts of `_SEED`, up to 20 MB; cached, as a run's variants and metrics have equally many rounds."""
    return draw_counts(n, resamples, np.random.default_rng(_SEED))


# The same as in SciPy's `special`, whose import takes longer than all intervals of a report.
_NORMAL = NormalDist()


def _normal_cdf(values: Floats) -> Floats:
    found: Floats = np.vectorize(lambda x: math.erfc(-x / math.sqrt(2)) / 2, otypes=[float])(values)
    return found


def _normal_quantile(shares: Floats) -> Floats:
    quantile = np.vectorize(lambda p: _NORMAL.inv_cdf(p) if 0 < p < 1 else math.copysign(math.inf, p - 0.5), [float])
    found: Floats = quantile(shares)
    return found


def _quantiles(ordered: Floats, levels: Floats) -> Floats:
    """Each sorted row's quantile at its own level, linear between neighbours; NaN at a level of NaN."""
    last = ordered.shape[-1] - 1
    position = levels * last
    below = np.floor(np.nan_to_num(position)).astype(np.intp)
    neighbours = np.stack([below, np.minimum(below + 1, last)], axis=-1)
    left, right = np.moveaxis(np.take_along_axis(ordered, neighbours, axis=-1), -1, 0)
    quantiles: Floats = left + (position - below) * (right - left)
    return quantiles


MINIMUM_ROUNDS = 3
DEFAULT_RESAMPLES = 5_000

MOST_RESAMPLED = 500
"""Values that are resampled: as many as the preset `normal` has rounds, and a third of a second."""

CONFIDENCE = 0.95
"""Default confidence level of intervals."""

_SEED = 0
"""Seed of the resampling, so that the same values give the same interval."""

_CHUNK_ELEMENTS = 4_000_000
"""Maximum number of resampled values in memory; 32 MB."""

_GRID = 2.0**-32
"""Standardised values are multiples of this: their sums are then exact in any order, and resamples that tie, tie."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Confidence limits, in the unit of the values, and their nominal level."""

    low: float
    high: float
    confidence: float

    def around(self, value: float, unit: str = "", *, signed: bool = False) -> Estimate:
        """Return the estimate with this interval."""
        return Estimate(value, self.low, self.high, unit, signed, self.confidence)

    @property
    def half_width(self) -> float:
        """Half of the interval's width."""
        return (self.high - self.low) / 2

    def at_least(self, centre: float, half_width: float) -> Interval:
        """Return the interval, widened to at least `half_width` on each side of `centre`."""
        return Interval(min(self.low, centre - half_width), max(self.high, centre + half_width), self.confidence)


def expanded_confidence(confidence: float, n: int) -> float:
    """Return the level at which a percentile-type bootstrap of `n` values covers like Student's t at `confidence`.

    Hesterberg (2015): alpha'/2 = Phi(-sqrt(n/(n-1)) t_{alpha/2, n-1}).
    """
    return math.erf(math.sqrt(n / (n - 1) / 2) * student_quantile((1 + confidence) / 2, n))


@functools.cache
def student_quantile(probability: float, n: int) -> float:
    """Return the quantile, from a half, of Student's t with the n - 1 degrees of freedom of a mean of `n` values."""
    low, high = 0.0, math.pi / 2
    while low < (angle := (low + high) / 2) < high:
        low, high = (angle, high) if _within(angle, n - 1) < 2 * probability - 1 else (low, angle)
    return math.sqrt(n - 1) * math.tan(angle)


def student_outside(t: float, n: int) -> float:
    """Return the probability that Student's t with n - 1 degrees of freedom is further from 0 than `t`, from 0."""
    return 1 - _within(math.atan(t / math.sqrt(n - 1)), n - 1)


def _within(angle: float, freedom: int) -> float:
    """Return the probability of |t| < sqrt(freedom) tan(angle): Abramowitz and Stegun (1964), 26.7.3 and 26.7.4."""
    if freedom == 1:
        return 2 / math.pi * angle
    odd, cosine = freedom % 2, math.cos(angle)
    k = np.arange(1, freedom // 2)
    series = math.sin(angle) * (1 + float(np.cumprod((2 * k - 1 + odd) / (2 * k + odd) * cosine**2).sum()))
    return 2 / math.pi * (angle + cosine * series) if odd else series


def mean_interval(
    values: Sequence[float] | Floats, confidence: float = CONFIDENCE, *, resamples: int = DEFAULT_RESAMPLES
) -> Interval | None:
    """Return the confidence interval of the mean of `values`.

    It has a width of zero if all values are equal, and is None for fewer than `MINIMUM_ROUNDS` values. `confidence` is
    the nominal level, before the small-sample expansion; `resamples` are drawn in each of the two orientations.
    """
    row = np.asarray(values, dtype=float)
    if row.size < MINIMUM_ROUNDS:
        return None
    return _interval_of(row.tobytes(), confidence, resamples)


@functools.lru_cache(maxsize=1 << 12)
def _interval_of(row: bytes, confidence: float, resamples: int) -> Interval:
    # Cached, since a report needs an interval for each claim on a run, and for the run's own page.
    low, high = mean_intervals(np.frombuffer(row)[np.newaxis, :], confidence, resamples=resamples)
    return Interval(float(low[0]), float(high[0]), confidence)


def mean_intervals(
    rows: Floats, confidence: float = CONFIDENCE, *, resamples: int = DEFAULT_RESAMPLES
) -> tuple[Floats, Floats]:
    """Return `mean_interval` of every row of a matrix; a row's result does not depend on the other rows.

    Invariances, by construction: the order of a row's values does not matter (they are sorted first), and negating a
    row mirrors its interval (the bootstrap is run on the values and on their negatives, and averaged). Rows are
    standardised before resampling, so shift and scale change an interval by no more than rounding.
    """
    if rows.ndim != 2 or rows.shape[1] < MINIMUM_ROUNDS:  # noqa: PLR2004 - a matrix
        raise ValueError(f"an interval needs at least {MINIMUM_ROUNDS} values in each row, got the shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("an interval needs finite values")
    n = rows.shape[1]
    ordered = np.sort(rows, axis=1)
    centre = _sum_both_ways(ordered) / n
    deviations = ordered - centre[:, np.newaxis]
    spread = np.sqrt(_sum_both_ways(deviations**2) / (n - 1))
    low, high = centre.copy(), centre.copy()
    varied = ordered[:, -1] > ordered[:, 0]
    varied &= spread > 0  # tiny subnormal differences vanish when squared
    if varied.any():
        student = student_quantile((1 + confidence) / 2, n) / math.sqrt(n)
        below, above = np.array(-student), np.array(student)
        if n <= MOST_RESAMPLED:
            scores = np.rint(deviations[varied] / spread[varied, np.newaxis] / _GRID) * _GRID
            level = min(expanded_confidence(confidence, n), 1 - 1 / resamples)
            bca_low, bca_high = _bca(scores, level, resamples)
            below, above = np.fmin(bca_low, below), np.fmax(bca_high, above)
        low[varied] += spread[varied] * below
        high[varied] += spread[varied] * above
    return low, high


def _sum_both_ways(rows: Floats) -> Floats:
    """Return row sums whose rounding is the same in reverse order, so that a mirrored row has a mirrored sum."""
    total: Floats = (rows.sum(axis=1) + np.ascontiguousarray(rows[:, ::-1]).sum(axis=1)) / 2
    return total


def _bca(scores: Floats, confidence: float, resamples: int) -> tuple[Floats, Floats]:
    """Return the BCa limits of standardised rows.

    A mean's acceleration is at most 1/6, so BCa's pole at z = 6 is beyond any level that the resamples can resolve.
    """
    n = scores.shape[1]
    low, high = np.empty(len(scores)), np.empty(len(scores))
    chunk = max(1, _CHUNK_ELEMENTS // (2 * resamples))
    for start in range(0, len(scores), chunk):
        part = scores[start : start + chunk]
        both = np.stack([part, -part[:, ::-1]])
        # Every chunk draws the same resampling indices, so a row's limits do not depend on its neighbours.
        lower, upper = bca_limits(both, confidence, _counts(n, resamples))
        low[start : start + chunk] = (lower[0] - upper[1]) / 2
        high[start : start + chunk] = (upper[0] - lower[1]) / 2
    return low, high


MINIMUM_ROUNDS_FOR_AUTOCORRELATION = 8

_Z_99 = 2.576


def lag1_autocorrelation(values: NDArray[np.float64]) -> float | None:
    """Return the lag-1 autocorrelation, from -1 to 1; None for too few or constant values."""
    deviations = values - values.mean() if values.size else values
    total = float(deviations @ deviations)
    if values.size < MINIMUM_ROUNDS_FOR_AUTOCORRELATION or np.ptp(values) == 0 or total == 0:
        return None
    return float(deviations[:-1] @ deviations[1:]) / total


def is_autocorrelated(values: NDArray[np.float64]) -> bool:
    """Check whether the autocorrelation leaves the 99 % band: mean -1/n, spread 1/sqrt(n) (Bartlett 1946)."""
    r1 = lag1_autocorrelation(values)
    return r1 is not None and abs(r1 + 1 / values.size) > _Z_99 / math.sqrt(values.size)


FIRST_LOOK = 6
"""Earliest first look: starting at three values would widen all later intervals by a sixth."""

GROWTH = 1.1
"""Growth of a run's rounds between looks, each of which reads and judges the whole run."""

_LEAST = 2
"""One value has no spread to look at."""


def lai_half_width(sd: float, n: int, confidence: float, first_look: int) -> float:
    """Return the half width of Lai's confidence sequence at `n` values, in the unit of `sd`.

    With s of divisor n it is `s sqrt((b n)^(1/n) - 1)`, where `b = (1 + a^2/(m-1))^m / m` and `a` solves
    `2 (1 - F(a) + a f(a)) = 1 - confidence`; F and f are Student's t on m - 1 degrees of freedom.

    `sd` has the divisor n - 1, and m is `first_look`, from 2 to n.
    """
    grown = (_log_b(confidence, first_look) + math.log(n)) / n
    return sd * math.sqrt((n - 1) / n * math.expm1(grown))


@cache
def _log_b(confidence: float, first_look: int) -> float:
    """Return the logarithm of Lai's b."""
    m, freedom = first_look, first_look - 1
    density_at_0 = math.exp(math.lgamma(m / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)

    def excess(log_a: float) -> float:
        a = math.exp(log_a)
        density = density_at_0 * (1 + a * a / freedom) ** (-m / 2)
        return float(student_outside(a, m) + 2 * a * density - (1 - confidence))

    # Bisection, since `excess` decreases and has one root: importing SciPy's `optimize` takes longer than the rest.
    low, high = math.log(1e-6), math.log(1e12)
    while low < (log_a := (low + high) / 2) < high:
        low, high = (log_a, high) if excess(log_a) > 0 else (low, log_a)
    return m * math.log1p(math.exp(2 * log_a) / freedom) - math.log(m)


def sequential_interval(
    values: Sequence[float] | NDArray[np.float64], confidence: float = CONFIDENCE, *, first_look: int
) -> Interval | None:
    """Return `mean_interval`, never narrower than Lai's if looks began at `first_look` values.

    Without looks (below 2) and before the first one it is `mean_interval`, since such a run was ended by its budget,
    independently of its values.
    """
    row = np.asarray(values, dtype=float)
    interval = mean_interval(row, confidence)
    if interval is None or not _LEAST <= first_look <= row.size:
        return interval
    ordered = np.sort(row)
    return interval.at_least(
        float(ordered.mean()), lai_half_width(float(ordered.std(ddof=1)), row.size, confidence, first_look)
    )
