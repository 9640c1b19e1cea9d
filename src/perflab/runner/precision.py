"""When to stop: as soon as every interval is narrow enough, never because a result looks significant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.statistics import fork_value, precise_enough

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from perflab.protocol import Metric, Sample


class Precision:
    """Collects each fork's value of the headline metric and looks at the intervals.

    Args:
        metric: The scenario's headline.
        baseline: The label that the others are compared with.
        half_width: Target, relative: 0.05 for 5 %.
    """

    def __init__(self, metric: Metric, baseline: str, half_width: float) -> None:
        self._metric = metric
        self._baseline = baseline
        self._half_width = half_width
        self._values: dict[str, dict[int, float]] = {}

    def add(self, round_: int, label: str, samples: Sequence[Sample]) -> None:
        """Take in a fork."""
        self._values.setdefault(label, {})[round_] = fork_value(samples, self._metric.of)

    def reached(self, dropped: Collection[str]) -> bool:
        """Whether all pairs are precise enough; those that dropped out do not count."""
        kept = {label: values for label, values in self._values.items() if label not in dropped}
        if self._baseline not in kept:
            return False
        rounds = range(1 + max(round_ for values in kept.values() for round_ in values))
        return precise_enough(
            {label: [values.get(round_, float("nan")) for round_ in rounds] for label, values in kept.items()},
            self._baseline,
            self._metric.better,
            target_half_width=self._half_width,
        )
