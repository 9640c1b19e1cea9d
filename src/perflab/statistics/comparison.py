"""Is the candidate faster than the baseline, by how much, and how sure is that."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from perflab.statistics.autocorrelation import is_autocorrelated
from perflab.statistics.effect_size import EffectWord, cliffs_delta, effect_word
from perflab.statistics.interval import MINIMUM_ROUNDS, Interval, check_confidence, mean_interval
from perflab.statistics.pairing import Pairs, Scale, direction, pair_rounds
from perflab.statistics.power import DEFAULT_POWER, detectable_shift

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perflab.protocol.messages import Better

Verdict = Literal["faster", "slower", "no difference", "inconclusive"]

_SMALL_SAMPLE = 5


@dataclass(frozen=True, slots=True)
class Comparison:
    """One candidate against the baseline.

    On the `ratio` scale `estimate`, `low` and `high` are improvement factors: 1.25 means a quarter better, in the
    metric's direction; 1 means equal. On the `difference` scale, used where a value is zero or below, they are
    improvements in `unit`, and 0 means equal. `None` stands for what the rounds do not allow to be said, never NaN.

    Attributes:
        rounds: paired rounds used.
        confidence: of this interval, after the correction for the number of candidates.
        cliffs_delta: from -1 to 1, positive if the candidate's forks tend to be better.
        effect: the word for `cliffs_delta`.
        minimum_detectable_effect: found with a power of 0.8 by that many rounds of that spread; as a ratio (0.04 is
            4 %), or in `unit` on the difference scale.
        flags: what a reader should know before trusting the verdict, each `keyword: explanation`.
    """

    baseline: str
    candidate: str
    metric: str
    unit: str
    better: Better
    scale: Scale
    rounds: int
    estimate: float | None
    low: float | None
    high: float | None
    confidence: float
    cliffs_delta: float | None
    effect: EffectWord | None
    minimum_detectable_effect: float | None
    verdict: Verdict
    flags: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready values."""
        return {**dataclasses.asdict(self), "flags": list(self.flags)}


def compare(
    values: Mapping[str, Sequence[float]],
    baseline: str,
    metric: str,
    unit: str,
    better: Better,
    *,
    confidence: float = 0.95,
    equivalence: float = 0.05,
    target_half_width: float | None = None,
    seed: int = 0,
) -> list[Comparison]:
    """Compare every other variant with the baseline, round by round.

    The intervals hold together with `confidence`: each is made at `simultaneous_confidence(confidence, candidates)`.

    Args:
        values: one value per round for each variant, the same round at the same index; NaN where the fork is missing.
        baseline: the variant that the others are compared with.
        metric: name of the metric, for the record.
        unit: of the values, for the record.
        better: which direction of the metric is an improvement.
        confidence: that all intervals cover their truth.
        equivalence: relative margin within which a difference does not matter; 0.05 is [1/1.05, 1.05].
        target_half_width: the target that `precise_enough` was given, if it decided when the run ended. A run that
            stops as soon as its interval looks narrow has intervals that are too narrow; reporting no more precision
            than was asked for (Chow and Robbins 1965) restores their coverage. An interval without spread stays.
        seed: of the bootstrap.

    Returns:
        One comparison per candidate, in the order of `values`.

    Raises:
        ValueError: unknown baseline, rounds that do not match, infinite values, or a level or margin out of range.
    """
    if baseline not in values:
        raise ValueError(f"unknown baseline {baseline!r}: the variants are {', '.join(values)}")
    if not equivalence > 0:
        raise ValueError(f"the equivalence margin is above zero, not {equivalence}")
    if target_half_width is not None and not target_half_width > 0:
        raise ValueError(f"the target half width is above zero, not {target_half_width}")
    candidates = [name for name in values if name != baseline]
    level = simultaneous_confidence(confidence, len(candidates))
    comparisons = []
    for name in candidates:
        pairs = pair_rounds(values[baseline], values[name], better)
        margin = on_scale(pairs, equivalence)
        score = float(np.sort(pairs.scores).mean()) if pairs.rounds else None
        interval = mean_interval(pairs.scores, level, seed=seed)
        if target_half_width is not None and interval is not None and score is not None and interval.half_width > 0:
            interval = interval.at_least(score, on_scale(pairs, target_half_width))
        delta = direction(better) * cliffs_delta(pairs.candidate, pairs.baseline) if pairs.rounds else None
        comparisons.append(
            Comparison(
                baseline=baseline,
                candidate=name,
                metric=metric,
                unit=unit,
                better=better,
                scale=pairs.scale,
                rounds=pairs.rounds,
                estimate=None if score is None else outward(pairs.scale, score),
                low=outward(pairs.scale, interval.low) if interval else None,
                high=outward(pairs.scale, interval.high) if interval else None,
                confidence=level,
                cliffs_delta=delta,
                effect=None if delta is None else effect_word(delta),
                minimum_detectable_effect=_detectable(pairs, level),
                verdict=verdict_on(interval, margin),
                flags=tuple(_flags(pairs, interval, margin)),
            )
        )
    return comparisons


def simultaneous_confidence(confidence: float, comparisons: int) -> float:
    """Bonferroni's level for each of `comparisons` intervals that shall hold together with `confidence`.

    Not Sidak's, which gains next to nothing (0.9873 for 0.9875 with four) and needs independence or normality: these
    intervals share a baseline and are bootstrapped.

    Raises:
        ValueError: `confidence` is not between 0 and 1.
    """
    check_confidence(confidence)
    return 1 - (1 - confidence) / max(comparisons, 1)


def on_scale(pairs: Pairs, relative: float) -> float:
    """A relative margin on the scale of the scores: log(1 + r), or r times the baseline's level for differences."""
    return math.log1p(relative) if pairs.scale == "ratio" else relative * pairs.baseline_level


def verdict_on(interval: Interval | None, margin: float) -> Verdict:
    """The verdict on an interval of scores, where zero means equal."""
    if interval is None:
        return "inconclusive"
    if interval.low > 0:
        return "faster"
    if interval.high < 0:
        return "slower"
    return "no difference" if within(interval, margin) else "inconclusive"


def within(interval: Interval, margin: float) -> bool:
    """Whether a difference that matters is excluded."""
    return -margin <= interval.low and interval.high <= margin


def outward(scale: Scale, score: float) -> float:
    """From the scale of the scores to what a reader sees."""
    if scale == "difference":
        return score
    try:
        return math.exp(score)
    except OverflowError:
        return math.inf


def _detectable(pairs: Pairs, confidence: float) -> float | None:
    if pairs.rounds < MINIMUM_ROUNDS:
        return None
    sd = float(np.sort(pairs.scores).std(ddof=1))
    shift = detectable_shift(sd, pairs.rounds, confidence, DEFAULT_POWER)
    return shift if pairs.scale == "difference" else outward("ratio", shift) - 1


def _flags(pairs: Pairs, interval: Interval | None, margin: float) -> list[str]:
    flags = []
    if pairs.dropped:
        flags.append(
            f"incomplete: {pairs.dropped} of {pairs.rounds + pairs.dropped} rounds lack a fork and were dropped"
        )
    if interval is None:
        flags.append(f"too few rounds: {pairs.rounds} paired, an interval needs {MINIMUM_ROUNDS}")
    elif pairs.rounds < _SMALL_SAMPLE:
        flags.append(f"few rounds: only {pairs.rounds} paired, the interval's coverage is not assured")
    if interval is not None and interval.high == interval.low:
        flags.append("no spread: every round gives the same figure")
    if interval is not None and (interval.low > 0 or interval.high < 0) and within(interval, margin):
        flags.append("within margin: the difference is real but smaller than the equivalence margin")
    if is_autocorrelated(pairs.scores):
        flags.append("autocorrelated: successive rounds are not independent, the interval may be too short")
    if pairs.scale == "difference":
        flags.append("difference: a value is zero or below, so differences are compared instead of ratios")
    return flags
