"""The history of a topic: series of comparable runs, and the changes of level in them."""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import msgspec

from perflab.measure.analysis import compare_in, figures, fork_table
from perflab.measure.counted import is_counted
from perflab.model.errors import UsageError, unknown
from perflab.model.estimate import flat, flat_fields
from perflab.stats.changes import find_changes, values_needed
from perflab.stats.diagnostics import summarise
from perflab.stats.unpaired import compare_unpaired
from perflab.store.runs import find_runs, select_runs
from perflab.topics.catalogue import find_metric

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from perflab.host.machine import Machine
    from perflab.measure.analysis import Table
    from perflab.model.estimate import Estimate
    from perflab.model.protocol import Metric, ParameterValue
    from perflab.stats.changes import Change
    from perflab.stats.comparison import Comparison
    from perflab.store.runs import Run


_SHORT = 7


@dataclass(frozen=True)
class HistoryPoint:
    """A variant's figure in a run: the factor over the baseline of the same run, or the metric's own value.

    `changed` says whether the tree differed from the commit, which is empty outside of a repository.
    """

    run: str
    created: str
    commit: str
    changed: bool
    estimate: Estimate
    rounds: int
    runtime: str = ""

    @property
    def revision(self) -> str:
        """The short commit, with a `+` for a tree that differed from it."""
        return (self.commit[:_SHORT] or "no commit") + ("+" if self.changed else "")


@dataclass(frozen=True)
class ChangePoint:
    """A change of level between two runs, of which `after` has the `index`.

    Attributes:
        step: The new level against the old one; its interval does not know that the place was chosen for its size.
        p: Share of shuffled series with a split as good.
        also: Other differences between the two points: the runtime, changes that were not committed.
    """

    index: int
    before: HistoryPoint
    after: HistoryPoint
    step: Comparison
    p: float
    also: tuple[str, ...] = ()

    @property
    def commits(self) -> str:
        """The range of commits for git; empty if they are equal or unknown."""
        if not (self.before.commit and self.after.commit) or self.before.commit == self.after.commit:
            return ""
        return f"{self.before.commit[:_SHORT]}..{self.after.commit[:_SHORT]}"

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {
            "index": self.index,
            "between": [self.before.run, self.after.run],
            "commits": self.commits,
            "verdict": self.step.verdict,
            "factor": flat(self.step.estimate),
            "p": self.p,
            "also_changed": list(self.also),
        }


@dataclass(frozen=True)
class Series:
    """Runs of one machine that measured the same in the same way, oldest first; without a baseline, absolute values."""

    component: str
    scenario: str
    settings: dict[str, ParameterValue]
    metric: Metric
    variant: str
    baseline: str
    machine: Machine
    shape: str
    points: list[HistoryPoint]

    @functools.cached_property
    def changes(self) -> list[ChangePoint]:
        """The changes of level; none if there are too few runs to tell."""
        if self.missing:
            return []
        found = find_changes([math.log(point.estimate.value) for point in self.points])
        ends = [0, *(one.index for one in found), len(self.points)]
        return [
            self._change(one, slice(start, one.index), slice(one.index, stop))
            for one, start, stop in zip(found, ends, ends[2:], strict=False)
        ]

    @property
    def missing(self) -> int:
        """Number of further runs needed to find a change."""
        return max(values_needed() - len(self.points), 0)

    @property
    def levels(self) -> list[tuple[int, int, float]]:
        """First index, last index and geometric mean of each level."""
        ends = [0, *(one.index for one in self.changes), len(self.points)]
        return [
            (start, stop - 1, math.exp(fmean(math.log(point.estimate.value) for point in self.points[start:stop])))
            for start, stop in itertools.pairwise(ends)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {
            "component": self.component,
            "scenario": self.scenario,
            "params": self.settings,
            "metric": {"name": self.metric.name, "unit": self.metric.unit, "better": self.metric.better},
            "variant": self.variant,
            "baseline": self.baseline or None,
            "machine": {"id": self.machine.id, "title": self.machine.title},
            "shape": self.shape,
            "points": [flat_fields(point) for point in self.points],
            "changes": [one.to_dict() for one in self.changes],
            "runs_missing": self.missing,
        }

    def _change(self, found: Change, old: slice, new: slice) -> ChangePoint:
        step = compare_unpaired(
            [point.estimate.value for point in self.points[old]],
            [point.estimate.value for point in self.points[new]],
            self.metric.name,
            "x" if self.baseline else self.metric.unit,
            # A factor over the baseline is already the right way round.
            "higher" if self.baseline else self.metric.better,
        )
        before, after = self.points[found.index - 1], self.points[found.index]
        also = []
        if before.runtime != after.runtime:
            also.append(f"the runtime: {before.runtime} before, {after.runtime} after")
        if before.changed or after.changed:
            also.append("changes that were not committed")
        return ChangePoint(found.index, before, after, step, found.p, tuple(also))


def collect(
    results: Path,
    topic: str,
    *,
    scenario: str | None = None,
    variants: Sequence[str] = (),
    metric: str | None = None,
    against: str | None = None,
    absolute: bool = False,
    machine: str | None = None,
) -> list[Series]:
    """Collect the series of a topic, the longest of each variant first.

    Runs stand in one series if they are of one machine, and had the same parameters, the same meaning of the metric and
    forks of the same length, which decides how far a just-in-time compiler gets. Partial runs, plug-ins and builds of
    other commits that took part in a run are left out. By default it is the newest run's scenario and its headline, on
    all machines, and all variants against the baseline of most runs.
    """
    runs = _runs(results, topic, scenario, metric, machine)
    name = runs[-1].header.scenario.name
    baseline = "" if absolute else against or _usual_baseline(runs)
    measured = {variant for run in runs for _, labels in _labels_by_settings(run) for variant in labels}
    for one in [*variants, *([baseline] if baseline else [])]:
        if one not in measured:
            raise unknown(f"variant in the runs of {topic} {name}", one, measured)
    chosen = list(variants) or sorted(measured - {baseline})
    found: dict[tuple[str, bytes], Series] = {}
    for run in runs:
        _add(found, run, metric, [one for one in chosen if one != baseline], baseline)
    if not found:
        raise UsageError(
            f"no run of {topic} {name} compares {', '.join(chosen) or 'any variant'} with {baseline}",
            f"--against another of {', '.join(sorted(measured))}, or --absolute",
        )
    return sorted(found.values(), key=lambda one: (chosen.index(one.variant), -len(one.points)))


def _runs(results: Path, topic: str, scenario: str | None, metric: str | None, machine: str | None) -> list[Run]:
    kinds = ["measure", "regression", "scaling"]
    runs = select_runs(find_runs(results, component=topic), kinds=kinds, plugin="", machine=machine)
    runs = [run for run in runs if not is_counted(run.header.scenario)]
    if not runs:
        where = " of this machine" if machine else ""
        raise UsageError(f"the store has no complete run of {topic}{where}", f"./lab measure {topic} makes one")
    name = scenario or runs[-1].header.scenario.name
    chosen = [run for run in runs if run.header.scenario.name == name]
    if not chosen:
        raise unknown(f"scenario in the runs of {topic}", name, {run.header.scenario.name for run in runs})
    find_metric(chosen[-1].header.scenario, metric)
    return chosen


def _usual_baseline(runs: Sequence[Run]) -> str:
    usual = Counter(
        next(arm.variant for arm in run.header.arms if arm.label == run.header.baseline)
        for run in runs
        if any(len(labels) > 1 for _, labels in _labels_by_settings(run))
    )
    return usual.most_common(1)[0][0] if usual else ""


def _labels_by_settings(run: Run) -> list[tuple[dict[str, ParameterValue], dict[str, str]]]:
    """Return, for each value of swept parameters, all settings and the labels of the own build's variants."""
    header = run.header
    swept = {one.name for one in header.scenario.parameters} if header.kind == "scaling" else set[str]()
    found: dict[bytes, tuple[dict[str, ParameterValue], dict[str, str]]] = {}
    for arm in header.arms:
        own = {name: value for name, value in arm.params.items() if name in swept}
        # The label of another build's arm is not its variant.
        if not arm.commit and (own or arm.label == arm.variant):
            settings = header.settings | own
            _, labels = found.setdefault(msgspec.json.encode(sorted(settings.items())), (settings, {}))
            labels[arm.variant] = arm.label
    return list(found.values())


def _add(
    found: dict[tuple[str, bytes], Series], run: Run, name: str | None, variants: Sequence[str], against: str
) -> None:
    """Add a run's points to the series, each of which is of one variant, machine, settings, metric and shape."""
    header = run.header
    metric = header.scenario.all_metrics.get(name or header.scenario.headline.name)
    present = [
        (settings, variant, labels[variant], labels[against] if against else "")
        for settings, labels in _labels_by_settings(run)
        for variant in variants
        if variant in labels and (not against or against in labels)
    ]
    if metric is None or not present:
        return
    try:
        with figures(run.id):
            table = fork_table(run, metric)
            points = [_point(run, metric, table, label, base) for _, _, label, base in present]
    except UsageError:
        return
    for (settings, variant, _, _), point in zip(present, points, strict=True):
        if point is not None:
            key = msgspec.json.encode([header.machine.id, sorted(settings.items()), metric, header.shape])
            series = Series(
                header.component,
                header.scenario.name,
                settings,
                metric,
                variant,
                against,
                header.machine,
                header.shape_text,
                [],
            )
            found.setdefault((variant, key), series).points.append(point)


def _point(run: Run, metric: Metric, table: Table, label: str, against: str) -> HistoryPoint | None:
    """Return a label's point; `None` if it has no figure, or one without a logarithm."""
    if label not in table or (against and against not in table):
        return None
    values = table[label]
    if against:
        (one,) = compare_in(run, metric, {against: table[against], label: values}, against)
        estimate, rounds = one.estimate if one.scale == "ratio" else None, one.rounds
    else:
        summary = summarise(values, metric.unit, sequential=run.header.sequential)
        estimate, rounds = summary.mean, summary.forks
    if estimate is None or not 0 < estimate.value < math.inf:
        return None
    header = run.header
    runtime = f"{header.runtime.name} {header.runtime.version}"
    return HistoryPoint(
        run.id, header.created, header.revision.commit, header.revision.dirty, estimate, rounds, runtime
    )
