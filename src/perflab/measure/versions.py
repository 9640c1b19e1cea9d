"""A topic compared with an earlier version of itself, a saved baseline or a revision, in the same rounds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import msgspec

from perflab.host.lock import measurement_lock
from perflab.host.machine import this_machine
from perflab.measure.analysis import check_comparable, figures, told_table
from perflab.measure.fork import provide_runtimes
from perflab.measure.harnessed import keep_targets, kept_targets, open_bench
from perflab.measure.measure import execute
from perflab.measure.plan import BuiltVersion, chosen_preset, plan, present_build
from perflab.measure.presets import preset_of
from perflab.model.errors import MissingError, UsageError, unknown
from perflab.store.baselines import BUILD, SavedBaseline, baseline_folder, check_name, find_baselines, write_baseline
from perflab.store.records import SHAPE
from perflab.topics.build import keep_build, kept_build
from perflab.topics.catalogue import check_parameters, select_scenario, select_variants
from perflab.topics.manifest import threshold_for
from perflab.topics.program import describe
from perflab.topics.revisions import component_at, present_commit, prune_trees

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from perflab.measure.plan import Plan, Request
    from perflab.measure.presets import Preset
    from perflab.model.progress import Progress
    from perflab.model.protocol import Description, ParameterValue, Scenario
    from perflab.store.records import Arm, RunHeader
    from perflab.store.runs import Run
    from perflab.topics.catalogue import Component
    from perflab.topics.revisions import Commit


@dataclass(frozen=True)
class VersionComparison:
    """A version of a topic, the candidate, and the earlier one that it is compared with, the baseline.

    Attributes:
        baseline: Name of the baseline: what was saved under it, a run, or a commit.
        run: The candidate's run.
        scenario: The scenario as the baseline described it.
        variants: The variants compared.
        interleaved: Whether `run` holds forks of both builds, each variant's baseline before its candidate.
        saved: The baseline's own run, if there is one.
        candidate: Name of the candidate; empty for the present tree beside a saved baseline.
        left_out: Variants that are left out, and why.
        notes: What a reader should know.
    """

    baseline: str
    run: Run
    scenario: Scenario
    variants: list[str]
    interleaved: bool
    saved: Run | None = None
    candidate: str = ""
    left_out: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def labels(self, variant: str) -> tuple[str, str]:
        """The labels of the baseline's and the candidate's forks."""
        if not self.interleaved:
            return variant, variant
        before, after = (arm.label for arm in self.run.header.arms if arm.variant == variant)
        return before, after


def check_free(
    component: Component,
    name: str,
    description: Description,
    scenario: Scenario,
    settings: dict[str, ParameterValue],
    *,
    overwrite: bool,
) -> None:
    """Refuse a baseline's name that would hide a variant, or that holds a run of this scenario with these settings.

    Raises:
        UsageError: If it does.
    """
    check_name(name)
    topic = component.name
    if name in {variant.name for variant in description.variants}:
        raise UsageError(f"{name!r} is a variant of {topic}", "another name, so that --baseline can tell them apart")
    saved = find_baselines(component.lab.results, topic, name)
    taken = [one for one in saved if (one.scenario, one.settings) == (scenario.name, settings)]
    if taken and not overwrite:
        raise UsageError(
            f"the baseline {name!r} holds {topic} {scenario.name} already: {taken[0].run}",
            "another name, or --overwrite",
        )


def save_baseline(component: Component, name: str, run: Run, progress: Progress) -> SavedBaseline:
    """Give a run a name that is free, and keep the build that it measured if that can be run from elsewhere.

    Raises:
        UsageError: If the run is of no use as a baseline.
        MissingError: If the results folder cannot be written.
        BenchError: If what a bench runs cannot be built again.
    """
    header = run.header
    if header.kind not in {"measure", "regression"} or run.ending is None or not run.ending.complete:
        raise UsageError(f"run {run.id} cannot be a baseline: it is partial, or of kind {header.kind!r}")
    folder = baseline_folder(name, header.component, header.scenario.name, header.settings, run.results)
    record = SavedBaseline(
        name=name,
        component=header.component,
        scenario=header.scenario.name,
        settings=header.settings,
        run=run.id,
        variants=_present_variants(run),
        created=header.created,
        # A plug-in is no part of the build.
        kept=not header.plugin and _keep_build(component, header.settings, folder / BUILD, progress),
    )
    write_baseline(record, folder)
    return record


def _keep_build(component: Component, settings: Mapping[str, ParameterValue], folder: Path, progress: Progress) -> bool:
    if component.bench is None:
        return keep_build(component, folder)
    with measurement_lock(component.lab.lock):
        return keep_targets(open_bench(component.bench, component.folder, progress), settings, folder)


def _present_variants(run: Run) -> list[str]:
    """Those of the run's own build, which have no label of their own, that did not drop out."""
    failures = run.failures
    return [arm.label for arm in run.header.arms if arm.label == arm.variant and arm.label not in failures]


def read_saved(records: Sequence[SavedBaseline], results: Path) -> tuple[list[tuple[SavedBaseline, Run]], list[str]]:
    """The records of a name whose runs can be read, each with its run; and why the others cannot be.

    Raises:
        UsageError: If none can be read.
    """
    found, unreadable = [], list[str]()
    for record in records:
        try:
            run = record.read_run(results)
            with figures(run.id):
                told_table(run, run.header.scenario.headline)
        except UsageError as error:
            if len(unreadable) == len(records) - 1:
                raise
            unreadable.append(f"{record.scenario} is left out: {error}")
        else:
            found.append((record, run))
    return found, unreadable


def measure_saved(
    request: Request, baseline: SavedBaseline, progress: Progress, *, alone: bool = False
) -> VersionComparison:
    """Measure a saved baseline's variants again, with its scenario and settings.

    The request may choose variants, a preset and a plug-in; by default all variants are measured with the saved run's
    preset. With `alone`, the saved build does not run again. Raises as `perflab.measure.measure.measure`.

    Raises:
        UsageError: If it was saved on another machine, or its scenario, parameters or variants no longer exist.
    """
    saved = baseline.read_run(request.component.lab.results)
    if saved.header.machine.id != this_machine().id:
        raise UsageError(
            f"the baseline {baseline.name!r} was saved on another machine: {saved.header.machine.title}",
            "figures of different machines are never compared; save one here with --save-baseline",
        )
    for name in request.variants:
        if name not in baseline.variants:
            raise unknown(f"variant in the baseline {baseline.name!r}", name, baseline.variants)
    wanted = request.variants or baseline.variants
    with measurement_lock(request.component.lab.lock):
        build = present_build(request.component, progress, request.plugin)
        scenario = select_scenario(build.description, baseline.scenario)
        if scenario.settings({}).keys() != baseline.settings.keys():
            raise UsageError(
                f"the parameters of {scenario.name!r} are not those of the baseline {baseline.name!r} any more",
                "save it again under another name",
            )
        present = {one.name for one in build.description.variants if scenario.name in one.scenarios}
        still = [name for name in wanted if name in present]
        if not still:
            raise UsageError(f"no variant of the baseline {baseline.name!r} is left", f"it has {', '.join(wanted)}")
        asked = replace(request, scenario=scenario.name, variants=still, params={}, lenient=not request.variants)
        planned = plan(asked, progress, build)
        preset_name, preset = _preset_of_saved(request, saved.header)
        planned = replace(
            planned,
            arms=[arm for arm in planned.arms if arm.variant in still],
            params=dict(baseline.settings),
            preset=preset,
            preset_name=preset_name,
            seed=saved.header.seed,
        )
        names = [arm.variant for arm in planned.arms]
        if not names:
            raise MissingError(f"no variant of the baseline {baseline.name!r} can run here", "./lab doctor")
        kept = None
        if baseline.kept and not alone and not request.plugin:
            kept = _kept_build(baseline, build, progress)
        if kept:
            earlier = [msgspec.structs.replace(arm, label=f"{arm.label} ({baseline.name})") for arm in planned.arms]
            planned = _beside(planned, earlier, kept)
        else:
            _check_shape(baseline, saved.header, preset)
            values = told_table(saved, saved.header.scenario.headline)
            planned = replace(
                _precise(planned), saved={name: values[name].dropna().tolist() for name in names if name in values}
            )
        return VersionComparison(
            baseline=baseline.name,
            run=execute(planned, progress),
            scenario=saved.header.scenario,
            variants=names,
            interleaved=kept is not None,
            saved=saved,
            left_out={
                name: "cannot run here" if name in present else "was saved and is not there any more"
                for name in wanted
                if name not in names
            },
        )


def _preset_of_saved(request: Request, saved: RunHeader) -> tuple[str, Preset]:
    """The saved run's preset with what the request changes, and its name.

    Where the same preset would find the shape of the forks anew, it keeps the shape that was found for the saved run.
    """
    name, preset = chosen_preset(request, saved)
    if preset.pilot and name == saved.preset:
        found = preset_of(saved.options)
        preset = msgspec.structs.replace(preset, pilot=0.0, **{one: getattr(found, one) for one in SHAPE})
    return name, preset


def _precise(planned: Plan) -> Plan:
    """With a preset that is precise enough to tell the headline's threshold from none."""
    scenario, preset = planned.scenario, planned.preset
    worse_by = threshold_for(planned.component.manifest, scenario.name, scenario.headline.name).worse_by
    # An interval that reaches as far as the threshold in both directions would leave everything open.
    half_width = min(preset.half_width, worse_by / 2 or preset.half_width)
    return replace(planned, preset=msgspec.structs.replace(preset, half_width=half_width))


def _beside(planned: Plan, baseline: list[Arm], build: BuiltVersion) -> Plan:
    """With the baseline's arms, which run another build of the same variants."""
    return replace(
        _precise(planned),
        arms=[*baseline, *planned.arms],
        baseline=baseline[0].label,
        kind="regression",
        builds={arm.label: build for arm in baseline},
    )


def _kept_build(baseline: SavedBaseline, build: BuiltVersion, progress: Progress) -> BuiltVersion | None:
    lab = build.component.lab
    folder = baseline_folder(baseline.name, baseline.component, baseline.scenario, baseline.settings, lab.results)
    if build.harness:
        if harness := kept_targets(build.harness, baseline.settings, folder / BUILD):
            return replace(build, harness=harness)
    elif component := kept_build(folder / BUILD, lab):
        return replace(build, component=component)
    progress.note("the baseline's build was kept but no longer runs: its saved forks take its place")
    return None


def _check_shape(baseline: SavedBaseline, saved: RunHeader, preset: Preset) -> None:
    now = msgspec.to_builtins(preset)
    if preset.pilot or any(now[name] != then for name, then in saved.shape.items()):
        raise UsageError(
            f"the baseline {baseline.name!r} was measured with the preset {saved.preset!r}",
            "leave the preset out to measure in the same way; forks of another length would not be comparable",
        )


def pair_runs(
    baseline: str, earlier: Sequence[Run], candidate: str, later: Sequence[Run], variants: Sequence[str] = ()
) -> list[VersionComparison]:
    """Pair runs of the same component, scenario and parameters: at least one pair, in the order of `later`.

    `baseline` and `candidate` name the two in messages; without `variants`, all that both runs have take part.

    Raises:
        UsageError: If no two runs can be compared.
    """
    # Each with one: 1, 1.0 and true are equal, so that a hundred of each side would make ten thousand pairs.
    fitting = [(next((one for one in earlier if _subject(one) == _subject(other)), None), other) for other in later]
    pairs = [(one, other) for one, other in fitting if one]
    if not pairs:
        held = "; ".join(
            f"{name}: {', '.join(map(_subject_text, runs))}" for name, runs in ((baseline, earlier), (candidate, later))
        )
        raise UsageError(f"{baseline} and {candidate} have no scenario with the same parameters in common", held)
    found, errors = [], list[UsageError]()
    for one, other in pairs:
        try:
            found.append(_pair(baseline, one, candidate, other, variants))
        except UsageError as error:
            errors.append(error)
    if not found:
        raise errors[0]
    found[0].notes.extend(f"not compared: {error}" for error in errors)
    return found


def _pair(baseline: str, one: Run, candidate: str, other: Run, variants: Sequence[str]) -> VersionComparison:
    check_comparable(one, other)
    first, second = _present_variants(one), _present_variants(other)
    for name in variants:
        if name not in first or name not in second:
            raise unknown("variant in both runs", name, set(first) & set(second))
    both = [name for name in variants or second if name in first and name in second]
    if not both:
        raise UsageError(
            f"{one.id} and {other.id} have no variant in common", f"{', '.join(first)}; {', '.join(second)}"
        )
    left_out = {} if variants else {name: f"is in {candidate} only" for name in second if name not in first}
    left_out |= {} if variants else {name: f"is in {baseline} only" for name in first if name not in second}
    return VersionComparison(
        baseline=baseline,
        run=other,
        scenario=one.header.scenario,
        variants=both,
        interleaved=False,
        saved=one,
        candidate=candidate,
        left_out=left_out,
    )


def _subject(run: Run) -> tuple[str, str, dict[str, ParameterValue]]:
    """What a run measured: its component, its scenario and all parameters."""
    return run.header.component, run.header.scenario.name, run.header.settings


def _subject_text(run: Run) -> str:
    settings = ", ".join(f"{name}={value}" for name, value in sorted(run.header.settings.items()))
    return f"{run.header.component} {run.header.scenario.name}" + (f" ({settings})" if settings else "")


def build_revisions(
    component: Component, baseline: Commit, progress: Progress, *, candidate: Commit | None = None
) -> tuple[BuiltVersion, BuiltVersion]:
    """Build a topic at a commit, and in the present tree with its uncommitted changes or at the commit `candidate`.

    Raises:
        UsageError: If a commit lacks the topic, or both commits are the same.
    """
    if candidate is not None and candidate.id == baseline.id:
        raise UsageError(
            f"both revisions are {baseline.short}", "name two that differ; ./lab noise measures no difference"
        )
    with measurement_lock(component.lab.lock):
        before = _build_at(component, baseline, progress)
        after = _build_at(component, candidate, progress) if candidate else _present_tree(component, progress)
        prune_trees(component.lab, keep=[one for one in (baseline, candidate) if one])
    return before, after


def _build_at(component: Component, commit: Commit, progress: Progress) -> BuiltVersion:
    progress.update(0.0, f"building {component.name} at {commit.short}")
    then = component_at(component.lab, component.name, commit)
    return BuiltVersion(then, describe(then), commit, commit.short)


def _present_tree(component: Component, progress: Progress) -> BuiltVersion:
    build = present_build(component, progress)
    commit, changed = present_commit(component.lab.root)
    return replace(build, name=commit.short + ("+changes" if changed else ""))


def common_scenarios(baseline: BuiltVersion, candidate: BuiltVersion) -> list[str]:
    """The names of the scenarios that both have."""
    earlier = {one.name for one in baseline.description.scenarios}
    return [one.name for one in candidate.description.scenarios if one.name in earlier]


def measure_revisions(
    baseline: BuiltVersion, candidate: BuiltVersion, request: Request, progress: Progress
) -> VersionComparison:
    """Measure the variants that both builds have, in a scenario and with parameters that both have.

    Raises:
        UsageError: If they have nothing in common, or one of them lacks what the request names.
    """
    scenario = select_scenario(candidate.description, request.scenario)
    earlier = next((one for one in baseline.description.scenarios if one.name == scenario.name), None)
    if earlier is None:
        both = ", ".join(common_scenarios(baseline, candidate)) or "none"
        raise UsageError(f"there is no scenario {scenario.name!r} at {baseline.name}", f"in both: {both}")
    params, notes = _common_params(baseline.name, scenario, earlier, request)
    if earlier.operation != scenario.operation:
        notes.insert(0, f"an operation was {earlier.operation!r} at {baseline.name}, and is {scenario.operation!r}")
    if baseline.name == candidate.name:
        notes.append(f"both are {baseline.name}: whatever differs is the machine")
    elif candidate.name.endswith("+changes"):
        notes.append(f"{candidate.name} is the present tree with what is not committed in it")
    names, left_out = _common_variants(baseline, candidate, scenario, request)
    with measurement_lock(request.component.lab.lock):
        asked = replace(request, scenario=scenario.name, variants=names, lenient=not request.variants)
        planned = replace(plan(asked, progress, candidate), params=params)
        runnable = {arm.variant for arm in planned.arms}
        chosen = [one for one in candidate.description.variants if one.name in runnable]
        able = {one.name: one for one in provide_runtimes(baseline.component, chosen, request.variants, progress)}
        if not able:
            raise MissingError("no variant can run here", "./lab doctor")
        left_out |= {name: "cannot run here" for name in names if name not in able}
        planned = replace(planned, arms=[arm for arm in planned.arms if arm.variant in able])
        arms = [baseline.arm(able[arm.variant]) for arm in planned.arms]
        return VersionComparison(
            baseline=baseline.name,
            run=execute(_beside(planned, arms, baseline), progress),
            scenario=earlier,
            variants=[arm.variant for arm in arms],
            interleaved=True,
            candidate=candidate.name,
            left_out=left_out,
            notes=notes,
        )


def _common_params(
    baseline: str, scenario: Scenario, earlier: Scenario, request: Request
) -> tuple[dict[str, ParameterValue], list[str]]:
    """The request's parameters, and today's defaults where they have changed; and notes on what is new or gone."""
    before = {one.name: one for one in earlier.parameters}
    params, notes = check_parameters(scenario, request.params), list[str]()
    for name in params:
        if name not in before:
            raise UsageError(f"{scenario.name!r} has no parameter {name!r} at {baseline}", "leave it at its default")
    for one in scenario.parameters:
        if one.name not in before:
            notes.append(f"the parameter {one.name} is new: it is at its default, {one.default}")
        elif before[one.name].default != one.default:
            params.setdefault(one.name, one.default)
    gone = before.keys() - {one.name for one in scenario.parameters}
    notes += [
        f"the parameter {name} is gone: at {baseline} it is at its default, {one.default}"
        for name, one in before.items()
        if name in gone
    ]
    return params, notes


def _common_variants(
    baseline: BuiltVersion, candidate: BuiltVersion, scenario: Scenario, request: Request
) -> tuple[list[str], dict[str, str]]:
    """The variants that both builds have, and why the others are left out."""
    earlier = {one.name for one in baseline.description.variants if scenario.name in one.scenarios}
    wanted = [one.name for one in select_variants(candidate.description, scenario, request.variants)]
    both = [name for name in wanted if name in earlier]
    if not both:
        raise UsageError(
            f"no variant is in both: {', '.join(wanted)} came after {baseline.name}",
            f"there, {scenario.name!r} has: {', '.join(sorted(earlier)) or 'none'}",
        )
    left_out = {name: f"is not there at {baseline.name}" for name in wanted if name not in earlier}
    if not request.variants:
        left_out |= dict.fromkeys(sorted(earlier - set(wanted)), f"is there at {baseline.name} only")
    return both, left_out
