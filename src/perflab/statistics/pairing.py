"""Round by round, how much better the candidate is: paired log ratios, or differences where a log is not defined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from perflab.protocol.messages import Better

Scale = Literal["ratio", "difference"]

# Log ratios this close to zero come from rounding in a metric's sums and divisions, not from a machine.
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
        """Mean size of the baseline's values: what a relative margin on the difference scale is relative to."""
        return float(np.abs(self.baseline).mean()) if self.rounds else 0.0


def pair_rounds(baseline: Sequence[float], candidate: Sequence[float], better: Better) -> Pairs:
    """Pair two variants round by round; a round in which either is NaN is dropped and counted.

    The scale is `ratio` if every paired value is above zero, else `difference`.

    Raises:
        ValueError: different numbers of rounds, an infinite value, or an unknown direction.
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
    """1 if higher values are better, -1 if lower ones are.

    Raises:
        ValueError: `better` is neither `higher` nor `lower`.
    """
    if better not in ("higher", "lower"):
        raise ValueError(f"better is 'higher' or 'lower', not {better!r}")
    return 1 if better == "higher" else -1
