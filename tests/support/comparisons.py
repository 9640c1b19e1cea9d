"""A comparison of given figures, without rounds behind it."""

from __future__ import annotations

from perflab.model.estimate import Estimate
from perflab.stats.comparison import Comparison


def factor(value: float, low: float | None = None, high: float | None = None) -> Estimate:
    return Estimate(value, low, high, unit="x")


def comparison(candidate: str, estimate: Estimate | None, verdict: str = "faster", baseline: str = "b") -> Comparison:
    """On the ratio scale where the estimate is a factor."""
    return Comparison(
        baseline=baseline,
        candidate=candidate,
        metric="rate",
        unit=estimate.unit if estimate and not estimate.is_factor else "messages/s",
        better="higher",
        scale="ratio" if estimate is None or estimate.is_factor else "difference",
        rounds=8,
        estimate=estimate,
        confidence=0.95,
        cliffs_delta=None,
        effect=None,
        minimum_detectable_effect=0.04,
        verdict=verdict,  # type: ignore[arg-type]
    )
