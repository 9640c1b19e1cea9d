"""One variant by itself: where its forks lie and how far they spread."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from perflab.statistics.interval import mean_interval

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Summary:
    """A variant's forks, in the metric's unit; `None` for what too few forks do not give.

    Attributes:
        forks: forks with a value.
        missing: rounds without one.
        low: lower confidence limit of the mean.
        high: upper confidence limit of the mean.
        confidence: of that interval.
        cv: coefficient of variation, standard deviation over mean; a pure number.
    """

    forks: int
    missing: int
    median: float | None
    mean: float | None
    low: float | None
    high: float | None
    confidence: float
    minimum: float | None
    maximum: float | None
    cv: float | None

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready values."""
        return dataclasses.asdict(self)


def summarise(values: Sequence[float], *, confidence: float = 0.95, seed: int = 0) -> Summary:
    """Summarise one variant's forks.

    The interval is of this variant alone: it holds the drift that all variants of a round share, so two of these that
    overlap say nothing about the difference. `compare` does.

    Args:
        values: one value per round; NaN where the fork is missing.
        confidence: of the interval of the mean.
        seed: of the bootstrap.

    Raises:
        ValueError: an infinite value, or a `confidence` not between 0 and 1.
    """
    rounds = np.asarray(values, dtype=float)
    forks = rounds[~np.isnan(rounds)]
    missing = int(rounds.size - forks.size)
    if not forks.size:
        return Summary(0, missing, None, None, None, None, confidence, None, None, None)
    interval = mean_interval(forks, confidence, seed=seed)
    mean = float(np.sort(forks).mean())
    spread = float(forks.std(ddof=1)) if forks.size > 1 else None
    return Summary(
        forks=int(forks.size),
        missing=missing,
        median=float(np.median(forks)),
        mean=mean,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        confidence=confidence,
        minimum=float(forks.min()),
        maximum=float(forks.max()),
        cv=None if spread is None or mean == 0 else spread / abs(mean),
    )
