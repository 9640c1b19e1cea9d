"""Sweeps: the same plan at each point of a grid of parameters, and what its runs say."""

from __future__ import annotations

import dataclasses
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from perflab import __version__
from perflab.host.machine import this_machine
from perflab.measure.analysis import analyse
from perflab.measure.grid import MOST_POINTS, point_text, points_of, read_axes, shuffled, texts
from perflab.measure.measure import execute
from perflab.measure.plan import Request, plan, present_build
from perflab.model.errors import BenchError, UsageError, unknown
from perflab.model.progress import PartialProgress
from perflab.store.kept import PointRecord, SweepHeader, keep_point, open_sweep, point_key, start_sweep
from perflab.store.records import new_id
from perflab.store.runs import read_run
from perflab.topics.catalogue import check_parameters, find_component, select_scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perflab.measure.analysis import Analysis
    from perflab.measure.grid import Point
    from perflab.measure.plan import Plan
    from perflab.model.lab import Lab
    from perflab.model.progress import Progress
    from perflab.model.protocol import Metric, Parameter
    from perflab.store.kept import Sweep
    from perflab.store.runs import Run


@dataclass(frozen=True)
class SweepPlan:
    """A sweep that can be measured."""

    sweep: Sweep
    plan: Plan

    @property
    def points(self) -> list[Point]:
        """The points in the order in which they are measured."""
        return shuffled(points_of(self.sweep.header.over), self.sweep.header.seed)

    def at(self, point: Point) -> Plan:
        """Return the plan of a point."""
        return dataclasses.replace(self.plan, params={**self.sweep.header.params, **point})


def plan_sweep(request: Request, over: Sequence[str], progress: Progress) -> SweepPlan:
    """Build if needed, and check all points, writing nothing yet. The caller holds the measurement lock."""
    build = present_build(request.component, progress, request.plugin)
    axes = read_axes(select_scenario(build.description, request.scenario), over, request.params)
    planned = plan(request, progress, build)
    if planned.counting:
        raise UsageError("a sweep times", "./lab measure counts one point")
    header = SweepHeader(
        id=new_id(planned.component.name, planned.scenario.name, "sweep"),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        component=planned.component.name,
        scenario=planned.scenario.name,
        variants=[arm.variant for arm in planned.arms],
        baseline=planned.baseline,
        over=axes,
        params=planned.params,
        preset=planned.preset_name,
        options=msgspec.to_builtins(planned.preset),
        seed=request.seed,
        perflab=__version__,
        plugin=str(request.plugin.absolute()) if request.plugin else "",
        machine=this_machine().id,
    )
    found = SweepPlan(open_sweep(header, planned.component.lab.results), planned)
    if planned.build.bench:
        # For its errors: each benchmark must exist at each point.
        for at in map(found.at, found.points):
            for arm in at.arms:
                planned.build.bench.benchmark(at.whole(arm))
    return found


def plan_again(lab: Lab, sweep: Sweep, progress: Progress) -> SweepPlan:
    """Restore the plan of a started sweep unchanged. The caller holds the measurement lock."""
    header = sweep.header
    plugin = _place(lab, header.plugin) if header.plugin else None
    if plugin and not plugin.exists():
        raise UsageError(
            "the plug-in of this sweep is gone", f"it was {header.plugin}, where no name of a user or a host is kept"
        )
    request = Request(
        component=find_component(lab, header.component),
        scenario=header.scenario,
        variants=header.variants,
        params=texts(header.params),
        preset=header.preset,
        overrides=header.options,
        baseline=header.baseline,
        plugin=plugin,
        seed=header.seed,
    )
    planned = plan(request, progress)
    for point in points_of(header.over):
        check_parameters(planned.scenario, texts(point))
    return SweepPlan(sweep, planned)


def _place(lab: Lab, told: str) -> Path:
    try:
        return lab.root / Path(told).expanduser()
    except RuntimeError:  # ~user is unknown here
        return lab.root / told


def measure_here(plan: SweepPlan, progress: Progress, finished: Callable[[Point, Run], None]) -> None:
    """Measure the points that have not been measured yet. The caller holds the measurement lock.

    A point that cannot be measured is recorded with its reason, and the sweep continues.
    """
    sweep, machine = plan.sweep, this_machine()
    start_sweep(sweep.header, sweep.results)
    missing = [point for point in plan.points if not sweep.run_of(point)]
    of = len(plan.points)
    for number, point in enumerate(missing, start=of - len(missing)):
        try:
            run = execute(plan.at(point), _PointProgress(progress, point_text(point), number, of))
        except (BenchError, UsageError) as error:
            # The scenario may accept the next point.
            progress.note(f"{point_text(point)}: {error}")
            keep_point(sweep, PointRecord(point, machine.id, why=str(error), title=machine.title))
        else:
            keep_point(sweep, PointRecord(point, machine.id, run=run.id, title=machine.title))
            finished(point, run)


class _PointProgress(PartialProgress):
    """Reports a point's progress as part of its sweep, assuming that later points take as long."""

    def __init__(self, whole: Progress, name: str, number: int, of: int) -> None:
        super().__init__(whole, number / of, (number + 1) / of)
        self._name, self._place = name, f"point {number + 1} of {of}"
        self._following = of - number - 1
        self._started = time.monotonic()

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        left = seconds_left
        if seconds_left is not None:
            left = seconds_left + self._following * (time.monotonic() - self._started + seconds_left)
        super().update(done, f"{self._place}, {self._name}: {text}", left)

    def note(self, text: str) -> None:
        super().note(f"{self._name}: {text}")


@dataclass(frozen=True)
class MeasuredPoint:
    """A point that was measured."""

    params: Point
    record: PointRecord
    analysis: Analysis


@dataclass(frozen=True)
class MissingPoint:
    """A point that was not measured, and why."""

    params: Point
    why: str
    record: PointRecord | None = None


@dataclass(frozen=True)
class SweepResult:
    """A sweep analysed by one metric, with its points in grid order."""

    header: SweepHeader
    points: list[MeasuredPoint] = field(default_factory=list)
    missing: list[MissingPoint] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def metric(self) -> Metric | None:
        """Metric of the results, if anything was measured."""
        return self.points[0].analysis.metric if self.points else None

    @property
    def parameters(self) -> list[Parameter]:
        """The swept parameters as the scenario describes them, if anything was measured."""
        described = self.points[0].analysis.run.header.scenario.parameters if self.points else []
        return [one for name in self.header.over for one in described if one.name == name]

    @property
    def broken(self) -> bool:
        """Return whether a point is missing, or a variant failed at one."""
        return bool(self.missing) or any(one.analysis.broken for one in self.points)

    @property
    def machines(self) -> list[str]:
        """Names of the machines that measured."""
        return list(dict.fromkeys(one.record.host or one.record.title for one in self.points))

    def to_dict(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        header = self.header
        return {
            "sweep": header.id,
            "topic": header.component,
            "scenario": header.scenario,
            "baseline": header.baseline,
            "variants": header.variants,
            "preset": header.preset,
            "params": header.params,
            "over": header.over,
            "points": [_point(one) for one in self.points],
            "missing": [
                {"params": one.params, "why": one.why, "machine": _machine(one.record)} for one in self.missing
            ],
            "notes": self.notes,
        }


def _point(point: MeasuredPoint) -> dict[str, Any]:
    # Without the noise, since counting false alarms takes seconds.
    analysed = replace(point.analysis, noise=None).to_dict()
    kept = ("run", "metric", "comparisons", "variants", "failures", "void", "notes")
    return {"params": point.params, "machine": _machine(point.record), **{name: analysed[name] for name in kept}}


def _machine(record: PointRecord | None) -> dict[str, str]:
    if record is None:
        return {}
    return {"id": record.machine, "title": record.title} | ({"host": record.host} if record.host else {})


def collect(sweep: Sweep, metric: str | None = None) -> SweepResult:
    """Analyse the finished points of a sweep."""
    result = SweepResult(sweep.header)
    for point in points_of(sweep.header.over):
        record = sweep.records.get(point_key(point))
        if record is None or not record.run:
            result.missing.append(MissingPoint(point, record.why if record else "not measured yet", record))
            continue
        try:
            result.points.append(MeasuredPoint(point, record, _analysis(sweep, point, record, metric)))
        except UsageError as error:
            result.missing.append(MissingPoint(point, str(error), record))
    if metric is not None and not result.points:
        _check_metric(sweep, metric)
    result.notes.extend(_notes(result))
    return result


def _check_metric(sweep: Sweep, metric: str) -> None:
    """Raise if no run has the metric; if only some lack it, they are older than the metric."""
    known: dict[str, None] = {}
    for record in sweep.records.values():
        with suppress(UsageError):
            known |= dict.fromkeys(_run_of(sweep, record).header.scenario.all_metrics if record.run else ())
    if known and metric not in known:
        raise unknown(f"metric of {sweep.header.scenario}", metric, known)


def _run_of(sweep: Sweep, record: PointRecord) -> Run:
    return read_run(sweep.results / "runs" / record.run)


def _analysis(sweep: Sweep, point: Point, record: PointRecord, metric: str | None) -> Analysis:
    """Analyse a point's run; raises a UsageError if it cannot be read, or is the run of something else."""
    run = _run_of(sweep, record)
    header, scenario = sweep.header, run.header.scenario
    wanted = (header.component, header.scenario, scenario.settings({**header.params, **point}))
    if (run.header.component, scenario.name, run.header.settings) != wanted:
        raise UsageError(f"run {run.id} is none of this point")
    return _analysed(run.folder, metric)


@lru_cache(MOST_POINTS)
def _analysed(folder: Path, metric: str | None) -> Analysis:
    """Analyse a point's run, cached because finished runs do not change while a sweep grows."""
    return analyse(read_run(folder), metric)


def _notes(result: SweepResult) -> list[str]:
    notes = []
    if len(result.machines) > 1:
        notes.append(f"measured on {', '.join(result.machines)}: compare factors between their points, not values")
    if len({one.analysis.run.header.revision for one in result.points}) > 1:
        notes.append("points were measured at different revisions: a step in the curve may be a change of code")
    notes += [f"{point_text(one.params)}: {note}" for one in result.points for note in one.analysis.notes]
    return list(dict.fromkeys(notes))
