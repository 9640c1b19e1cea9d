"""Compare candidates with a baseline: effect size, confidence interval and verdict."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from perflab.model.estimate import Estimate, flat_fields
from perflab.model.format import percent, quantity
from perflab.stats.arrays import np
from perflab.stats.interval import (
    CONFIDENCE,
    MINIMUM_ROUNDS,
    Interval,
    is_autocorrelated,
    sequential_interval,
    student_quantile,
)
from perflab.stats.robust import LEAST_ROUNDS, far_scores, hodges_lehmann

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from perflab.model.protocol import Better


Scale = Literal["ratio", "difference"]

# Log ratios this close to zero are rounding errors of a metric's sums and divisions.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Pairs:
    """The rounds in which both variants have a value.

    `scores` are positive where the candidate is better: log ratios on the ratio scale, differences in the metric's unit
    on the difference scale.
    """

    scale: Scale
    scores: NDArray[np.float64]
    baseline: NDArray[np.float64]
    candidate: NDArray[np.float64]
    dropped: int

    @property
    def rounds(self) -> int:
        """Number of paired rounds."""
        return int(self.scores.size)

    @property
    def baseline_level(self) -> float:
        """Mean magnitude of the baseline's values: the reference of relative margins on the difference scale."""
        return float(np.abs(self.baseline).mean()) if self.rounds else 0.0


def pair_rounds(baseline: Sequence[float], candidate: Sequence[float], better: Better) -> Pairs:
    """Pair two variants round by round; a round in which either is NaN is dropped and counted.

    The scale is `ratio` if every paired value is above zero, else `difference`.
    """
    sign = direction(better)
    ours, theirs = np.asarray(candidate, dtype=float), np.asarray(baseline, dtype=float)
    if ours.shape != theirs.shape or ours.ndim != 1:
        raise ValueError(f"rounds do not match: {theirs.size} of the baseline, {ours.size} of the candidate")
    if np.isinf(ours).any() or np.isinf(theirs).any():
        raise ValueError("a fork's value is infinite; a missing fork is NaN")
    present = ~(np.isnan(ours) | np.isnan(theirs))
    ours, theirs = ours[present], theirs[present]
    dropped = int((~present).sum())
    if (ours > 0).all() and (theirs > 0).all():
        # Subtracting logs, unlike dividing, is exactly antisymmetric: swapping the two only flips the sign.
        scores = sign * (np.log(ours) - np.log(theirs))
        scores[np.abs(scores) < _ROUNDING] = 0.0
        return Pairs("ratio", scores, theirs, ours, dropped)
    return Pairs("difference", sign * (ours - theirs), theirs, ours, dropped)


def direction(better: Better) -> int:
    """Return 1 if higher values are better, -1 if lower ones are."""
    return 1 if better == "higher" else -1


EffectWord = Literal["negligible", "small", "medium", "large"]

# Romano et al. (2006), from Cohen's d of 0.2, 0.5 and 0.8.
_WORDS: tuple[tuple[float, EffectWord], ...] = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"))


def cliffs_delta(
    candidate: Sequence[float] | NDArray[np.float64], baseline: Sequence[float] | NDArray[np.float64]
) -> float:
    """Return P(candidate > baseline) - P(candidate < baseline) over all pairs of forks, from -1 to 1 (Cliff 1993)."""
    ours, theirs = np.asarray(candidate, dtype=float), np.sort(np.asarray(baseline, dtype=float))
    below, not_above = (int(np.searchsorted(theirs, ours, side).sum()) for side in ("left", "right"))
    return (below + not_above - ours.size * theirs.size) / (ours.size * theirs.size)


def effect_word(delta: float) -> EffectWord:
    """Return the word for a Cliff's delta, by the thresholds of Romano et al. (2006)."""
    return next((word for bound, word in _WORDS if abs(delta) < bound), "large")


# The effect that a number of rounds can detect: Bloom's (1995) minimum detectable effect of paired values,
# (t_{1-alpha/2, n-1} + t_{power, n-1}) sd / sqrt(n).

DEFAULT_POWER = 0.8


def detectable_shift(sd: float, rounds: int, confidence: float = 0.95, power: float = DEFAULT_POWER) -> float:
    """Return the smallest true mean of paired differences found with probability `power`, in the unit of `sd`."""
    quantiles = student_quantile((1 + confidence) / 2, rounds) + student_quantile(power, rounds)
    return quantiles * sd / math.sqrt(rounds)


ComparisonWord = Literal["faster", "slower", "no difference", "inconclusive"]

SMALL_SAMPLE = 5

EQUIVALENCE = 0.05
"""Equivalence margin: factors between 1/1.05 and 1.05 do not matter."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One candidate against the baseline.

    On the `ratio` scale `estimate` is an improvement factor: 1.25 means a quarter better, in the metric's direction; 1
    means equal. On the `difference` scale, used where a value is zero or below, it is an improvement in `unit`, and 0
    means equal. `None`, never NaN, stands for values that the rounds cannot determine.

    Attributes:
        rounds: Number of paired rounds.
        confidence: Level of the interval, corrected for the number of candidates; also set without an interval.
        cliffs_delta: From -1 to 1, positive if the candidate's forks tend to be better.
        effect: The word for `cliffs_delta`.
        minimum_detectable_effect: Found with a power of 0.8 by as many rounds of the same spread; as a ratio (0.04 is
            4 %), or in `unit` on the difference scale.
        flags: Warnings about the verdict, each `keyword: explanation`.
    """

    baseline: str
    candidate: str
    metric: str
    unit: str
    better: Better
    scale: Scale
    rounds: int
    estimate: Estimate | None
    confidence: float
    cliffs_delta: float | None
    effect: EffectWord | None
    minimum_detectable_effect: float | None
    verdict: ComparisonWord
    flags: tuple[str, ...] = ()

    @property
    def figures(self) -> str:
        """The estimate with its interval, as text."""
        return str(self.estimate or "no estimate")

    @property
    def change(self) -> str:
        """The factor; on the difference scale the raw difference, negative for a decrease."""
        if self.estimate is None or self.scale == "ratio" or self.better == "higher":
            return self.figures
        return str(self.estimate.reverse)

    @property
    def within_margin(self) -> bool:
        """True if a ratio's interval is within the equivalence margin, so that differences do not matter."""
        if self.scale != "ratio" or self.estimate is None or self.estimate.interval is None:
            return False
        low, high = self.estimate.interval
        return low >= 1 / (1 + EQUIVALENCE) and high <= 1 + EQUIVALENCE

    @property
    def columns(self) -> list[str]:
        """The estimate and its interval as two table cells."""
        return self.estimate.columns if self.estimate else ["no estimate", ""]

    @property
    def detectable(self) -> str:
        """The minimum detectable effect at a power of 0.8, as text."""
        effect = self.minimum_detectable_effect
        if effect is None:
            return "unknown"
        return percent(effect) if self.scale == "ratio" else quantity(effect, self.unit)

    @property
    def worse_by(self) -> Estimate | None:
        """The regression, as a share like a threshold or as a difference; negative for an improvement."""
        worse = self.estimate.reverse if self.estimate else None
        return worse.map(lambda times: times - 1, unit="share", signed=True) if worse and worse.is_factor else worse

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {**flat_fields(self), "flags": list(self.flags)}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Comparison:
        """Return the comparison of a `to_dict` result; ignore other keys."""
        own = {one.name: found[one.name] for one in dataclasses.fields(cls)}
        value, low, high = found["estimate"], found["low"], found["high"]
        interval = None if low is None or high is None else Interval(low, high, found["confidence"])
        estimate = None if value is None else _on_scale(found["scale"], found["unit"], value, interval)
        return cls(**{**own, "estimate": estimate, "flags": tuple(found["flags"])})


def _on_scale(scale: Scale, unit: str, value: float, interval: Interval | None) -> Estimate:
    """Return a factor, or a difference in the metric's unit."""
    unit, signed = ("x", False) if scale == "ratio" else (unit, True)
    return interval.around(value, unit, signed=signed) if interval else Estimate(value, unit=unit, signed=signed)


def compare(
    values: Mapping[str, Sequence[float]],
    baseline: str,
    metric: str,
    unit: str,
    better: Better,
    *,
    confidence: float = CONFIDENCE,
    target_half_width: float | None = None,
    sequential: int = 0,
    robust: bool = False,
    exact: bool = False,
) -> list[Comparison]:
    """Compare every other variant with the baseline, round by round.

    The intervals hold jointly with `confidence`: each has the level `simultaneous_confidence(confidence, candidates)`.
    `values` has one value per round for each variant, the same round at the same index; NaN where the fork is missing.

    `target_half_width` is the target of `precise_enough`, if it decided when the run ended. A run that stops as soon as
    its interval looks narrow has intervals that are too narrow; reporting no more precision than requested (Chow and
    Robbins 1965) restores their coverage. An interval without spread stays.

    `sequential` is the round of the first look if the run could end once its claims were decided, else 0; the intervals
    then hold at every look.

    `robust`: the spread comes from the machine, and the interval may be `hodges_lehmann`'s.

    `exact`: the values are counts that were seen to repeat, and two equal scores have an interval without width.
    """
    candidates = [name for name in values if name != baseline]
    level = simultaneous_confidence(confidence, len(candidates))
    return [
        conclude(
            _paired_effect(
                pair_rounds(values[baseline], values[name], better), level, sequential, robust=robust, exact=exact
            ),
            (baseline, name),
            metric,
            unit,
            better,
            confidence=level,
            target_half_width=target_half_width,
        )
        for name in candidates
    ]


@dataclass(frozen=True, slots=True)
class Effect:
    """The mean score of a candidate's forks with its interval; above zero the candidate is better.

    `detectable` is the smallest true mean found with a power of 0.8. `None` stands for too few forks.
    """

    scale: Scale
    baseline: NDArray[np.float64]
    candidate: NDArray[np.float64]
    rounds: int
    score: float | None
    interval: Interval | None
    detectable: float | None
    flags: list[str]


def conclude(
    effect: Effect,
    labels: tuple[str, str],
    metric: str,
    unit: str,
    better: Better,
    *,
    confidence: float,
    target_half_width: float | None,
) -> Comparison:
    """Return the comparison for an effect; `labels` name the baseline and the candidate."""
    ratio, score, interval = effect.scale == "ratio", effect.score, effect.interval
    level = float(np.abs(effect.baseline).mean()) if effect.baseline.size else 0.0

    def on_scale(relative: float) -> float:
        return math.log1p(relative) if ratio else relative * level

    if target_half_width is not None and interval is not None and score is not None and interval.half_width > 0:
        interval = interval.at_least(score, on_scale(target_half_width))
    delta = None if score is None else direction(better) * cliffs_delta(effect.candidate, effect.baseline)
    detectable = effect.detectable
    return Comparison(
        baseline=labels[0],
        candidate=labels[1],
        metric=metric,
        unit=unit,
        better=better,
        scale=effect.scale,
        rounds=effect.rounds,
        estimate=None if score is None else _estimated(effect.scale, unit, score, interval),
        confidence=confidence,
        cliffs_delta=delta,
        effect=None if delta is None else effect_word(delta),
        minimum_detectable_effect=_outward("ratio", detectable) - 1 if ratio and detectable is not None else detectable,
        verdict=_verdict_on(interval, on_scale(EQUIVALENCE)),
        flags=(*effect.flags, *_flags(effect.scale, interval, on_scale(EQUIVALENCE))),
    )


def score_and_interval(
    scores: NDArray[np.float64], confidence: float, *, sequential: int = 0, robust: bool = False
) -> tuple[float | None, Interval | None]:
    """Return the estimate of paired scores and its interval, as `compare` says; `None` for too few of them."""
    mean = float(np.sort(scores).mean()) if scores.size else None
    interval = sequential_interval(scores, confidence, first_look=sequential)
    if not robust or scores.size < LEAST_ROUNDS or (far := far_scores(scores)).surely_one_sided:
        return mean, interval
    found = hodges_lehmann(scores, confidence)
    if found is None or interval is None or not far.one_sided:
        return found or (mean, interval)
    return mean, Interval(min(interval.low, found[1].low), max(interval.high, found[1].high), confidence)


def _paired_effect(pairs: Pairs, confidence: float, sequential: int, *, robust: bool, exact: bool) -> Effect:
    score, interval = score_and_interval(pairs.scores, confidence, sequential=sequential, robust=robust)
    rounds = pairs.rounds
    exact = exact and score is not None and rounds > 1 and not np.ptp(pairs.scores)
    if exact and score is not None:
        interval = Interval(score, score, confidence)
    detectable = None
    if interval is not None:
        sd = float(np.sort(pairs.scores).std(ddof=1))
        if robust:
            sd = min(sd, interval.half_width * math.sqrt(rounds) / student_quantile((1 + confidence) / 2, rounds))
        detectable = detectable_shift(sd, rounds, confidence, DEFAULT_POWER)
    flags = []
    if robust and rounds >= LEAST_ROUNDS and (far := far_scores(pairs.scores)).one_sided:
        flags.append(
            f"one-sided: {sum(far)} of {rounds} rounds are far off, {max(far)} of them to one side: look at modes"
        )
    if pairs.dropped:
        flags.append(f"incomplete: {pairs.dropped} of {rounds + pairs.dropped} rounds lack a fork and were dropped")
    if interval is None:
        flags.append(f"too few rounds: {rounds} paired, an interval needs {MINIMUM_ROUNDS}")
    elif rounds < SMALL_SAMPLE and not exact:
        flags.append(f"few rounds: only {rounds} paired, the interval's coverage is not assured")
    if is_autocorrelated(pairs.scores):
        flags.append("autocorrelated: successive rounds are not independent, the interval may be too short")
    return Effect(
        scale=pairs.scale,
        baseline=pairs.baseline,
        candidate=pairs.candidate,
        rounds=rounds,
        score=score,
        interval=interval,
        detectable=detectable,
        flags=flags,
    )


def simultaneous_confidence(confidence: float, comparisons: int) -> float:
    """Return Bonferroni's level for each of `comparisons` intervals to hold jointly with `confidence`.

    Sidak's gains next to nothing (0.9873 for 0.9875 with four) and needs independence or normality: these intervals
    share a baseline and are bootstrapped.
    """
    return 1 - (1 - confidence) / max(comparisons, 1)


def _verdict_on(interval: Interval | None, margin: float) -> ComparisonWord:
    """Return the verdict on an interval of scores, where zero means equal."""
    if interval is None:
        return "inconclusive"
    if interval.low > 0:
        return "faster"
    if interval.high < 0:
        return "slower"
    return "no difference" if _within(interval, margin) else "inconclusive"


def _within(interval: Interval, margin: float) -> bool:
    """Check that the interval is within the equivalence margin."""
    return -margin <= interval.low and interval.high <= margin


def _outward(scale: Scale, score: float) -> float:
    """Convert a score to a ratio or a difference."""
    if scale == "difference":
        return score
    try:
        return math.exp(score)
    except OverflowError:
        return math.inf


def _estimated(scale: Scale, unit: str, score: float, interval: Interval | None) -> Estimate:
    """Return the estimate of a score with its interval, as a ratio or a difference."""
    return _on_scale(scale, unit, score, interval).map(lambda end: _outward(scale, end))


def _flags(scale: Scale, interval: Interval | None, margin: float) -> list[str]:
    flags = []
    if interval is not None and interval.high == interval.low:
        flags.append("no spread: all figures are the same")
    if interval is not None and (interval.low > 0 or interval.high < 0) and _within(interval, margin):
        flags.append("within margin: the difference is real but smaller than the equivalence margin")
    if scale == "difference":
        flags.append("difference: a value is zero or below, so differences are compared instead of ratios")
    return flags


# Regression test: compare an interval with a threshold instead of zero.
#
# The question is not "is there a difference", which enough forks would always affirm, but "is it larger than agreed":
# a test of a shifted null hypothesis. Only an interval wholly beyond the threshold is a regression, so that unchanged
# code is called one far less often than an interval misses.


RegressionWord = Literal["regression", "within threshold", "better", "inconclusive"]


def regression_word(comparison: Comparison, worse_by: float, baseline_level: float) -> RegressionWord:
    """Return the verdict on a metric that may get worse by `worse_by`.

    Args:
        comparison: The current code, the candidate, against the earlier one, the baseline.
        worse_by: 0.1 allows a time of 1.1 times the baseline's, and a rate of 1/1.1 of it; not below zero.
        baseline_level: Mean magnitude of the baseline's values, the reference of `worse_by` on the difference scale.

    Returns:
        `regression` if the whole interval is beyond the threshold, `better` if all of it is an improvement,
        `within threshold` if none of it reaches the threshold, else, or without an interval, `inconclusive`.
    """
    if comparison.estimate is None or comparison.estimate.interval is None:
        return "inconclusive"
    low, high = comparison.estimate.interval
    ratio = comparison.scale == "ratio"
    equal, bound = (1.0, 1 / (1 + worse_by)) if ratio else (0.0, -worse_by * baseline_level)
    if high < bound:
        return "regression"
    if low > equal:
        return "better"
    return "within threshold" if low >= bound else "inconclusive"
