"""The plan of a comparison: from a user's request to the arms that take turns, each with its build and parameters."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from perflab import __version__
from perflab.host.git import this_revision
from perflab.host.lock import measurement_lock
from perflab.host.machine import this_machine
from perflab.host.toolchains import provide
from perflab.measure.counted import count
from perflab.measure.fork import provide_runtimes, run_fork
from perflab.measure.grid import label_at, points_of, read_axes
from perflab.measure.harnessed import describe_bench, open_bench
from perflab.measure.presets import FURTHER_S, PRESETS, PROVES_NOTHING, QUICK_BENCH_S, Preset, preset_of, usual_preset
from perflab.model.errors import MissingError, UsageError, unknown
from perflab.profile.asyncprofiler import TIMED_NATIVE
from perflab.profile.callgrind import COUNTS
from perflab.profile.profile import MODES
from perflab.stats.interval import CONFIDENCE, FIRST_LOOK
from perflab.store.kept import MOST_SWEPT, find_baselines
from perflab.store.records import RESULT_VERSION, SHAPE, Arm, RunHeader, new_id
from perflab.topics.build import build as build_component
from perflab.topics.build import is_built
from perflab.topics.catalogue import check_parameters, find_metric, select_scenario, select_variants
from perflab.topics.manifest import Profiling
from perflab.topics.program import describe, program_environment, run_command

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from perflab.host.spawner import Spawner
    from perflab.measure.counted import Counting
    from perflab.measure.fork import Fork
    from perflab.measure.harnessed import PreparedBench
    from perflab.model.progress import Progress
    from perflab.model.protocol import Description, ParameterValue, Sample, Scenario, Variant
    from perflab.store.records import Way
    from perflab.topics.catalogue import Component
    from perflab.topics.revisions import Commit


PRESET_VARIABLE = "PERFLAB_PRESET"
"""A preset that overrides a command's: tests set it."""


@dataclass(frozen=True)
class Request:
    """A user's request to measure.

    Attributes:
        scenario: By default the component's first one.
        variants: By default all that support the scenario.
        preset: By default `usual_preset()`.
        overrides: Values that replace fields of the preset.
        baseline: By default the first variant with the role `before`.
        plugin: The reader's own variant.
        seed: Seed of the order and of the scenario.
        metric: The metric to show; by default the headline.
        over: Values of parameters, as in `size=1,1000`: each variant takes part at each of them.
        lenient: Whether to leave out a named variant that cannot run on this machine.
        until_decided: Whether the run ends as soon as `measure`'s `on_round` says that its claims are decided.
        typed: Whether arms are called as they were typed, in a run of a bench.
        reproduction: Whether claims may rest on it.
        ways: Of a bench: how the processes of a round may run, the best of which is found; see `measure.pairs`.
        since: When an interrupted reproduction began, if its runs are to be taken instead of being made again.
    """

    component: Component
    scenario: str | None = None
    variants: Sequence[str] = ()
    params: Mapping[str, str] = field(default_factory=dict)
    preset: str | None = None
    overrides: Mapping[str, float] = field(default_factory=dict)
    baseline: str | None = None
    plugin: Path | None = None
    seed: int = 1
    metric: str | None = None
    over: Sequence[str] = ()
    lenient: bool = False
    until_decided: bool = False
    typed: bool = False
    reproduction: bool = False
    ways: Sequence[Way] = ()
    since: str = ""


@dataclass(frozen=True)
class BuiltVersion:
    """A built version of a topic.

    Attributes:
        commit: Of a work tree of its own; `None` for the present tree.
        name: Of a version that is compared with another: a saved baseline's name, or the commit's short id, with
            `+changes` for a tree that differs from it.
        bench: Runs in place of a bench program.
    """

    component: Component
    description: Description
    commit: Commit | None = None
    name: str = ""
    bench: PreparedBench | None = None

    def timed_between(self, variant: str) -> tuple[str, str] | None:
        """Return the native functions at which a sample of a variant begins and ends, if it has any."""
        if self.description.timed_regions:
            return TIMED_NATIVE
        # Its targets are paths from its folder, wherever the command was typed.
        bench = self.bench
        return bench.harness.timed_between(str(bench.folder / bench.runs[variant][0])) if bench else None

    def arm(self, variant: Variant, *, typed: bool = False) -> Arm:
        """Return a variant's arm, labelled with its name and commit; of a bench, with `typed`, as it was typed."""
        if self.bench:
            arm = next(one for one in self.bench.arms if one.variant == variant.name)
            return arm if typed else msgspec.structs.replace(arm, label=variant.name)
        if self.commit is None:
            return Arm(variant.name, variant.name, variant.role, variant.findings)
        return Arm(f"{variant.name} @ {self.name}", variant.name, variant.role, variant.findings, self.commit.id)


@dataclass(frozen=True)
class Plan:
    """The plan of a run: each round runs one process of each arm, in random order.

    Attributes:
        arms: At least one.
        baseline: The label that the others are compared with.
        params: Parameters that differ from the scenario's defaults; an arm's own take precedence.
        plugin: The reader's own variant, if one takes part.
        kind: `measure`, `noise`, `regression` if two builds of each variant take part, `search` if arms are settings
            of one variant, `scaling` if each variant takes part with each value of a parameter, `bench` if it is of
            what was typed.
        builds: Labels of arms that run another build, and that build.
        ways: As in the request.
        counting: Counts the processes in place of timing them.
        sequential: The round from which on the run ends as soon as its claims are decided; 0 if it does not.
        confidence: Of the intervals that the preset's half width is for.
    """

    build: BuiltVersion
    scenario: Scenario
    arms: list[Arm]
    baseline: str
    preset: Preset
    preset_name: str
    params: dict[str, ParameterValue] = field(default_factory=dict)
    seed: int = 1
    plugin: Path | None = None
    kind: str = "measure"
    builds: Mapping[str, BuiltVersion] = field(default_factory=dict)
    sequential: int = 0
    reproduction: bool = False
    ways: Sequence[Way] = ()
    counting: Counting | None = None
    confidence: float = CONFIDENCE

    @property
    def component(self) -> Component:
        """The topic."""
        return self.build.component

    @property
    def pairs(self) -> dict[str, str]:
        """The baseline of each candidate's label: of two builds or values, the first."""
        against = {arm.label: self.baseline for arm in self.arms}
        if self.kind in {"regression", "scaling"}:
            first = {arm.variant: arm.label for arm in reversed(self.arms)}
            against = {arm.label: first[arm.variant] for arm in self.arms}
        return {label: baseline for label, baseline in against.items() if label != baseline}

    def header(self, note: Callable[[str], None] = lambda _: None) -> RunHeader:
        """Make the run's header, when it starts; `note` as for `this_revision`."""
        return RunHeader(
            id=new_id(self.component.name, self.scenario.name),
            version=RESULT_VERSION,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            kind=self.kind,
            component=self.component.name,
            scenario=self.scenario,
            arms=self.arms,
            baseline=self.baseline,
            params=self.params,
            preset=self.preset_name,
            seed=self.seed,
            options=msgspec.to_builtins(self.preset),
            machine=this_machine(),
            revision=this_revision(self.component.lab.root, note),
            runtime=self.build.description.runtime,
            perflab=__version__,
            plugin=self.plugin.name if self.plugin else "",
            sequential=self.sequential,
            reproduction=self.reproduction,
        )

    def command(self, arm: Arm, round_: int) -> list[str]:
        """Return the bench program's command for an arm's fork in this round."""
        return run_command(
            self.builds.get(arm.label, self.build).component,
            self.scenario.name,
            arm.variant,
            self.params | arm.params,
            warmup_ms=self.preset.warmup_ms,
            sample_ms=self.preset.sample_ms,
            samples=self.preset.samples,
            seed=self.seed + round_,
            plugin=self.plugin,
        )

    def whole(self, arm: Arm) -> Arm:
        """Return an arm with all of its parameters."""
        return msgspec.structs.replace(arm, params=self.params | arm.params)

    def fork(
        self,
        arm: Arm,
        round_: int,
        on_sample: Callable[[Sample], None] = lambda _: None,
        fork: Fork | None = None,
        *,
        added: Mapping[str, str] = MappingProxyType({}),
        changed: Callable[[list[str]], list[str]] = list,
        on_start: Callable[[int], None] = lambda _: None,
        on_output: Callable[[], None] = lambda: None,
        spawner: Spawner | None = None,
    ) -> Fork:
        """Run an arm's fork of this round, below zero one that does not count; raises as `run_fork` does.

        `added` are environment variables, and its command is `changed`. `spawner` starts the fork of a bench, in place
        of the bench's own.
        """
        if self.counting is not None:
            return self.counting.fork(self, arm, round_, on_sample, fork, on_start=on_start, spawner=spawner)
        build = self.builds.get(arm.label, self.build)
        if build.bench:
            if build.bench.harness.whole:
                iteration = str(round_) if round_ >= 0 else f"warmup-{-round_ - 1}"
                added = {**added, "HYPERFINE_ITERATION": iteration}
            return build.bench.fork(
                self.whole(arm),
                self.preset,
                on_sample,
                fork,
                added=added,
                changed=changed,
                on_start=on_start,
                on_output=on_output,
                spawner=spawner,
            )

        def sampled(sample: Sample) -> None:
            on_output()
            on_sample(sample)

        return run_fork(
            changed(self.command(arm, round_)),
            cwd=build.component.folder,
            environment={**program_environment(build.component, arm.variant), **added},
            timeout_s=self.preset.fork_timeout_s,
            samples=self.preset.samples,
            on_sample=sampled,
            on_start=on_start,
            fork=fork,
        )


def prepare(component: Component, progress: Progress) -> None:
    """Build a component if its sources have changed.

    A build would disturb a measurement: it waits for the measurement lock, unless this thread holds it.
    """
    provide(component.manifest.requires, lambda what: progress.update(0.0, what))
    if not is_built(component):
        with measurement_lock(component.lab.lock, wait=lambda text: progress.update(0.0, text)):
            progress.update(0.0, f"building {component.name}")
            build_component(component)


def described(component: Component, progress: Progress, plugin: Path | None = None) -> Description:
    """Describe a topic, built if needed, or a bench by its text, with nothing built or started."""
    if component.bench is not None:
        return describe_bench(component.bench, component.name, component.folder)
    prepare(component, progress)
    return describe(component, plugin)


def present_build(component: Component, progress: Progress, plugin: Path | None = None) -> BuiltVersion:
    """Return the topic in the present tree, built if needed, or a bench with its harness, ready to run."""
    description = described(component, progress, plugin)
    if component.bench is None:
        return BuiltVersion(component, description)
    bench = open_bench(component.bench, component.folder, progress)
    how = bench.harness
    program = msgspec.structs.replace(component.manifest.bench, warmup_ms=how.warmup_ms)
    if how.profiled_as == "perf":
        profiling = Profiling(["perf"], modes=["cpu", "wall"])
    else:
        profiling = Profiling(["async-profiler"], modes=list(MODES)) if how.profiled_as else Profiling()
    language = "java" if how.profiled_as in {"jvm", "jmh"} else ""
    manifest = msgspec.structs.replace(component.manifest, bench=program, profile=profiling, language=language)
    return BuiltVersion(replace(component, manifest=manifest), description, bench=bench)


def plan(request: Request, progress: Progress, build: BuiltVersion | None = None) -> Plan:
    """Turn a request into a plan, of the present tree without a `build`. The caller holds the measurement lock."""
    if request.metric in COUNTS:
        return count(plan(replace(request, metric=None, ways=()), progress, build), request.overrides)
    build = build or present_build(request.component, progress, request.plugin)
    scenario = select_scenario(build.description, request.scenario)
    if not build.bench or build.bench.harness.reports is None:  # else `measure` finds out which metrics there are
        find_metric(scenario, request.metric)
    variants = _variants(build, scenario, request, progress)
    overrides = dict(request.overrides)
    if build.bench and build.bench.harness.whole:
        if not overrides.keys().isdisjoint({"sample_ms", "samples"}):
            raise UsageError("a command always runs to its end", "leave --sample and --samples out")
        warmup_runs = overrides.get("warmup_ms", 1)
        overrides |= {"warmup_runs": warmup_runs, "warmup_ms": 0, "sample_ms": 0, "samples": 1}
    preset_name, preset = chosen_preset(replace(request, component=build.component, overrides=overrides))
    params = check_parameters(scenario, request.params)
    most = len(request.over) if request.typed else MOST_SWEPT
    points = points_of(read_axes(scenario, request.over, params, most=most)) if request.over else [{}]
    arms = [
        msgspec.structs.replace(arm, label=label_at(arm.label, point), params={**arm.params, **point})
        for arm in (build.arm(variant, typed=request.typed) for variant in variants)
        for point in points
    ]
    if build.bench:
        for arm in arms:  # for its errors: an unknown benchmark is refused before anything runs
            build.bench.benchmark(msgspec.structs.replace(arm, params=params | arm.params))
        if preset_name == "quick" and "budget_s" not in overrides:
            preset = msgspec.structs.replace(preset, budget_s=QUICK_BENCH_S + FURTHER_S * max(len(arms) - 2, 0))
        if "budget_s" in overrides and overrides.keys().isdisjoint(SHAPE):
            preset = _shortened(preset, len(arms))
    ways = [way for way in request.ways if way != "sliced" or request.metric in {None, "cpu", "memory"}]
    if request.ways and not ways:
        raise UsageError("processes that share a core are compared by CPU time", "leave --metric or --pairs out")
    return Plan(
        build=build,
        scenario=scenario,
        arms=arms,
        baseline=_baseline(request, variants, arms),
        preset=preset,
        preset_name=preset_name,
        params=params,
        kind="bench" if request.typed else "scaling" if request.over else "measure",
        seed=request.seed,
        plugin=request.plugin,
        sequential=max(FIRST_LOOK, preset.min_rounds) if request.until_decided else 0,
        reproduction=request.reproduction,
        ways=ways,
    )


def _baseline(request: Request, variants: Sequence[Variant], arms: Sequence[Arm]) -> str:
    """Return the label of the baseline's first arm."""
    name = request.baseline or next((one.name for one in variants if one.role == "before"), variants[0].name)
    first = next((arm.label for arm in arms if arm.variant == name), None)
    if first is None:
        saved = find_baselines(request.component.lab.results, request.component.name)
        names = [*(variant.name for variant in variants), *{one.name for one in saved}]
        raise unknown("baseline among the variants measured, and none saved", name, names)
    return first


def _variants(build: BuiltVersion, scenario: Scenario, request: Request, progress: Progress) -> list[Variant]:
    chosen = select_variants(build.description, scenario, request.variants)
    if request.plugin:
        chosen += [one for one in build.description.variants if one.role == "yours" and one not in chosen]
    if not chosen:
        raise UsageError(f"no variant of {request.component.name} supports {scenario.name!r}")
    needed = [] if request.lenient else [*request.variants, *([request.baseline] if request.baseline else [])]
    able = provide_runtimes(build.component, chosen, needed, progress)
    if not able:
        raise MissingError(f"no variant of {request.component.name} that was asked for can run here", "./lab doctor")
    return able


_MEASURED_SHARE = 0.7
"""Share of a process that is warm-up and samples: a harness first finds the number of iterations."""


def _shortened(preset: Preset, arms: int) -> Preset:
    """Shorten the processes if the minimum of rounds would take longer than the budget."""
    process_ms = (preset.warmup_ms + preset.samples * preset.sample_ms) / _MEASURED_SHARE
    share = 1000 * preset.budget_s / max(preset.min_rounds * arms * process_ms, 1)
    shorter = {name: max(round(share * getattr(preset, name)), 1) for name in ("warmup_ms", "sample_ms")}
    return msgspec.structs.replace(preset, **shorter) if share < 1 else preset


def chosen_preset(request: Request, earlier: RunHeader | None = None) -> tuple[str, Preset]:
    """Return the preset of a request, else of an earlier run, with overrides, and its name."""
    name = os.environ.get(PRESET_VARIABLE) or request.preset
    if name is None and earlier is not None:
        name, preset = earlier.preset, preset_of(earlier.options)
    else:
        name = name or usual_preset()
        if name not in PRESETS:
            raise unknown("preset", name, PRESETS)
        preset = PRESETS[name]
    if name != PROVES_NOTHING:
        needed = request.component.manifest.bench.warmup_ms
        preset = msgspec.structs.replace(preset, warmup_ms=max(preset.warmup_ms, needed))
    overrides = dict(request.overrides)
    if not overrides.keys().isdisjoint(SHAPE):
        overrides.setdefault("pilot", 0.0)
    if "min_rounds" in overrides:
        overrides.setdefault("max_rounds", max(preset.max_rounds, overrides["min_rounds"]))
    if "max_rounds" in overrides:
        overrides.setdefault("min_rounds", min(preset.min_rounds, overrides["max_rounds"]))
    return name, preset_of(msgspec.to_builtins(preset) | overrides)
