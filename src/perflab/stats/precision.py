"""Stopping rule: enough rounds for the requested precision, independent of the result.

Stopping at significance turns noise into discoveries (Armitage, McPherson and Rowe 1969); stopping at a width does not.
But rounds with little spread by chance end a run early, with an interval that is too narrow (Chow and Robbins 1965,
whose rule is exact only in the limit). This is limited by requiring at least `MINIMUM_ROUNDS_TO_STOP` rounds, and that
the target was already met two rounds before. `compare`'s `target_half_width` removes the rest.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from perflab.stats.comparison import pair_rounds, score_and_interval, simultaneous_confidence
from perflab.stats.interval import CONFIDENCE, MINIMUM_ROUNDS, student_quantile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perflab.model.protocol import Better
    from perflab.stats.comparison import Pairs


MINIMUM_ROUNDS_TO_STOP = 8
SETTLING_ROUNDS = 2
_ROUNDING = 1e-9


def half_widths(
    values: Mapping[str, Sequence[float]],
    baseline: str,
    better: Better,
    *,
    confidence: float = CONFIDENCE,
    robust: bool = False,
) -> dict[str, float]:
    """Return the relative half width of each candidate's interval: 0.02 means the factor is known to about ±2 %.

    On the difference scale it is relative to the baseline's mean magnitude. Infinity without an interval or with a
    mean magnitude of zero. `robust` as for `compare`.
    """
    candidates = [name for name in values if name != baseline]
    level = simultaneous_confidence(confidence, len(candidates))
    widths = {}
    for name in candidates:
        pairs = pair_rounds(values[baseline], values[name], better)
        _, interval = score_and_interval(pairs.scores, level, robust=robust)
        widths[name] = math.inf if interval is None else _relative(interval.half_width, pairs)
    return widths


def _relative(half_width: float, pairs: Pairs) -> float:
    if not half_width:
        return 0.0
    if pairs.scale == "ratio":
        return math.expm1(min(half_width, 700.0))
    return half_width / pairs.baseline_level if pairs.baseline_level else math.inf


def _surely_wider(pairs: Pairs, target: float, confidence: float) -> bool:
    """Check that Student's interval, a lower bound that needs no bootstrap, is already too wide."""
    n = len(pairs.scores)
    if n < MINIMUM_ROUNDS:
        return True
    half_width = student_quantile((1 + confidence) / 2, n) * pairs.scores.std(ddof=1) / math.sqrt(n)
    return _relative(float(half_width), pairs) > target * (1 + _ROUNDING)


def precise_enough(
    values: Mapping[str, Sequence[float]],
    baseline: str,
    better: Better,
    *,
    target_half_width: float = 0.02,
    confidence: float = CONFIDENCE,
    robust: bool = False,
) -> bool:
    """Check that every candidate's interval meets the target half width, and already did two rounds before.

    Only widths count, never whether an interval excludes equality.
    The target is relative, as in `half_widths`.
    """
    rounds = max((len(column) for column in values.values()), default=0)
    if rounds < MINIMUM_ROUNDS_TO_STOP:
        return False
    if baseline in values and not robust:
        level = simultaneous_confidence(confidence, len(values) - 1)
        others = (column for name, column in values.items() if name != baseline)
        if any(_surely_wider(pair_rounds(values[baseline], one, better), target_half_width, level) for one in others):
            return False
    earlier = {name: column[:-SETTLING_ROUNDS] for name, column in values.items()}
    return all(
        width <= target_half_width
        for stage in (values, earlier)
        for width in half_widths(stage, baseline, better, confidence=confidence, robust=robust).values()
    )
