"""From the store to series: which runs may stand in one line."""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec

from perflab.measure.analysis import compare_in, figures, fork_table
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

    import pandas as pd

    from perflab.host.machine import Machine
    from perflab.model.estimate import Estimate
    from perflab.model.protocol import Metric, ParameterValue
    from perflab.stats.comparison import Comparison
    from perflab.store.runs import Run


_SHORT = 7

_MOST_SEARCHED = 300
"""Of a series' newest runs. To look for changes takes the square of their number, two thousand times."""
_FULLY_SEARCHED = 5
"""So many series have as many runs searched; of more, fewer are, so that all of them take no longer."""
_MOST_SERIES = 200


@dataclass(frozen=True)
class HistoryPoint:
    """What a run says.

    Attributes:
        run: Its name.
        created: When it was made, ISO 8601 in UTC.
        commit: What was measured; empty outside of a repository.
        changed: Whether the tree differed from it.
        estimate: The factor over the baseline of the same run, or the metric's own value, with its 95 % interval.
        rounds: Of the run.
        runtime: What it ran on.
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
    before: HistoryPoint
    after: HistoryPoint
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
            "factor": flat(self.step.estimate),
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
        shape: How long the processes are, for people.
        points: One per run.
        searched: The newest runs in which a change is looked for, at most.
    """

    component: str
    scenario: str
    settings: dict[str, ParameterValue]
    metric: Metric
    variant: str
    baseline: str
    machine: Machine
    shape: str
    points: list[HistoryPoint]
    searched: int = _MOST_SEARCHED

    @functools.cached_property
    def changes(self) -> list[ChangePoint]:
        """Where the level changed; none where there are too few runs to tell."""
        if self.missing:
            return []
        logarithms = [math.log(point.estimate.value) for point in self.points]
        first = self.unsearched
        found = [(first + one.index, one.p) for one in find_changes(logarithms[first:])]
        ends = [first, *(index for index, _ in found), len(self.points)]
        return [
            self._change(index, p, slice(start, index), slice(index, stop))
            for (index, p), start, stop in zip(found, ends, ends[2:], strict=False)
        ]

    @property
    def unsearched(self) -> int:
        """The oldest runs, in which no change is looked for: there are too many."""
        return max(len(self.points) - self.searched, 0)

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
            logarithms = [math.log(point.estimate.value) for point in self.points[start:stop]]
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
            "shape": self.shape,
            "points": [flat_fields(point) for point in self.points],
            "changes": [one.to_dict() for one in self.changes],
            "runs_missing": self.missing,
            "runs_unsearched": self.unsearched,
        }

    def _change(self, index: int, p: float, old: slice, new: slice) -> ChangePoint:
        # A factor over the baseline is already the right way round.
        better = "higher" if self.baseline else self.metric.better
        step = compare_unpaired(
            [point.estimate.value for point in self.points[old]],
            [point.estimate.value for point in self.points[new]],
            self.metric.name,
            "x" if self.baseline else self.metric.unit,
            better,
        )
        before, after = self.points[index - 1], self.points[index]
        return ChangePoint(index, before, after, step, p, tuple(_also(before, after)))


def _also(before: HistoryPoint, after: HistoryPoint) -> list[str]:
    found = []
    if before.runtime != after.runtime:
        found.append(f"the runtime: {before.runtime} before, {after.runtime} after")
    if before.changed or after.changed:
        found.append("changes that were not committed")
    return found


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
    """The series of a topic, the longest of each variant first.

    Runs stand in one series if they are of one machine, and had the same parameters, the same meaning of the metric and
    forks of the same length, which decides how far a just-in-time compiler gets. Partial runs, plug-ins and builds of
    other commits that took part in a run are left out.

    Args:
        results: The results folder.
        topic: The component's name.
        scenario: That of the newest run by default.
        variants: All but the baseline by default.
        metric: The scenario's headline by default.
        against: The baseline, a variant of the same run; by default that of most runs.
        absolute: Whether to collect the values themselves instead of factors over a baseline.
        machine: Whose runs there are, before anything is chosen by them; all machines' by default.

    Raises:
        UsageError: If there is no such run, or there are too many series.
    """
    runs = _runs(results, topic, scenario, metric, machine)
    name = runs[-1].header.scenario.name
    baseline = "" if absolute else against or _usual_baseline(runs)
    measured = {variant for run in runs for _, labels in _at_each(run) for variant in labels}
    for one in [*variants, *([baseline] if baseline else [])]:
        if one not in measured:
            raise unknown(f"variant in the runs of {topic} {name}", one, measured)
    chosen = list(variants) or sorted(measured - {baseline})
    found: dict[tuple[str, bytes], Series] = {}
    for run in runs:
        _add(found, run, metric, [one for one in chosen if one != baseline], baseline)
        if len(found) > _MOST_SERIES:
            raise UsageError(
                f"there are more than {_MOST_SERIES} series, each of which has a chart", "choose a --variant"
            )
    if not found:
        raise UsageError(
            f"no run of {topic} {name} compares {', '.join(chosen) or 'any variant'} with {baseline}",
            f"--against another of {', '.join(sorted(measured))}, or --absolute",
        )
    order = {name: place for place, name in enumerate(chosen)}
    searched = int(_MOST_SEARCHED * min(1, _FULLY_SEARCHED / len(found)) ** 0.5)
    series = [replace(one, searched=searched) for one in found.values()]
    return sorted(series, key=lambda one: (order[one.variant], -len(one.points)))


def _runs(results: Path, topic: str, scenario: str | None, metric: str | None, machine: str | None) -> list[Run]:
    kinds = ["measure", "regression", "scaling"]
    runs = select_runs(find_runs(results, component=topic), kinds=kinds, plugin="", machine=machine)
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
        if any(len(labels) > 1 for _, labels in _at_each(run))
    )
    return usual.most_common(1)[0][0] if usual else ""


def _at_each(run: Run) -> list[tuple[dict[str, ParameterValue], dict[str, str]]]:
    """All parameters, with each of the values over which variants took turns, and the labels of the variants there.

    Those of the run's own build: another one's has a label of its own.
    """
    header = run.header
    swept = {one.name for one in header.scenario.parameters} if header.kind == "scaling" else set[str]()
    found: dict[bytes, tuple[dict[str, ParameterValue], dict[str, str]]] = {}
    for arm in header.arms:
        own = {name: value for name, value in arm.params.items() if name in swept}
        if not arm.commit and (own or arm.label == arm.variant):
            settings = header.settings | own
            _, labels = found.setdefault(_print([sorted(settings.items())]), (settings, {}))
            labels[arm.variant] = arm.label
    return list(found.values())


def _add(
    found: dict[tuple[str, bytes], Series], run: Run, name: str | None, variants: Sequence[str], against: str
) -> None:
    header = run.header
    metric = header.scenario.all_metrics.get(name or header.scenario.headline.name)
    present = [
        (settings, variant, labels[variant], labels[against] if against else "")
        for settings, labels in _at_each(run)
        for variant in variants
        if variant in labels and (not against or against in labels)
    ]
    if metric is None or not present:
        return
    try:
        with figures(run.id):
            table = fork_table(run, metric.of)
            points = [
                (settings, variant, _point(run, metric, table, label, base))
                for settings, variant, label, base in present
            ]
    except UsageError:
        return
    for settings, variant, point in points:
        if point is None:
            continue
        key = _print([header.machine.id, sorted(settings.items()), metric, header.shape])
        series = found.setdefault(
            (variant, key),
            Series(
                header.component,
                header.scenario.name,
                settings,
                metric,
                variant,
                against,
                header.machine,
                header.shape_text,
                [],
            ),
        )
        series.points.append(point)


def _print(value: list[object]) -> bytes:
    """What tells a value from others, and is short: settings may have a megabyte."""
    return hashlib.sha256(msgspec.json.encode(value)).digest()


def _point(run: Run, metric: Metric, table: pd.DataFrame, label: str, against: str) -> HistoryPoint | None:
    """What a run says of one of its labels; `None` if it says nothing, or what has no logarithm."""
    if label not in table or (against and against not in table):
        return None
    values = table[label].tolist()
    if against:
        (one,) = compare_in(run, metric, {against: table[against].tolist(), label: values}, against)
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
