"""A series: runs that may stand in one line, and the changes of level in it."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.statistics import compare_unpaired, find_changes, values_needed

if TYPE_CHECKING:
    from perflab.environment import Machine
    from perflab.protocol import Metric, ParameterValue
    from perflab.statistics import Comparison

_SHORT = 7


@dataclass(frozen=True)
class Point:
    """What a run says.

    Attributes:
        run: Its name.
        created: When it was made, ISO 8601 in UTC.
        commit: What was measured; empty outside of a repository.
        changed: Whether the tree differed from it.
        estimate: The factor over the baseline of the same run, or the metric's own value.
        low: Lower end of its 95 % interval; `None` where the rounds allow none.
        high: Upper end.
        rounds: Of the run.
        runtime: What it ran on.
    """

    run: str
    created: str
    commit: str
    changed: bool
    estimate: float
    low: float | None
    high: float | None
    rounds: int
    runtime: str = ""

    @property
    def revision(self) -> str:
        """The commit as people write it, with a `+` for a tree that differed from it."""
        return (self.commit[:_SHORT] or "no commit") + ("+" if self.changed else "")


@dataclass(frozen=True)
class ChangePoint:
    """A change of level, which lies between two runs.

    Attributes:
        index: Of the first point at the new level.
        before: The last point at the old one.
        after: The first point at the new one.
        step: The new level against the old one; its interval does not know that the place was chosen for its size.
        p: Of shuffled series, the share with a split as good.
        also: What else is different from one point to the other: the runtime, changes that were not committed.
    """

    index: int
    before: Point
    after: Point
    step: Comparison
    p: float
    also: tuple[str, ...] = ()

    @property
    def commits(self) -> str:
        """The commits between which it lies, as git takes them; empty if they are one and the same, or unknown."""
        if not (self.before.commit and self.after.commit) or self.before.commit == self.after.commit:
            return ""
        return f"{self.before.commit[:_SHORT]}..{self.after.commit[:_SHORT]}"

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready values."""
        return {
            "index": self.index,
            "between": [self.before.run, self.after.run],
            "commits": self.commits,
            "verdict": self.step.verdict,
            "factor": {"estimate": self.step.estimate, "low": self.step.low, "high": self.step.high},
            "p": self.p,
            "also_changed": list(self.also),
        }


@dataclass(frozen=True)
class Series:
    """Runs of one machine that measured the same in the same way, oldest first.

    Attributes:
        component: The topic.
        scenario: Its scenario.
        settings: All its parameters.
        metric: What was measured.
        variant: Of which variant.
        baseline: The variant of the same run that it is compared with; empty for absolute values.
        machine: The machine.
        points: One per run.
    """

    component: str
    scenario: str
    settings: dict[str, ParameterValue]
    metric: Metric
    variant: str
    baseline: str
    machine: Machine
    points: list[Point]

    @functools.cached_property
    def changes(self) -> list[ChangePoint]:
        """Where the level changed; none where there are too few runs to tell."""
        if self.missing:
            return []
        logarithms = [math.log(point.estimate) for point in self.points]
        found = find_changes(logarithms)
        ends = [0, *(one.index for one in found), len(self.points)]
        return [
            self._change(one.index, one.p, slice(start, one.index), slice(one.index, stop))
            for one, start, stop in zip(found, ends, ends[2:], strict=False)
        ]

    @property
    def missing(self) -> int:
        """Runs that are missing before a change could be found at all."""
        return max(values_needed() - len(self.points), 0)

    @property
    def levels(self) -> list[tuple[int, int, float]]:
        """First index, last index and geometric mean of each level."""
        ends = [0, *(one.index for one in self.changes), len(self.points)]
        found = []
        for start, stop in itertools.pairwise(ends):
            logarithms = [math.log(point.estimate) for point in self.points[start:stop]]
            found.append((start, stop - 1, math.exp(sum(logarithms) / len(logarithms))))
        return found

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints of it."""
        return {
            "component": self.component,
            "scenario": self.scenario,
            "params": self.settings,
            "metric": {"name": self.metric.name, "unit": self.metric.unit, "better": self.metric.better},
            "variant": self.variant,
            "baseline": self.baseline or None,
            "machine": {"id": self.machine.id, "title": self.machine.title},
            "points": [dataclasses.asdict(point) for point in self.points],
            "changes": [one.to_dict() for one in self.changes],
            "runs_missing": self.missing,
        }

    def _change(self, index: int, p: float, old: slice, new: slice) -> ChangePoint:
        # A factor over the baseline is already the right way round.
        better = "higher" if self.baseline else self.metric.better
        step = compare_unpaired(
            [point.estimate for point in self.points[old]],
            [point.estimate for point in self.points[new]],
            self.metric.name,
            "x" if self.baseline else self.metric.unit,
            better,
        )
        before, after = self.points[index - 1], self.points[index]
        return ChangePoint(index, before, after, step, p, tuple(_also(before, after)))


def _also(before: Point, after: Point) -> list[str]:
    found = []
    if before.runtime != after.runtime:
        found.append(f"the runtime: {before.runtime} before, {after.runtime} after")
    if before.changed or after.changed:
        found.append("changes that were not committed")
    return found
