"""What a sweep says: its points, each analysed by itself, machine by machine."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from perflab.analysis import analyse
from perflab.environment import this_machine
from perflab.errors import UsageError
from perflab.store import PointRecord, find_run, point_key
from perflab.sweeps.grid import MOST_POINTS, label, points_of

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.analysis import Analysis
    from perflab.protocol import Metric, Parameter
    from perflab.store import Sweep, SweepHeader
    from perflab.sweeps.grid import Point

NOT_YET = "not measured yet"


@dataclass(frozen=True)
class Measured:
    """A point that was measured on a machine."""

    params: Point
    machine: str
    analysis: Analysis


@dataclass(frozen=True)
class Gap:
    """A point that was not, and why."""

    params: Point
    machine: str
    why: str


@dataclass(frozen=True)
class SweepResult:
    """A sweep, looked at through one metric.

    Attributes:
        header: What the sweep is.
        machines: The machines that take part, by their keys.
        points: What was measured, in the grid's order, machine by machine.
        missing: What was not.
        notes: What is wrong with the sweep as a whole.
    """

    header: SweepHeader
    machines: dict[str, PointRecord]
    points: list[Measured] = field(default_factory=list)
    missing: list[Gap] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def metric(self) -> Metric | None:
        """The metric, if anything was measured."""
        return self.points[0].analysis.metric if self.points else None

    @property
    def parameters(self) -> list[Parameter]:
        """The swept parameters as the scenario describes them, if anything was measured."""
        described = self.points[0].analysis.run.header.scenario.parameters if self.points else []
        return [one for name in self.header.over for one in described if one.name == name]

    @property
    def broken(self) -> bool:
        """Whether a point is missing, or a variant dropped out of one because something went wrong."""
        return bool(self.missing) or any(one.analysis.broken for one in self.points)

    @property
    def unplaced(self) -> list[Gap]:
        """What is missing and was not tried on any machine yet."""
        return [one for one in self.missing if one.machine not in self.machines]

    def on(self, machine: str) -> SweepResult:
        """What one machine says. Only such a part is ever drawn or tabulated: machines are not pooled."""
        return replace(
            self,
            machines={machine: self.machines[machine]},
            points=[one for one in self.points if one.machine == machine],
            missing=[one for one in self.missing if one.machine == machine],
        )

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
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
            "points": [self._point(one) for one in self.points],
            "missing": [
                {"params": one.params, "why": one.why, "machine": self._machine(one.machine)} for one in self.missing
            ],
            "notes": self.notes,
        }

    def _point(self, point: Measured) -> dict[str, Any]:
        found = point.analysis.to_dict()
        kept = ("run", "metric", "comparisons", "variants", "failures", "void", "notes")
        return {
            "params": point.params,
            "machine": self._machine(point.machine),
            **{name: found[name] for name in kept},
        }

    def _machine(self, key: str) -> dict[str, str]:
        record = self.machines.get(key)
        if record is None:
            return {}
        return {"id": key.partition("@")[0], "title": record.title} | ({"host": record.host} if record.host else {})


def collect(sweep: Sweep, metric: str | None = None, results: Path | None = None) -> SweepResult:
    """Analyse what is on disk of a sweep.

    Args:
        sweep: The sweep.
        metric: A metric's name; the scenario's headline without one.
        results: The results folder.

    Raises:
        UsageError: If there is no such metric.
    """
    found = SweepResult(sweep.header, dict(sweep.machines))
    if sweep.header.on_cluster:
        _collect_cluster(found, sweep, metric, results)
    else:
        _collect_local(found, sweep, metric, results)
    found.notes.extend(_notes(found))
    return found


def _collect_local(found: SweepResult, sweep: Sweep, metric: str | None, results: Path | None) -> None:
    """Each machine that has worked on the sweep measures all points."""
    here = this_machine()
    if not found.machines:
        found.machines[here.id] = PointRecord({}, here.id, title=here.title)
    for machine in found.machines:
        for point in points_of(sweep.header.over):
            name = sweep.run_of(point, machine)
            analysis, why = _analysis(name, metric, results) if name else (None, _why(sweep, point, machine))
            if analysis is not None:
                found.points.append(Measured(point, machine, analysis))
            else:
                found.missing.append(Gap(point, machine, why))


def _collect_cluster(found: SweepResult, sweep: Sweep, metric: str | None, results: Path | None) -> None:
    """Each point is measured by one machine; should two have done so, the first counts."""
    points, missing = [], []
    for point in points_of(sweep.header.over):
        tried = sweep.tried(point)
        record = next((one for one in tried if one.run), tried[-1] if tried else PointRecord(point, "", why=NOT_YET))
        analysis, why = _analysis(record.run, metric, results) if record.run else (None, record.why)
        if analysis is not None:
            points.append(Measured(point, record.machine, analysis))
        else:
            missing.append(Gap(point, record.machine, why))
    for machine in found.machines:
        found.points.extend(one for one in points if one.machine == machine)
    found.missing.extend(missing)
    shown = {one.machine for one in points} | {one.machine for one in missing}
    for machine in set(found.machines) - shown:
        del found.machines[machine]


def _analysis(name: str, metric: str | None, results: Path | None) -> tuple[Analysis | None, str]:
    try:
        run = find_run(name, results)
    except UsageError as error:
        return None, str(error)
    return _analysed(run.folder, metric), ""


@lru_cache(MOST_POINTS)
def _analysed(folder: Path, metric: str | None) -> Analysis:
    """A point's run has ended and stays as it is: who looks at a growing sweep again and again analyses it once."""
    return analyse(find_run(folder.name, folder.parent.parent), metric)


def _why(sweep: Sweep, point: Point, machine: str) -> str:
    record = sweep.records.get((point_key(point), machine))
    return record.why if record else NOT_YET


def _notes(found: SweepResult) -> list[str]:
    notes = []
    for machine in found.machines:
        revisions = {one.analysis.run.header.revision for one in found.points if one.machine == machine}
        if len(revisions) > 1:
            notes.append("points were measured at different revisions: a step in the curve may be a change of code")
    notes += [f"{label(one.params)}: {note}" for one in found.points for note in one.analysis.notes]
    return list(dict.fromkeys(notes))
