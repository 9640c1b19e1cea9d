"""Cliff's delta: how often a fork of one variant beats a fork of the other, whatever the size of the win."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

EffectWord = Literal["negligible", "small", "medium", "large"]

# Romano et al. (2006), from Cohen's d of 0.2, 0.5 and 0.8.
_WORDS: tuple[tuple[float, EffectWord], ...] = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"))


def cliffs_delta(
    candidate: Sequence[float] | NDArray[np.float64], baseline: Sequence[float] | NDArray[np.float64]
) -> float:
    """P(candidate > baseline) - P(candidate < baseline) over all pairs of forks, from -1 to 1 (Cliff 1993).

    Raises:
        ValueError: either side is empty.
    """
    ours, theirs = np.asarray(candidate, dtype=float), np.asarray(baseline, dtype=float)
    if not (ours.size and theirs.size):
        raise ValueError("Cliff's delta needs at least one value on either side")
    return float(np.sign(ours[:, np.newaxis] - theirs[np.newaxis, :]).mean())


def effect_word(delta: float) -> EffectWord:
    """The word for a Cliff's delta, by the thresholds of Romano et al. (2006)."""
    return next((word for bound, word in _WORDS if abs(delta) < bound), "large")
