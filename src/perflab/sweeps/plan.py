"""From a request to a plan: every point of the grid checked before the first is measured."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from perflab import __version__
from perflab.components import check_parameters, describe, find_component, select_scenario
from perflab.errors import UsageError
from perflab.runner import Request, plan, prepare
from perflab.store import SweepHeader, new_sweep_id, open_sweep
from perflab.sweeps.grid import points_of, read_axes, shuffled, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.runner import Experiment, Progress
    from perflab.store import Sweep
    from perflab.sweeps.grid import Point


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
