"""From a user's request to a run on disk."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from perflab.components.build import build, is_built
from perflab.components.catalogue import check_parameters, find_component, find_metric, select_scenario, select_variants
from perflab.components.program import describe
from perflab.machine.git import this_revision
from perflab.machine.toolchains import provide
from perflab.model.errors import MissingError, UsageError, unknown
from perflab.run.experiment import Experiment, run_experiment
from perflab.run.fork import provide_runtimes
from perflab.run.lock import measurement_lock
from perflab.run.presets import PRESETS, PROVES_NOTHING, Preset, preset_of, usual_preset
from perflab.store.baselines import find_baselines
from perflab.store.reading import Run, find_runs
from perflab.store.records import SHAPE, Arm
from perflab.store.writing import RunWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from perflab.components.catalogue import Component
    from perflab.model.protocol import Description, Scenario, Variant
    from perflab.run.lock import Progress
    from perflab.store.records import RunHeader


REUSE_VARIABLE = "PERFLAB_REUSE_SINCE"
"""Within one reproduction, runs since this time (ISO 8601) are taken instead of being made again."""

PRESET_VARIABLE = "PERFLAB_PRESET"
"""A preset that goes before what a command asks for: tests set it."""

_UNREACHABLE = 1e-9

NOISE_LABEL = "{} (again)"


@dataclass(frozen=True)
class Request:
    """What a user wants to measure.

    Attributes:
        topic: The component's name.
        scenario: By default the component's first one.
        variants: By default all that support the scenario.
        params: Parameters as texts.
        preset: By default `usual_preset()`.
        overrides: Values that replace fields of the preset.
        baseline: Which variant the others are compared with; by default the first with the role `before`.
        plugin: The reader's own variant.
        seed: Seed of the order and of the scenario.
        metric: The metric to show, which must exist; by default the headline.
        lenient: Whether to leave out a named variant that cannot run on this machine.
    """

    topic: str
    scenario: str | None = None
    variants: Sequence[str] = ()
    params: Mapping[str, str] = field(default_factory=dict)
    preset: str | None = None
    overrides: Mapping[str, float] = field(default_factory=dict)
    baseline: str | None = None
    plugin: Path | None = None
    seed: int = 1
    metric: str | None = None
    lenient: bool = False


def measure(request: Request, progress: Progress, on_round: Callable[[Run], None] | None = None) -> Run:
    """Build the component if needed, measure, and return the run as it is on disk.

    From the preset's minimum of rounds on, `on_round` is called after each round with the run as if it ended there.

    Raises:
        UsageError: If the request names something that does not exist.
        MissingError: If this machine lacks something, or another measurement holds the lock.
        BenchError: If every variant failed.
    """
    component = find_component(request.topic)
    # The lock comes first: a build during another measurement would disturb it.
    with measurement_lock():
        experiment = plan(component, request, progress)
        return _reusable(experiment, progress) or execute(experiment, progress, on_round)


def plan(component: Component, request: Request, progress: Progress) -> Experiment:
    """Build the component if needed, and turn a request into an experiment. Raises as `measure`.

    The caller holds the measurement lock.
    """
    prepare(component.name, progress)
    description = describe(component, request.plugin)
    scenario = select_scenario(description, request.scenario)
    find_metric(scenario, request.metric)
    variants = _variants(component, description, scenario, request, progress)
    preset_name, preset = chosen_preset(request)
    return Experiment(
        component=component,
        description=description,
        scenario=scenario,
        arms=[Arm(variant.name, variant.name, variant.role, variant.findings) for variant in variants],
        baseline=_baseline(component.name, variants, request.baseline),
        preset=preset,
        preset_name=preset_name,
        params=check_parameters(scenario, request.params),
        seed=request.seed,
        plugin=request.plugin,
    )


def measure_noise(request: Request, progress: Progress) -> Run:
    """Measure the request's first variant against itself, under two labels, to find the noise. Raises as `measure`."""
    component = find_component(request.topic)
    with measurement_lock():
        prepare(component.name, progress)
        description = describe(component)
        variant = select_variants(description, select_scenario(description, request.scenario), request.variants)[0]
        experiment = plan(component, replace(request, variants=[variant.name]), progress)
        (arm,) = experiment.arms
        again = msgspec.structs.replace(arm, label=NOISE_LABEL.format(arm.variant))
        # A noise band has no precision to stop at: it takes the rounds that the time allows.
        preset = msgspec.structs.replace(experiment.preset, half_width=_UNREACHABLE)
        experiment = replace(experiment, arms=[arm, again], preset=preset, kind="noise")
        return _reusable(experiment, progress) or execute(experiment, progress)


def prepare(topic: str, progress: Progress) -> None:
    """Build a component if its sources have changed.

    A build would disturb a measurement: it waits for the measurement lock, unless this thread holds it.
    """
    component = find_component(topic)
    provide(component.manifest.requires, lambda what: progress.update(0.0, what))
    if not is_built(component):
        with measurement_lock(wait=lambda text: progress.update(0.0, text)):
            progress.update(0.0, f"building {topic}")
            build(component)


def execute(experiment: Experiment, progress: Progress, on_round: Callable[[Run], None] | None = None) -> Run:
    """Run an experiment, and return the run as it is on disk; `on_round` as for `measure`."""
    writer = RunWriter(experiment.header())
    ending = run_experiment(experiment, writer, progress, on_round)
    return Run(writer.folder, writer.header, ending)


def _variants(
    component: Component, description: Description, scenario: Scenario, request: Request, progress: Progress
) -> list[Variant]:
    chosen = select_variants(description, scenario, request.variants)
    if request.plugin:
        own = [variant for variant in description.variants if variant.role == "yours" and variant not in chosen]
        chosen = chosen + own
    if not chosen:
        raise UsageError(f"no variant of {request.topic} supports {scenario.name!r}")
    needed = [] if request.lenient else [*request.variants, *([request.baseline] if request.baseline else [])]
    able = provide_runtimes(component, chosen, needed, progress)
    if not able:
        raise MissingError(f"no variant of {request.topic} that was asked for can run here", "./lab doctor")
    return able


def _baseline(topic: str, variants: Sequence[Variant], name: str | None) -> str:
    labels = [variant.name for variant in variants]
    if name is None:
        return next((variant.name for variant in variants if variant.role == "before"), variants[0].name)
    if name not in labels:
        saved = {one.name for one in find_baselines(topic)}
        raise unknown("baseline among the variants measured, and none saved", name, [*labels, *saved])
    return name


def chosen_preset(request: Request, earlier: RunHeader | None = None) -> tuple[str, Preset]:
    """The preset that a request means, with its overrides, and its name; that of an earlier run if it names none.

    Raises:
        UsageError: If there is no preset of this name.
    """
    name = os.environ.get(PRESET_VARIABLE) or request.preset
    if name is None and earlier is not None:
        name, preset = earlier.preset, preset_of(earlier.options)
    else:
        name = name or usual_preset()
        if name not in PRESETS:
            raise unknown("preset", name, PRESETS)
        preset = PRESETS[name]
    if name != PROVES_NOTHING:
        needed = find_component(request.topic).manifest.bench.warmup_ms
        preset = msgspec.structs.replace(preset, warmup_ms=max(preset.warmup_ms, needed))
    overrides = dict(request.overrides)
    if not overrides.keys().isdisjoint(SHAPE):
        overrides.setdefault("pilot", 0.0)
    if "max_rounds" in overrides:
        overrides.setdefault("min_rounds", min(preset.min_rounds, overrides["max_rounds"]))
    return name, msgspec.structs.replace(preset, **overrides)


def _reusable(experiment: Experiment, progress: Progress) -> Run | None:
    """The newest run of this session that measured the same in the same way, with at least these arms."""
    since = os.environ.get(REUSE_VARIABLE)
    if not since or experiment.plugin:
        return None
    labels = {arm.label for arm in experiment.arms}
    for run in reversed(find_runs(component=experiment.component.name, scenario=experiment.scenario.name)):
        header = run.header
        same = (
            header.kind == experiment.kind
            and not header.plugin
            and header.settings == experiment.scenario.settings(experiment.params)
            and header.baseline == experiment.baseline
            and (header.planned or header.options) == msgspec.to_builtins(experiment.preset)
            and header.revision == this_revision()
            and labels <= {arm.label for arm in header.arms}
        )
        recent = datetime.fromisoformat(header.created) >= datetime.fromisoformat(since)
        if same and recent and run.ending is not None and run.ending.complete:
            progress.note(f"taken from this session's run {run.id}, which took {run.ending.wall_s:.0f} s")
            return run
    return None
