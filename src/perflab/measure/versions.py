"""Versions of a topic: a run, a saved baseline or a git revision, found by name and compared with the present one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import msgspec

from perflab.host.lock import measurement_lock
from perflab.host.machine import this_machine
from perflab.measure.counted import counted_scenario, threshold_name
from perflab.measure.fork import provide_runtimes
from perflab.measure.grid import texts
from perflab.measure.harnessed import keep_targets, kept_targets, open_bench
from perflab.measure.measure import execute
from perflab.measure.plan import BuiltVersion, chosen_preset, described, plan, present_build
from perflab.measure.presets import preset_of
from perflab.model.errors import AmbiguousError, MissingError, UsageError, unknown
from perflab.store.kept import BUILD, SavedBaseline, baseline_folder, check_name, find_baselines, write_baseline
from perflab.store.records import SHAPE
from perflab.store.runs import find_run
from perflab.topics.build import keep_build, kept_build
from perflab.topics.catalogue import check_parameters, select_scenario, select_variants
from perflab.topics.manifest import threshold_for
from perflab.topics.program import describe
from perflab.topics.revisions import component_at, find_commit, present_commit, prune_trees

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perflab.measure.plan import Request
    from perflab.measure.presets import Preset
    from perflab.model.lab import Lab
    from perflab.model.progress import Progress
    from perflab.model.protocol import Description, ParameterValue, Scenario
    from perflab.store.records import RunHeader
    from perflab.store.runs import Run
    from perflab.topics.catalogue import Component
    from perflab.topics.revisions import Commit


_KINDS = ("baseline", "run", "rev")


@dataclass(frozen=True)
class Version:
    """A version of a topic: exactly one of a run, a saved baseline and a revision."""

    name: str
    run: Run | None = None
    saved: Sequence[SavedBaseline] = ()
    commit: Commit | None = None

    def one_run(self, lab: Lab) -> Run:
        """Return the run, or the baseline's only one."""
        if self.run:
            return self.run
        if len(self.saved) > 1:
            held = ", ".join(f"{one.scenario} ({one.run})" for one in self.saved)
            raise UsageError(f"the baseline {self.name!r} holds several runs", f"--scenario, or one of: {held}")
        return self.saved[0].read_run(lab.results)


def find_version(lab: Lab, text: str, topic: str | None = None, scenario: str | None = None) -> Version:
    """Find a saved baseline, else a run, else a revision of this name; `baseline:`, `run:` or `rev:` picks one."""
    kind, colon, name = text.partition(":")
    if not colon or kind not in _KINDS:
        kind, name = "", text
    hint = ""
    if kind in {"", "baseline"}:
        saved = [one for one in find_baselines(lab.results, topic, name) if scenario in {None, one.scenario}]
        if saved:
            return Version(name, saved=saved)
        if kind:
            raise UsageError(f"no saved baseline {name!r}", "./lab runs shows what was saved")
    if kind in {"", "run"}:
        try:
            return Version(name, find_run(name, lab.results))
        except UsageError as error:
            if kind or name == "latest" or isinstance(error, AmbiguousError):
                raise
            hint = error.hint
    try:
        return Version(name, commit=find_commit(lab.root, name))
    except UsageError:
        if kind:
            raise
    raise UsageError(
        f"{text!r} is no saved baseline, no run and no revision",
        f"{hint}; ./lab runs lists runs and baselines, git log revisions",
    )


def find_saved(request: Request, progress: Progress) -> Version | None:
    """Find the saved baseline named by a request, with its scenario and parameters if it has any.

    Returns:
        `None` if it names a variant, or nothing that was saved.
    """
    component, name = request.component, request.baseline
    saved = find_baselines(component.lab.results, component.name, name) if name else []
    if not name or not saved:
        return None
    with measurement_lock(component.lab.lock):
        description = described(component, progress)
    if name in {variant.name for variant in description.variants}:
        return None
    if request.scenario is not None:
        held = ", ".join(sorted({one.scenario for one in saved}))
        select_scenario(description, request.scenario)
        saved = [one for one in saved if one.scenario == request.scenario]
        if not saved:
            raise UsageError(f"the baseline {name!r} holds no {request.scenario!r}", f"it holds: {held}")
    saved = [one for one in saved if _was_measured_with(one, request, description)]
    if not saved:
        params = ", ".join(f"{key}={value}" for key, value in request.params.items())
        raise UsageError(f"the baseline {name!r} was not measured with {params}", "leave --param out")
    return Version(name, saved=saved)


def _was_measured_with(saved: SavedBaseline, request: Request, description: Description) -> bool:
    scenario = select_scenario(description, saved.scenario)
    known = request.params.keys() <= {parameter.name for parameter in scenario.parameters}
    return known and check_parameters(scenario, request.params).items() <= saved.settings.items()


def scenarios_to_judge(request: Request) -> list[str | None]:
    """Return the scenario asked for, else those with thresholds in the manifest, else `None` for the topic's first."""
    named = [name for one in request.component.manifest.threshold for name in one.scenarios]
    return list(dict.fromkeys(named)) if named and request.scenario is None else [request.scenario]


def check_baseline_name(component: Component, name: str, progress: Progress) -> None:
    """Refuse a baseline's name that is no folder's, or a variant's."""
    check_name(name)
    with measurement_lock(component.lab.lock):
        description = described(component, progress)
    if name in {variant.name for variant in description.variants}:
        raise UsageError(
            f"{name!r} is a variant of {component.name}", "another name, so that --baseline can tell them apart"
        )


def save_baseline(component: Component, name: str, run: Run, progress: Progress) -> SavedBaseline:
    """Save a run under a name, in place of what it holds of this scenario with these parameters; keep its build."""
    header = run.header
    if header.kind not in {"measure", "regression"} or not run.complete:
        raise UsageError(f"run {run.id} cannot be a baseline: it is partial, or of kind {header.kind!r}")
    folder = baseline_folder(name, header.component, header.scenario.name, header.settings, run.results)
    if header.plugin:  # not part of the build
        kept = False
    elif component.bench is None:
        kept = keep_build(component, folder / BUILD)
    else:
        with measurement_lock(component.lab.lock):
            bench = open_bench(component.bench, component.folder, progress)
            kept = keep_targets(bench, header.settings, folder / BUILD)
    record = SavedBaseline(
        name=name,
        component=header.component,
        scenario=header.scenario.name,
        settings=header.settings,
        run=run.id,
        # Arms of another build have labels of their own.
        variants=[arm.label for arm in header.arms if arm.label == arm.variant and arm.label not in run.failures],
        created=header.created,
        kept=kept,
    )
    write_baseline(record, folder)
    return record


@dataclass(frozen=True)
class VersionComparison:
    """A run in which each variant of a version took turns with the same variant of an earlier one, the baseline.

    Attributes:
        baseline: Name of the baseline: a saved one's, or a commit.
        run: Holds the forks of both.
        scenario: The scenario as the baseline described it.
        variants: The variants compared.
        saved: The saved baseline's own run.
        candidate: Name of the candidate: a commit, with `+changes` for a tree that differs from it; empty beside a
            saved baseline.
        left_out: Variants that are left out, and why.
        notes: Caveats for readers.
    """

    baseline: str
    run: Run
    scenario: Scenario
    variants: list[str]
    saved: Run | None = None
    candidate: str = ""
    left_out: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def labels(self, variant: str) -> tuple[str, str]:
        """Return the labels of the baseline's and the candidate's forks."""
        before, after = (arm.label for arm in self.run.header.arms if arm.variant == variant)
        return before, after


def compare_versions(
    request: Request, before: Version, progress: Progress, after: Version | None = None
) -> Iterator[VersionComparison]:
    """Measure a saved baseline or a revision beside the present tree, or the revision `after`, scenario by scenario.

    A saved baseline is measured as it was saved: its variants and scenarios with their parameters and its preset. Of
    these the request may choose. Of a revision the request's scenario is measured, else those that the manifest has
    thresholds for, as far as both versions have them.
    """
    component = request.component
    if before.commit and after and after.commit == before.commit:
        raise UsageError(
            f"both revisions are {before.commit.short}", "name two that differ; ./lab noise measures no difference"
        )
    with measurement_lock(component.lab.lock):
        then = _build_at(component, before.commit, progress) if before.commit else None
        if after and after.commit:
            now = _build_at(component, after.commit, progress)
        else:
            now = present_build(component, progress)
        if then:
            if not (after and after.commit):
                commit, changed = present_commit(component.lab.root)
                now = replace(now, name=commit.short + ("+changes" if changed else ""))
            prune_trees(component.lab, keep=[one.commit for one in (then, now) if one.commit])
    if then:
        for scenario in _in_both(then, now, request, progress):
            yield _measure(then, now, replace(request, scenario=scenario), progress)
    for saved in before.saved:
        yield _measure(_saved_build(saved, now), now, request, progress, saved)


def _build_at(component: Component, commit: Commit, progress: Progress) -> BuiltVersion:
    progress.update(0.0, f"building {component.name} at {commit.short}")
    then = component_at(component.lab, component.name, commit)
    return BuiltVersion(then, describe(then), commit, commit.short)


def _saved_build(saved: SavedBaseline, now: BuiltVersion) -> BuiltVersion:
    """Return the build kept with a saved baseline."""
    component = now.component
    machine = saved.read_run(component.lab.results).header.machine
    if machine.id != this_machine().id:
        raise UsageError(
            f"the baseline {saved.name!r} was saved on another machine: {machine.title}",
            "figures of different machines are never compared; save one here with --save-baseline",
        )
    folder = baseline_folder(saved.name, saved.component, saved.scenario, saved.settings, component.lab.results)
    if saved.kept and now.bench and (bench := kept_targets(now.bench, saved.settings, folder / BUILD)):
        return replace(now, bench=bench, name=saved.name)
    if saved.kept and not now.bench and (kept := kept_build(folder / BUILD, component.lab)):
        return BuiltVersion(kept, describe(kept), name=saved.name)
    why = "no longer runs" if saved.kept else "could not be kept"
    raise UsageError(
        f"the build of the baseline {saved.name!r} {why}, so nothing can take turns with it",
        f"./lab measure {saved.component} and then ./lab compare {saved.name} latest, which has the machine's drift "
        "in it",
    )


def _in_both(then: BuiltVersion, now: BuiltVersion, request: Request, progress: Progress) -> Sequence[str | None]:
    wanted = scenarios_to_judge(request)
    if request.scenario is not None or wanted == [None]:
        return wanted
    common = _common_scenarios(then, now)
    for name in wanted:
        if name not in common:
            progress.note(f"the scenario {name} is left out: it is not in both {then.name} and {now.name}")
    both = [name for name in wanted if name in common]
    if not both:
        raise UsageError(
            f"none of the scenarios with thresholds is in both {then.name} and {now.name}",
            f"--scenario with one of: {', '.join(common) or 'none'}",
        )
    return both


def _common_scenarios(then: BuiltVersion, now: BuiltVersion) -> list[str]:
    earlier = {one.name for one in then.description.scenarios}
    return [one.name for one in now.description.scenarios if one.name in earlier]


def _measure(
    then: BuiltVersion,
    now: BuiltVersion,
    request: Request,
    progress: Progress,
    saved: SavedBaseline | None = None,
) -> VersionComparison:
    """Measure the variants that both versions have, in a scenario and with parameters that both have."""
    if saved:
        request = replace(request, baseline=None, scenario=saved.scenario, params=texts(saved.settings))
    scenario = select_scenario(now.description, request.scenario)
    earlier = next((one for one in then.description.scenarios if one.name == scenario.name), None)
    if earlier is None:
        both = ", ".join(_common_scenarios(then, now)) or "none"
        raise UsageError(f"there is no scenario {scenario.name!r} at {then.name}", f"in both: {both}")
    params, notes = _common_params(then.name, scenario, earlier, request)
    if earlier.operation != scenario.operation:
        notes.insert(0, f"an operation was {earlier.operation!r} at {then.name}, and is {scenario.operation!r}")
    if then.name == now.name:
        notes.append(f"both are {then.name}: whatever differs is the machine")
    elif now.name.endswith("+changes"):
        notes.append(f"{now.name} is the present tree with what is not committed in it")
    names, left_out = _common_variants(then, now, scenario, request, saved)
    lab = request.component.lab
    with measurement_lock(lab.lock):
        asked = replace(request, scenario=scenario.name, variants=names, lenient=not request.variants)
        planned = plan(asked, progress, now)
        runnable = {arm.variant for arm in planned.arms}
        chosen = [one for one in now.description.variants if one.name in runnable]
        able = {one.name: one for one in provide_runtimes(then.component, chosen, request.variants, progress)}
        if not able:
            raise MissingError("no variant can run here", "./lab doctor")
        left_out |= {name: "cannot run here" for name in names if name not in able}
        arms = [
            msgspec.structs.replace(then.arm(one), label=f"{one.name} @ {then.name}")
            for arm in planned.arms
            if (one := able.get(arm.variant))
        ]
        run_then = saved.read_run(lab.results) if saved else None
        if run_then:
            name, preset = _preset_of_saved(request, run_then.header)
            preset = planned.preset if planned.counting else preset
            planned = replace(planned, preset_name=name, preset=preset, seed=run_then.header.seed)
        if planned.counting:
            # A gate judges what it was asked for; misses of a simulation are told by `bench --counts`.
            planned = replace(planned, scenario=msgspec.structs.replace(planned.scenario, metrics=[]))
            earlier = counted_scenario(earlier, now.bench)
        headline = threshold_name(planned.scenario.headline)
        worse_by = threshold_for(planned.component.manifest, scenario.name, headline).worse_by
        # An interval as wide as the threshold in both directions would decide nothing.
        half_width = min(planned.preset.half_width, worse_by / 2 or planned.preset.half_width)
        planned = replace(
            planned,
            arms=[*arms, *(arm for arm in planned.arms if arm.variant in able)],
            params=params,
            baseline=arms[0].label,
            preset=msgspec.structs.replace(planned.preset, half_width=half_width),
            kind="regression",
            builds={arm.label: then for arm in arms},
        )
        return VersionComparison(
            baseline=then.name,
            run=execute(planned, progress),
            scenario=earlier,
            variants=[arm.variant for arm in arms],
            saved=run_then,
            candidate=now.name,
            left_out=left_out,
            notes=notes,
        )


def _preset_of_saved(request: Request, saved: RunHeader) -> tuple[str, Preset]:
    """Return the saved run's preset with the request's overrides, and its name.

    Where the same preset would find the shape of the forks anew, it keeps the shape that was found for the saved run.
    """
    name, preset = chosen_preset(request, saved)
    if preset.pilot and name == saved.preset:
        found = preset_of(saved.options)
        preset = msgspec.structs.replace(preset, pilot=0.0, **{one: getattr(found, one) for one in SHAPE})
    return name, preset


def _common_params(
    baseline: str, scenario: Scenario, earlier: Scenario, request: Request
) -> tuple[dict[str, ParameterValue], list[str]]:
    """Return the request's parameters plus changed defaults, and notes on new and removed ones."""
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
    then: BuiltVersion, now: BuiltVersion, scenario: Scenario, request: Request, saved: SavedBaseline | None
) -> tuple[list[str], dict[str, str]]:
    """Return the variants common to both versions, and notes on those left out."""
    earlier = {one.name for one in then.description.variants if scenario.name in one.scenarios}
    wanted = [one.name for one in select_variants(now.description, scenario, request.variants)]
    if saved:
        earlier = set(saved.variants)
        for name in request.variants:
            if name not in earlier:
                raise unknown(f"variant in the baseline {saved.name!r}", name, earlier)
        wanted = [name for name in wanted if name in earlier]
    both = [name for name in wanted if name in earlier]
    if not both:
        raise UsageError(
            f"no variant is in both: {', '.join(wanted) or 'those of today'} came after {then.name}",
            f"there, {scenario.name!r} has: {', '.join(sorted(earlier)) or 'none'}",
        )
    left_out = {name: f"is not there at {then.name}" for name in wanted if name not in earlier}
    if not request.variants:
        left_out |= dict.fromkeys(sorted(earlier - set(wanted)), f"is there at {then.name} only")
    return both, left_out
