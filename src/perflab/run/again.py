"""Measuring again what a saved baseline measured, beside the baseline's own build where that was kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from perflab.components.build import keep_build, kept_build
from perflab.components.catalogue import find_component, select_scenario, select_variants
from perflab.components.manifest import threshold_for
from perflab.components.program import describe
from perflab.machine.machine import this_machine
from perflab.model.errors import MissingError, UsageError, unknown
from perflab.run.experiment import Experiment
from perflab.run.fork import provide_runtimes
from perflab.run.lock import measurement_lock
from perflab.run.measure import chosen_preset, execute, prepare
from perflab.stats.metrics import fork_values
from perflab.store.baselines import BUILD, SavedBaseline, baseline_folder, check_name, find_baselines, write_baseline
from perflab.store.records import Arm

if TYPE_CHECKING:
    from perflab.components.catalogue import Component
    from perflab.model.protocol import Description, ParameterValue, Scenario, Variant
    from perflab.run.lock import Progress
    from perflab.run.measure import Request
    from perflab.run.presets import Preset
    from perflab.store.reading import Run
    from perflab.store.records import RunHeader


def save_baseline(name: str, run: Run, *, overwrite: bool = False) -> SavedBaseline:
    """Give a run a name, and keep the build that it measured if that can be run from elsewhere.

    Raises:
        UsageError: If the name holds this scenario with these settings already, the run is of no use as a baseline, or
            the name cannot be one.
        MissingError: If the results folder cannot be written.
    """
    header, component = run.header, find_component(run.header.component)
    check_free(name, component, header.scenario, header.settings, overwrite=overwrite)
    if header.kind not in {"measure", "regression"} or run.ending is None or not run.ending.complete:
        raise UsageError(f"run {run.id} cannot be a baseline: it is partial, or of kind {header.kind!r}")
    folder = baseline_folder(name, component.name, header.scenario.name, header.settings)
    record = SavedBaseline(
        name=name,
        component=component.name,
        scenario=header.scenario.name,
        settings=header.settings,
        run=run.id,
        # An arm of an earlier build has a label of its own.
        variants=[
            arm.variant for arm in header.arms if arm.label == arm.variant and arm.label not in run.ending.failures
        ],
        created=header.created,
        # A plug-in is no part of the build.
        kept=not header.plugin and keep_build(component, folder / BUILD),
    )
    write_baseline(record, folder)
    return record


def check_free(
    name: str, component: Component, scenario: Scenario, settings: dict[str, ParameterValue], *, overwrite: bool
) -> None:
    """Refuse a name that would hide a variant, or that holds a run of this scenario with these settings.

    Raises:
        UsageError: If it does.
    """
    check_name(name)
    if name in {variant.name for variant in describe(component).variants}:
        raise UsageError(
            f"{name!r} is a variant of {component.name}", "another name, so that --baseline can tell them apart"
        )
    taken = [
        one for one in find_baselines(component.name, name) if (one.scenario, one.settings) == (scenario.name, settings)
    ]
    if taken and not overwrite:
        raise UsageError(
            f"the baseline {name!r} holds {component.name} {scenario.name} already: {taken[0].run}",
            "another name, or --overwrite",
        )


@dataclass(frozen=True)
class Again:
    """A run, and the earlier state that it is compared with.

    Attributes:
        name: Of the earlier state: a saved baseline, or a commit.
        run: The run of the later state.
        earlier: The scenario as the earlier state described it.
        variants: The variants compared.
        kept: For each variant, the label in `run` of the earlier build's own forks; empty if it does not take part.
        present: The labels in `run` of the later build's forks, where they are not the variants' names.
        saved: The run of the earlier state, if there is one.
        gone: Variants that are left out, and why.
        notes: What a reader should know.
        now: Name of the later state; empty if it has none.
    """

    name: str
    run: Run
    earlier: Scenario
    variants: list[str]
    kept: dict[str, str] = field(default_factory=dict)
    present: dict[str, str] = field(default_factory=dict)
    saved: Run | None = None
    gone: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    now: str = ""

    def label(self, variant: str) -> str:
        """The label of a variant's later build."""
        return self.present.get(variant, variant)


def measure_again(request: Request, baseline: SavedBaseline, progress: Progress, *, alone: bool = False) -> Again:
    """Measure a saved baseline's variants again, with its scenario and settings.

    The request may choose variants, a preset and a plug-in; by default all variants are measured with the saved run's
    preset. With `alone`, the saved build does not run again. Raises as `perflab.run.measure.measure`.

    Raises:
        UsageError: If it was saved on another machine, or its scenario, parameters or variants no longer exist.
    """
    saved = baseline.read_run()
    if saved.header.machine.id != this_machine().id:
        raise UsageError(
            f"the baseline {baseline.name!r} was saved on another machine: {saved.header.machine.title}",
            "figures of different machines are never compared; save one here with --save-baseline",
        )
    component = find_component(request.topic)
    with measurement_lock():
        prepare(component.name, progress)
        description = describe(component, request.plugin)
        scenario = select_scenario(description, baseline.scenario)
        if scenario.settings({}).keys() != baseline.settings.keys():
            raise UsageError(
                f"the parameters of {scenario.name!r} are not those of the baseline {baseline.name!r} any more",
                "save it again under another name",
            )
        variants = _still_there(description, scenario, request, baseline, component=component, progress=progress)
        preset_name, preset = _preset_of_saved(request, saved.header)
        preset = fit_to_judge(preset, component, scenario)
        build = None if alone or not baseline.kept or request.plugin else _build_kept(baseline, progress)
        arms = [Arm(variant.name, variant.name, variant.role, variant.findings) for variant in variants]
        earlier: list[Arm] = []
        saved_forks: dict[str, list[float]] = {}
        if build:
            earlier = [msgspec.structs.replace(arm, label=f"{arm.label} ({baseline.name})") for arm in arms]
        else:
            _check_shape(baseline, saved.header, preset)
            values = fork_values(saved.samples(), saved.header.scenario.headline.of).unstack("variant")
            saved_forks = {arm.label: values[arm.label].dropna().tolist() for arm in arms if arm.label in values}
        kept = {arm.variant: arm.label for arm in earlier}
        experiment = Experiment(
            component=component,
            description=description,
            scenario=scenario,
            arms=[*earlier, *arms],
            baseline=(earlier or arms)[0].label,
            preset=preset,
            preset_name=preset_name,
            params=dict(baseline.settings),
            seed=saved.header.seed,
            plugin=request.plugin,
            kind="regression" if build else "measure",
            builds={arm.label: build for arm in earlier} if build else {},
            pairs=kept,
            saved=saved_forks,
        )
        able = {variant.name for variant in variants}
        gone = [name for name in request.variants or baseline.variants if name not in able]
        return Again(
            name=baseline.name,
            run=execute(experiment, progress),
            earlier=saved.header.scenario,
            variants=baseline.variants,
            kept=kept,
            saved=saved,
            gone=dict.fromkeys(gone, "was saved and is not there any more"),
        )


def fit_to_judge(preset: Preset, component: Component, scenario: Scenario) -> Preset:
    """The preset, precise enough to tell the headline's threshold from none."""
    worse_by = threshold_for(component.manifest, scenario.name, scenario.headline.name).worse_by
    # An interval that reaches as far as the threshold in both directions would leave everything open.
    return msgspec.structs.replace(preset, half_width=min(preset.half_width, worse_by / 2 or preset.half_width))


def _still_there(
    description: Description,
    scenario: Scenario,
    request: Request,
    baseline: SavedBaseline,
    *,
    component: Component,
    progress: Progress,
) -> list[Variant]:
    """The variants of the baseline that were asked for and can be measured now."""
    for name in request.variants:
        if name not in baseline.variants:
            raise unknown(f"variant in the baseline {baseline.name!r}", name, baseline.variants)
    wanted = request.variants or baseline.variants
    there = {variant.name for variant in description.variants if scenario.name in variant.scenarios}
    still = [name for name in wanted if name in there]
    if not still:
        raise UsageError(f"no variant of the baseline {baseline.name!r} is left", f"it has {', '.join(wanted)}")
    chosen = select_variants(description, scenario, still)
    able = provide_runtimes(component, chosen, request.variants, progress)
    if not able:
        raise MissingError(f"no variant of the baseline {baseline.name!r} can run here", "./lab doctor")
    return able


def _preset_of_saved(request: Request, saved: RunHeader) -> tuple[str, Preset]:
    """The saved run's preset with what the request changes, and its name.

    Where the same preset would find the shape of the forks anew, it keeps the shape that was found for the saved run.
    """
    name, preset = chosen_preset(request, saved)
    if preset.pilot and name == saved.preset:
        found = {field: int(value) for field, value in saved.shape.items() if value is not None}
        preset = msgspec.structs.replace(preset, pilot=0.0, **found)
    return name, preset


def _build_kept(baseline: SavedBaseline, progress: Progress) -> Component | None:
    folder = baseline_folder(baseline.name, baseline.component, baseline.scenario, baseline.settings)
    build = kept_build(folder / BUILD)
    if build is None:
        progress.note("the baseline's build was kept but no longer runs: its saved forks take its place")
    return build


def _check_shape(baseline: SavedBaseline, saved: RunHeader, preset: Preset) -> None:
    now = msgspec.to_builtins(preset)
    if preset.pilot or any(now[name] != then for name, then in saved.shape.items()):
        raise UsageError(
            f"the baseline {baseline.name!r} was measured with the preset {saved.preset!r}",
            "leave the preset out to measure in the same way; forks of another length would not be comparable",
        )
