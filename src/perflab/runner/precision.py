"""When to stop: as soon as every interval is narrow enough, never because a result looks significant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.statistics import fork_value, precise_enough, precise_enough_unpaired, simultaneous_confidence

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from perflab.protocol import Metric, Sample

_CONFIDENCE = 0.95


class Precision:
    """Collects each fork's value of the headline metric and looks at the intervals.

    Args:
        metric: The scenario's headline.
        pairs: Each candidate's label, and the label that it is compared with round by round.
        half_width: Target, relative: 0.05 for 5 %.
        saved: Labels that are compared with forks of an earlier run, and those forks' values.
    """

    def __init__(
        self, metric: Metric, pairs: Mapping[str, str], half_width: float, saved: Mapping[str, Sequence[float]]
    ) -> None:
        self._metric = metric
        self._pairs = pairs
        self._half_width = half_width
        self._saved = saved
        self._values: dict[str, dict[int, float]] = {}

    def add(self, round_: int, label: str, samples: Sequence[Sample]) -> None:
        """Take in a fork."""
        self._values.setdefault(label, {})[round_] = fork_value(samples, self._metric.of)

    def reached(self, dropped: Collection[str]) -> bool:
        """Whether all comparisons are precise enough; candidates that dropped out do not count."""
        kept = {label: values for label, values in self._values.items() if label not in dropped}
        if not kept:
            return False
        rounds = range(1 + max(round_ for values in kept.values() for round_ in values))
        columns = {label: [values.get(round_, float("nan")) for round_ in rounds] for label, values in kept.items()}
        pairs = [(name, baseline) for name, baseline in self._pairs.items() if name in columns]
        earlier = [label for label in self._saved if label in columns]
        level = simultaneous_confidence(_CONFIDENCE, len(pairs) + len(earlier))
        better, target = self._metric.better, self._half_width
        if not pairs and not earlier:
            return self._alone(columns)
        return all(
            baseline in columns
            and precise_enough(
                {baseline: columns[baseline], name: columns[name]},
                baseline,
                better,
                target_half_width=target,
                confidence=level,
            )
            for name, baseline in pairs
        ) and all(
            precise_enough_unpaired(
                self._saved[label], columns[label], better, target_half_width=target, confidence=level
            )
            for label in earlier
        )

    def _alone(self, columns: Mapping[str, Sequence[float]]) -> bool:
        """Where nothing is compared, each is to be known by itself: as a ratio to one, which nothing up to zero has."""
        if any(value <= 0 for values in columns.values() for value in values):
            return False
        ones = [1.0] * max(map(len, columns.values()))
        return precise_enough({"": ones, **columns}, "", self._metric.better, target_half_width=self._half_width)
