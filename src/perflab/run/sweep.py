"""What a sweep says: its points, each analysed by itself, machine by machine."""

from __future__ import annotations

import dataclasses
import random
import re
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from perflab import __version__
from perflab.components.catalogue import check_parameters, find_component, select_scenario
from perflab.components.program import describe
from perflab.machine.machine import this_machine
from perflab.model.errors import BenchError, UsageError, unknown
from perflab.model.protocol import ParameterValue
from perflab.run.analysis import analyse
from perflab.run.measure import Request, execute, plan, prepare
from perflab.store.reading import find_run
from perflab.store.sweeps import PointRecord, SweepHeader, keep_point, new_sweep_id, open_sweep, point_key, start_sweep

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from perflab.model.protocol import Metric, Parameter, Scenario
    from perflab.run.analysis import Analysis
    from perflab.run.experiment import Experiment
    from perflab.run.lock import Progress
    from perflab.store.reading import Run
    from perflab.store.sweeps import Sweep


MOST_POINTS = 500
"""A grid larger than this is a mistake, or weeks of measuring."""

_MOST_AXES = 2
_RANGE = re.compile(r"(?P<first>[^.:]+(?:\.\d+)?)\.\.(?P<last>[^:]+)(?::(?P<step>.+))?")

Point = dict[str, ParameterValue]
"""The swept parameters of a point, in the order in which they were named."""


@dataclass(frozen=True)
class Axis:
    """A swept parameter, and its values as they were given, in that order."""

    parameter: Parameter
    values: list[ParameterValue]

    @property
    def name(self) -> str:
        """The parameter's name."""
        return self.parameter.name


def read_axes(scenario: Scenario, over: Sequence[str], params: Mapping[str, str]) -> list[Axis]:
    """The axes that texts of the form `name=values` mean.

    Values are separated by commas; each is one value, `FIRST..LAST` (doubling) or `FIRST..LAST:STEP`.

    Args:
        scenario: Whose parameters are swept.
        over: One or two such texts.
        params: The fixed parameters.

    Raises:
        UsageError: If a text, a name or any of the values is wrong, or the grid is too large.
    """
    if not over:
        raise UsageError("nothing to sweep", f"--over NAME=VALUES, with one of: {_names(scenario)}")
    if len(over) > _MOST_AXES:
        raise UsageError(
            f"{len(over)} parameters are swept: what depends on more than two cannot be seen in a chart",
            "sweep one or two, and fix the others with --param",
        )
    parameters = {parameter.name: parameter for parameter in scenario.parameters}
    axes: list[Axis] = []
    for text in over:
        name, equals, values = text.partition("=")
        if not equals or not name or not values:
            raise UsageError(f"cannot read {text!r}", "write it as name=1,2,3 or name=64..4096 or name=1..9:2")
        if name not in parameters:
            raise unknown(f"parameter of {scenario.name}", name, parameters)
        if name in params:
            raise UsageError(f"the parameter {name!r} is swept and fixed", "leave one of --over and --param out")
        if name in {axis.name for axis in axes}:
            raise UsageError(f"the parameter {name!r} is swept twice", "name all its values in one --over")
        axes.append(Axis(parameters[name], _values(scenario, parameters[name], values)))
    _check_size([len(axis.values) for axis in axes])
    return axes


def points_of(over: Mapping[str, Sequence[ParameterValue]]) -> list[Point]:
    """All points of a grid, the first parameter slowest."""
    return [dict(zip(over, values, strict=True)) for values in product(*over.values())]


def shuffled(points: Sequence[Point], seed: int) -> list[Point]:
    """The points in the order in which they are measured: a machine that drifts must not look like a slope."""
    order = list(points)
    random.Random(seed).shuffle(order)  # noqa: S311 - an order that can be repeated, not a secret
    return order


def texts(point: Mapping[str, ParameterValue]) -> dict[str, str]:
    """Values as one would type them, which read back are the same."""
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in point.items()}


def label(point: Mapping[str, ParameterValue]) -> str:
    """A point as people write it: `size=64, batch=4`."""
    return ", ".join(f"{name}={text}" for name, text in texts(point).items())


def _values(scenario: Scenario, parameter: Parameter, text: str) -> list[ParameterValue]:
    found: list[ParameterValue] = []
    for one in text.split(","):
        match = _RANGE.fullmatch(one) if parameter.type in {"int", "float"} else None
        values = _range(parameter, one, match) if match else [one]
        found += [check_parameters(scenario, {parameter.name: value})[parameter.name] for value in values]
    return list(dict.fromkeys(found))


def _range(parameter: Parameter, text: str, match: re.Match[str]) -> list[str]:
    """The values of a range as texts: in decimal, so that 0.1..0.3:0.1 ends with 0.3."""
    try:
        first, last = Decimal(match["first"]), Decimal(match["last"])
        step = Decimal(match["step"]) if match["step"] else None
    except InvalidOperation:
        raise UsageError(f"cannot read the range {parameter.name}={text}", "as in 64..4096 or 1..9:2") from None
    finite = all(one is None or one.is_finite() for one in (first, last, step))
    if not finite or first > last or (step is not None and step <= 0):
        raise UsageError(f"the range {parameter.name}={text} has no values", "from the smallest up, step above zero")
    if step is None and first <= 0:
        raise UsageError(f"{parameter.name}={text} doubles, and never leaves {first}", f"say the step: {text}:1")
    values: list[str] = []
    while first <= last:
        values.append(format(first, "f"))
        first = first * 2 if step is None else first + step
        _check_size([len(values)])
    return values


def _check_size(lengths: Sequence[int]) -> None:
    size = 1
    for length in lengths:
        size *= length
    if size > MOST_POINTS:
        raise UsageError(f"the grid has {size} points or more; {MOST_POINTS} is the most", "fewer values")


def _names(scenario: Scenario) -> str:
    return ", ".join(parameter.name for parameter in scenario.parameters) or f"none: {scenario.name} has no parameters"


@dataclass(frozen=True)
class SweepPlan:
    """A sweep that can be measured.

    Attributes:
        sweep: Its header, and what is on disk of it.
        experiment: What is measured at each point, but for the swept parameters.
    """

    sweep: Sweep
    experiment: Experiment

    @property
    def points(self) -> list[Point]:
        """The points in the order in which they are measured."""
        return shuffled(points_of(self.sweep.header.over), self.sweep.header.seed)

    def at(self, point: Point) -> Experiment:
        """What is measured at a point."""
        return dataclasses.replace(self.experiment, params={**self.sweep.header.params, **point})


def plan_sweep(request: Request, over: Sequence[str], progress: Progress, *, on_cluster: bool = False) -> SweepPlan:
    """Build what must be built, and check all points. The caller holds the measurement lock. Nothing is written yet.

    Args:
        request: What is measured at each point; its parameters are the fixed ones.
        over: The swept parameters, as `read_axes` takes them.
        progress: Told how it goes.
        on_cluster: Whether the machines are the workers of a cluster.

    Raises:
        UsageError: If anything of it is wrong.
        MissingError: If something is missing on this machine.
        BenchError: If the component cannot be built.
    """
    component = find_component(request.topic)
    prepare(component.name, progress)
    scenario = select_scenario(describe(component, request.plugin), request.scenario)
    axes = read_axes(scenario, over, request.params)
    fixed = check_parameters(scenario, request.params)
    experiment = plan(component, request, progress)
    header = SweepHeader(
        id=new_sweep_id(component.name, scenario.name),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        component=component.name,
        scenario=scenario.name,
        variants=[arm.variant for arm in experiment.arms],
        baseline=experiment.baseline,
        over={axis.name: axis.values for axis in axes},
        params=fixed,
        preset=experiment.preset_name,
        options=msgspec.to_builtins(experiment.preset),
        seed=request.seed,
        perflab=__version__,
        plugin=str(request.plugin) if request.plugin else "",
        on_cluster=on_cluster,
    )
    return SweepPlan(open_sweep(header), experiment)


def plan_again(sweep: Sweep, progress: Progress) -> SweepPlan:
    """Make a plan of a sweep that was begun: everything is as it was. The caller holds the measurement lock.

    Raises:
        UsageError: If what it measures no longer exists, or a value is no longer allowed.
        MissingError: If something is missing on this machine.
        BenchError: If the component cannot be built.
    """
    request = request_of(sweep.header)
    component = find_component(sweep.header.component)
    prepare(component.name, progress)
    scenario = select_scenario(describe(component, request.plugin), request.scenario)
    for point in points_of(sweep.header.over):
        check_parameters(scenario, {**request.params, **texts(point)})
    return SweepPlan(sweep, plan(component, request, progress))


def request_of(header: SweepHeader, point: Point | None = None) -> Request:
    """What a sweep measures at a point, as a request; without a point, what all have in common."""
    if header.plugin and not Path(header.plugin).exists():
        raise UsageError("the plug-in of this sweep is gone", f"it was {header.plugin}")
    return Request(
        topic=header.component,
        scenario=header.scenario,
        variants=header.variants,
        params=texts({**header.params, **(point or {})}),
        preset=header.preset,
        overrides=header.options,
        baseline=header.baseline,
        plugin=Path(header.plugin) if header.plugin else None,
        seed=header.seed,
    )


def measure_here(plan: SweepPlan, progress: Progress, finished: Callable[[Point, Run], None]) -> None:
    """Measure the points that this machine has not measured yet. The caller holds the measurement lock.

    A point at which nothing can be measured is noted with its reason, and the others go on.

    Args:
        plan: The sweep.
        progress: Told how it goes.
        finished: Called with each point and its run.

    Raises:
        MissingError: If something is missing on this machine.
        KeyboardInterrupt: On Ctrl-C; what was measured is kept.
    """
    sweep, machine = plan.sweep, this_machine()
    start_sweep(sweep.header)
    missing = [point for point in plan.points if not sweep.run_of(point, machine.id)]
    pace = Pace(progress, len(plan.points), len(missing))
    for point in missing:
        pace.begin(point)
        try:
            run = execute(plan.at(point), pace)
        except (BenchError, UsageError) as error:
            # What the scenario refuses at this point it may take at the next.
            progress.note(f"{label(point)}: {error}")
            keep_point(sweep, PointRecord(point, machine.id, why=str(error), title=machine.title))
        else:
            keep_point(sweep, PointRecord(point, machine.id, run=run.id, title=machine.title))
            finished(point, run)
        pace.end()


class Pace:
    """Tells of a point as a part of its sweep, and how long the rest will take.

    Args:
        whole: Who wants to know.
        points: How many there are.
        missing: How many of them have to be measured now.
    """

    def __init__(self, whole: Progress, points: int, missing: int) -> None:
        self._whole, self._points, self._missing = whole, points, missing
        self._begun = time.monotonic()
        self._ended = 0
        self._name = ""

    def begin(self, point: Point) -> None:
        """A point begins."""
        self._name = label(point)

    def end(self) -> None:
        """It has ended, measured or not."""
        self._ended += 1

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        """Pass it on at its place."""
        number = self._points - self._missing + self._ended
        left = None if seconds_left is None else seconds_left + self._per_point() * (self._missing - self._ended - 1)
        self._whole.update(
            (number + done) / self._points, f"point {number + 1} of {self._points}, {self._name}: {text}", left
        )

    def note(self, text: str) -> None:
        """Pass it on."""
        self._whole.note(f"{self._name}: {text}")

    def _per_point(self) -> float:
        elapsed = time.monotonic() - self._begun
        return elapsed / self._ended if self._ended else elapsed


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
