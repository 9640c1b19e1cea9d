"""What is unusual about one variant's forks: outliers, two modes, drift, memory from round to round."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from perflab.statistics.autocorrelation import is_autocorrelated, lag1_autocorrelation
from perflab.statistics.drift import Drift, drift
from perflab.statistics.modality import Modality, modality
from perflab.statistics.outliers import Outliers, classify_outliers

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """What was found; a part is None where the forks are too few or too alike to say.

    Attributes:
        autocorrelation: lag-1, from -1 to 1. Drift that all variants share shows here and cancels in the paired ratio.
        flags: what a reader should know, each `keyword: explanation`.
    """

    forks: int
    outliers: Outliers
    modality: Modality | None
    drift: Drift | None
    autocorrelation: float | None
    flags: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready values."""
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


def diagnose(values: Sequence[float]) -> Diagnostics:
    """Diagnose one variant's forks, in the order of the rounds; NaN where a fork is missing.

    Raises:
        ValueError: an infinite value.
    """
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
        low, high = modes.centres
        flags.append(
            f"bimodal: {1 - modes.upper_share:.0%} of the forks near {low:.4g}, {modes.upper_share:.0%} near {high:.4g}"
        )
    if trend and trend.drifting:
        flags.append(f"drift: {trend.change:+.1%} over the run")
    if is_autocorrelated(present):
        flags.append("autocorrelated: a fork depends on the one before it")
    return Diagnostics(int(present.size), outliers, modes, trend, lag1_autocorrelation(present), tuple(flags))
