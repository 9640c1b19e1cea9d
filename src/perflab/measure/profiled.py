"""Running a variant under a profiler, in fresh processes like everything else."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from perflab.host.git import this_revision
from perflab.host.lock import measurement_lock
from perflab.host.machine import this_machine
from perflab.measure.measure import execute, wait_in_notebook
from perflab.measure.plan import PRESET_VARIABLE, plan
from perflab.measure.presets import PROVES_NOTHING
from perflab.model.errors import MissingError, UsageError, unknown
from perflab.model.protocol import LONGEST_TEXT
from perflab.profile import asyncprofiler, dotnet
from perflab.profile.callgrind import INSTRUCTIONS
from perflab.profile.counters import CounterSampler, FutexCounter
from perflab.profile.profile import MODES, Profile, complement, merge, of_benchmark
from perflab.profile.threads import ThreadTimes
from perflab.profile.tree import root_causes
from perflab.store.records import MOST_NOTES, ProfileRecord, new_id, profile_folder, write_profile
from perflab.topics.program import program_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from perflab.measure.fork import Fork
    from perflab.measure.plan import Plan, Request
    from perflab.model.progress import Progress
    from perflab.model.protocol import Sample
    from perflab.profile.profile import Mode
    from perflab.store.records import Arm
    from perflab.store.runs import Run
    from perflab.topics.catalogue import Component


FORKS = 3
"""Processes per profile, so that each share gets an interval."""

WARMUP_MS = 200
SAMPLE_MS = 200
SAMPLES = 4
TIMEOUT_S = 120.0

# The .NET labkit's option to add the runtime's diagnostic counters to the samples.
_EVENTS = {"PERFLAB_RUNTIME_EVENTS": "1", "DOTNET_EnableDiagnostics": "1"}

LATER_SAMPLES = "of all samples but the first; the system's counters and the threads' times are of whole processes"
TIMED_SAMPLES = "of the timed samples; the system's counters are of whole processes"
WHOLE_PROCESS = "the profile is of whole processes: start-up and warm-up are in it, and make each operation look dearer"
ALL_CALLS = (
    "of all that the benchmark called, with set-up of its own, warm-up and trials: shares, not times of an operation"
)


def profile(
    request: Request, mode: str, progress: Progress, *, forks: int = FORKS
) -> list[tuple[ProfileRecord, Profile]]:
    """Profile each of the request's variants, in so many processes each.

    Returns:
        For each variant its record, which is in the store, and its merged profile.
    """
    if request.component.bench is None:
        _mode(request.component, mode)
    if os.environ.get(PRESET_VARIABLE) == PROVES_NOTHING:
        forks = 1
    # Lock first: a build would disturb another measurement.
    with measurement_lock(request.component.lab.lock, wait_in_notebook(progress)):
        planned = plan(request, progress)
        harness = planned.build.bench and planned.build.bench.harness
        # A native harness's warm-up would be in the profile, but not in the count of operations.
        warmup_ms = 0 if harness and harness.profiled_as == "native" and not harness.timed_regions else WARMUP_MS
        preset = msgspec.structs.replace(
            planned.preset,
            warmup_ms=max(warmup_ms, planned.component.manifest.bench.warmup_ms),
            sample_ms=SAMPLE_MS,
            samples=SAMPLES,
            fork_timeout_s=TIMEOUT_S,
        )
        chosen = _mode(planned.component, mode)
        arms = [arm for arm in planned.arms if arm.variant in request.variants or not request.variants]
        planned = replace(planned, arms=arms, preset=preset)
        library = None
        if "async-profiler" in planned.component.manifest.profile.profilers:
            progress.update(0.0, "fetching the profiler")
            library = asyncprofiler.provide()
        found = []
        for number, arm in enumerate(arms):
            task = _Task(planned, arm, chosen, library)
            parts = []
            for fork in range(forks):
                done = (number * forks + fork) / (len(arms) * forks)
                progress.update(done, f"profiling {arm.variant} ({chosen}): process {fork + 1} of {forks}")
                parts.append(task.fork(fork))
            found.append(task.keep(parts, progress.note))
        return found


def count(request: Request, progress: Progress) -> tuple[Run, list[tuple[ProfileRecord, Profile]]]:
    """Count what the request's variants execute, under valgrind; return the run, and for each variant its profile.

    A profile has the instructions of all rounds.
    """
    with measurement_lock(request.component.lab.lock, wait_in_notebook(progress)):
        planned = plan(replace(request, metric=INSTRUCTIONS), progress)
        assert planned.counting is not None  # noqa: S101 - the metric says so
        run = execute(planned, progress)
        tasks = [_Task(planned, arm, "counts", None) for arm in planned.arms if arm.label in planned.counting.counted]
        return run, [task.keep([planned.counting.profile(task.arm.label, task.title)], progress.note) for task in tasks]


def check_counts(request: Request, progress: Progress) -> None:
    """Refuse what cannot be counted, before it is timed."""
    with measurement_lock(request.component.lab.lock, wait_in_notebook(progress)):
        plan(replace(request, metric=INSTRUCTIONS), progress)


class _Task:
    """One variant's profile; `id` names its record."""

    def __init__(self, planned: Plan, arm: Arm, mode: Mode, library: Path | None) -> None:
        self.plan, self.arm, self.mode, self.library = planned, arm, mode, library
        self.component = planned.component
        self.title = f"{arm.variant}, {planned.scenario.name}"
        self.id = new_id(self.component.name, planned.scenario.name, arm.variant, mode)
        self.folder = profile_folder(self.id, self.component.lab.results)

    def fork(self, number: int) -> Profile:
        """Profile one process per pass of the mode, and combine them into one profile."""
        raw = self.folder / f"fork-{number}"
        if self.library is None:
            return self._dotnet(raw, number)
        bench = self.plan.build.bench
        profiles = []
        for session in self._sessions(self.library, raw):
            fork, counters, notes = self._run(session.environment, number, session.with_arguments)
            collected = asyncprofiler.collect(session, self.title, sum(one.ops for one in fork.samples))
            note = TIMED_SAMPLES if session.timed else WHOLE_PROCESS
            if bench and bench.harness.calling_frames:
                own = bench.harness.own_frames, bench.harness.calling_frames
                collected = replace(collected, stacks=of_benchmark(collected.stacks, *own))
                if not session.timed:
                    collected, note = replace(collected, operations=None), ALL_CALLS
            profiles.append(
                replace(
                    collected,
                    counters={**collected.counters, **_counted(fork.samples), **counters},
                    notes=(*collected.notes, note, *notes),
                )
            )
        return profiles[0] if len(profiles) == 1 else complement(profiles[0], profiles[1])

    def _sessions(self, library: Path, raw: Path) -> list[asyncprofiler.Session]:
        """Return the passes that the mode needs."""
        bench = self.plan.build.bench
        if bench and bench.harness.profiled_as == "jmh":
            return [asyncprofiler.jmh_session(self.mode, library, raw)]
        manifest = self.component.manifest
        timed = self.plan.build.description.timed_regions
        how = self.mode, library, raw, program_environment(self.component, self.arm.variant)
        if manifest.language in {"java", "kotlin"}:
            parked = manifest.profile.virtual_threads
            return asyncprofiler.sessions(*how, virtual_threads=parked, timed_regions=timed)
        return [asyncprofiler.native_session(*how, between=self.plan.build.timed_between(self.arm.variant))]

    def _dotnet(self, raw: Path, number: int) -> Profile:
        """Record a process with perf, or where that is not allowed, the states of its threads."""
        missing = dotnet.unavailable_reason(self.mode)
        if missing and self.mode != "wall":
            raise MissingError(missing, "--mode wall shows at least how long each thread ran and slept")
        recordings: list[dotnet.Recording] = []
        threads: list[ThreadTimes] = []

        printed_ns: list[int] = []
        with ExitStack() as watching:
            gate = dotnet.StartGate(raw)
            watching.callback(gate.close)

            def watch(pid: int) -> None:
                if not missing:
                    recordings.append(watching.enter_context(dotnet.Recording(self.mode, pid, raw)))
                threads.append(watching.enter_context(ThreadTimes(pid)))
                gate.open()

            fork, counters, notes = self._run(
                {**({} if missing else dotnet.ENVIRONMENT), **_EVENTS},
                number,
                gate.hold,
                watch,
                lambda: printed_ns.append(time.monotonic_ns()),
            )
            reading = threads[0].finish()
            samples = fork.samples if missing else fork.samples[1:]
            operations = sum(sample.ops for sample in samples)
            if missing:
                found = threads[0].profile(missing, self.title, operations)
            else:
                # From the first sample's end to the last one's: what has been compiled by then stays as it is.
                found = dotnet.collect(
                    self.mode,
                    recordings[0].lines(),
                    self.title,
                    operations,
                    (dotnet.NOT_PRECOMPILED, LATER_SAMPLES),
                    window_ns=(printed_ns[0], printed_ns[-1]),
                )
        return replace(
            found,
            counters={**found.counters, **_counted(samples), **counters, **reading.counters},
            notes=(*found.notes, *notes, *reading.notes),
        )

    def _run(
        self,
        added: Mapping[str, str],
        number: int,
        changed: Callable[[list[str]], list[str]] = list,
        watch_too: Callable[[int], None] = lambda _: None,
        on_output: Callable[[], None] = lambda: None,
    ) -> tuple[Fork, dict[str, float], tuple[str, ...]]:
        counters: list[CounterSampler] = []
        futexes: list[FutexCounter] = []

        def watch(pid: int) -> None:
            watch_too(pid)
            counters.append(CounterSampler(pid).start())
            futexes.append(FutexCounter(pid).start())

        with ExitStack() as ended:
            ended.callback(lambda: [[one.finish() for one in counters], [one.finish() for one in futexes]])
            fork = self.plan.fork(self.arm, number, added=added, changed=changed, on_start=watch, on_output=on_output)
            readings = [*(one.finish(fork.rusage) for one in counters), *(one.finish() for one in futexes)]
            ended.pop_all()
        found: dict[str, float] = {}
        for reading in readings:
            found |= reading.counters
        notes = (note for reading in readings for note in reading.notes)
        return fork, found, tuple(notes)

    def keep(self, parts: Sequence[Profile], note: Callable[[str], None]) -> tuple[ProfileRecord, Profile]:
        """Merge the processes' profiles and put them into the store; `note` as for `this_revision`."""
        shares: dict[str, list[float]] = {}
        for part in parts:
            for row in root_causes(part, self.component.manifest.causes).rows:
                shares.setdefault(row.name, []).append(row.share)
        merged = merge(parts)
        merged.save(self.folder)
        record = ProfileRecord(
            id=self.id,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            component=self.component.name,
            scenario=self.plan.scenario.name,
            variant=self.arm.variant,
            params=self.plan.params,
            mode=self.mode,
            unit=merged.unit,
            total=merged.total,
            ops=merged.operations or 0.0,
            shares=shares,
            counters=dict(merged.counters),
            notes=[one[:LONGEST_TEXT] for one in merged.notes[:MOST_NOTES]],
            machine=this_machine(),
            revision=this_revision(self.component.lab.root, note),
            reproduction=self.plan.reproduction,
            stackless=merged.stackless,
        )
        write_profile(record, self.component.lab.results)
        return record, merged


def _counted(samples: Sequence[Sample]) -> dict[str, float]:
    """Sum the counters that the bench program reported."""
    found: dict[str, float] = {}
    for sample in samples:
        for name, value in sample.counters.items():
            found[name] = found.get(name, 0.0) + value
    return found


def _mode(component: Component, name: str) -> Mode:
    modes = {mode: mode for mode in MODES if mode in component.manifest.profile.modes}
    if not {"async-profiler", "perf"} & set(component.manifest.profile.profilers) or not modes:
        where = "docs/bench.md says to which it does" if component.bench else "see [profile] in its manifest"
        raise UsageError(f"no profiler applies to {component.name}", where)
    if name not in modes:
        raise unknown(f"profiling mode of {component.name}", name, modes)
    return modes[name]
