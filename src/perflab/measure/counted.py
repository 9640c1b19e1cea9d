"""Count what processes execute, under valgrind, in place of measuring their time: docs/profiling.md."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from perflab.bench.interface import TWO_LENGTHS
from perflab.measure.fork import Fork
from perflab.model.errors import BenchError, UsageError
from perflab.model.protocol import Metric, Sample
from perflab.profile.callgrind import COUNTS, INSTRUCTIONS, Callgrind, Part, find_valgrind
from perflab.profile.counters import HARDWARE, hardware_allowed, hardware_stat, read_hardware
from perflab.profile.profile import Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from perflab.host.spawner import Spawner
    from perflab.measure.harnessed import PreparedBench
    from perflab.measure.plan import BuiltVersion, Plan
    from perflab.model.protocol import Scenario
    from perflab.store.records import Arm

EXACT = "exact"
"""The reason for which a run ends whose counts repeat."""

_TIMEOUT_S = 600.0
"""Valgrind slows a program down by a factor of 20 to 100."""

_TWICE, _MOST_ROUNDS = 2, 4
"""Rounds that show that counts repeat, and those of a program whose counts do not."""

_LONGER = 1.5
"""How much longer the longest part has to be for the difference to the shortest one to say something."""

_JITS = frozenset({"java", "kotlin", "scala", "dotnet", "node", "nodejs", "bun", "deno", "pypy", "pypy3", "luajit"})
_JIT = "valgrind would count what its JIT compiler does"
_ALLOCATED = "compare what they allocate: --metric allocated, or --profile alloc"


def threshold_name(metric: Metric) -> str:
    """Return the name by which a metric has its threshold: of instructions that, and not the scenario's."""
    counted = metric.of.removeprefix("counter:").removesuffix("/op")
    return counted if counted in COUNTS else metric.name


def counted_scenario(scenario: Scenario, bench: PreparedBench | None = None) -> Scenario:
    """Return the scenario with counts as its metrics, instructions as the headline; a bench's is renamed to it."""
    per = "run" if bench and bench.harness.whole else "op"
    names = [*COUNTS, *(HARDWARE if per == "run" else ())]
    metrics = [Metric(one, f"counter:{one}/op", f"{one.rpartition('-')[2]}/{per}", "lower") for one in names]
    name = metrics[0].name if bench else scenario.name
    headline = {"name": name, "unit": metrics[0].unit, "better": "lower", "metric": metrics[0].of}
    return msgspec.structs.replace(scenario, **headline, metrics=[one for one in metrics if one.name != name])


def is_counted(scenario: Scenario) -> bool:
    """Return whether a run of this scenario counted."""
    return scenario.metric == f"counter:{INSTRUCTIONS}/op"


def count(planned: Plan, overrides: Mapping[str, float]) -> Plan:
    """Return a plan that counts in place of timing, with as many rounds as that takes unless they are limited.

    Raises:
        UsageError: If something cannot be counted, with the reason.
        MissingError: If there is no valgrind.
    """
    _check_countable(planned.build, planned.arms)
    find_valgrind()
    if planned.kind == "scaling":
        raise UsageError("counts are of programs, and not of values that take turns", "leave --over out: --param")
    limits = {"min_rounds": _TWICE, "max_rounds": _MOST_ROUNDS, "fork_timeout_s": _TIMEOUT_S}
    limits |= {name: overrides[name] for name in limits.keys() & overrides.keys()}
    return replace(
        planned,
        scenario=counted_scenario(planned.scenario, planned.build.bench),
        preset=msgspec.structs.replace(planned.preset, pilot=0.0, warmup_runs=0, **limits),
        kind="counts" if planned.kind == "measure" else planned.kind,
        counting=Counting(planned.scenario),
    )


def _check_countable(build: BuiltVersion, arms: Sequence[Arm]) -> None:
    name, bench = build.component.name, build.bench
    if bench is None:
        language = build.component.manifest.language
        if language not in {"cpp", "rust"}:
            raise UsageError(f"{name} cannot be counted: {_JIT}", _ALLOCATED)
    elif bench.harness.whole:
        for arm in arms:
            target, benchmark = bench.runs[arm.variant]
            program = Path(bench.harness.command(target, benchmark, _AnyShape())[0]).name
            if program in _JITS:
                raise UsageError(f"{program} cannot be counted: {_JIT}", "compare the time, or the memory")
    elif bench.harness.profiled_as in {"jvm", "jmh", "perf"}:
        raise UsageError(f"benchmarks of {bench.harness.about} cannot be counted: {_JIT}", _ALLOCATED)
    elif not (
        bench.harness.counted_within
        or bench.harness.counted_between
        or (bench.harness.timed_regions and bench.harness.profiled_as == "native")
    ):
        raise UsageError(
            f"benchmarks of {bench.harness.about} cannot be counted: no function begins and ends a sample",
            "compare commands: the whole process is counted",
        )


class _AnyShape:
    warmup_ms = sample_ms = 0
    samples = 1


@dataclass
class Counting:
    """Counts a run's processes.

    Attributes:
        scenario: The one that is counted, as it is timed.
        counted: For each label the operations and what they executed, by round.
    """

    scenario: Scenario
    counted: dict[str, list[tuple[float, Part]]] = field(default_factory=dict)

    def fork(
        self,
        plan: Plan,
        arm: Arm,
        round_: int,
        on_sample: Callable[[Sample], None],
        fork: Fork | None,
        *,
        on_start: Callable[[int], None],
        spawner: Spawner | None,
    ) -> Fork:
        """Run an arm's processes of this round, one for each length; its one sample has the counts."""
        build = plan.builds.get(arm.label, plan.build)
        harness = build.bench.harness if build.bench else None
        fork = Fork() if fork is None else fork
        timed = replace(plan, scenario=self.scenario, counting=None)
        found: list[tuple[float, Part]] = []
        for shape in harness.counted_in if harness else TWO_LENGTHS:
            preset = msgspec.structs.replace(plan.preset, **shape)
            with TemporaryDirectory(prefix="perflab-counts-") as folder:
                callgrind = Callgrind(
                    Path(folder),
                    between=(harness and harness.counted_between) or build.timed_between(arm.variant),
                    within=harness.counted_within if harness else "",
                )
                own = Fork()
                try:
                    replace(timed, preset=preset).fork(
                        arm, round_, fork=own, changed=callgrind.command, on_start=on_start, spawner=spawner
                    )
                except BenchError as error:
                    error.hint = callgrind.said() or error.hint
                    raise
                parts = callgrind.parts()[-len(own.samples) :]
            fork.wall_s, fork.rusage, fork.usage = fork.wall_s + own.wall_s, own.rusage, own.usage
            fork.start, fork.end, fork.exit_status = own.start, own.end, own.exit_status
            if harness and harness.whole:
                found.append((1.0, parts[0]))  # whatever it printed
                continue
            if len(parts) < len(own.samples):
                raise BenchError(
                    f"{arm.label} gave {len(own.samples)} samples, and {len(parts)} of them were counted",
                    "are the functions that begin and end them in it?",
                )
            found += zip((sample.ops for sample in own.samples), parts, strict=True)
        operations, part = _per_operation(found)
        self.counted.setdefault(arm.label, []).append((operations, part))
        hardware = _hardware(timed, arm, round_, spawner) if harness and harness.whole and hardware_allowed() else {}
        fork.samples = [Sample(0, operations, 1.0, counters={**part.counts, **hardware})]
        on_sample(fork.samples[0])
        return fork

    def repeats(self, labels: Sequence[str]) -> bool:
        """Return whether all of these executed the same number of instructions for an operation in every round."""
        return all(
            len(rounds) >= _TWICE and len({round(part.counts["instructions"] / ops, 6) for ops, part in rounds}) == 1
            for rounds in map(self.counted.__getitem__, labels)
        )

    def profile(self, label: str, title: str) -> Profile:
        """Return what a label executed in all rounds, by its stacks."""
        rounds = self.counted[label]
        part = reduce(Part.plus, (part for _, part in rounds))
        return Profile(
            "counts",
            "instructions",
            part.instructions,
            part.counts,
            title,
            sum(operations for operations, _ in rounds),
            ("counted by valgrind, which runs one thread at a time and knows no time: docs/profiling.md",),
        )


def _hardware(timed: Plan, arm: Arm, round_: int, spawner: Spawner | None) -> dict[str, float]:
    """Run a command once more, counted by the processor."""
    with TemporaryDirectory(prefix="perflab-counts-") as folder:
        output = Path(folder, "counts")
        timed.fork(arm, round_, changed=lambda command: [*hardware_stat(output), *command], spawner=spawner)
        return read_hardware(output.read_text())


def _per_operation(found: Sequence[tuple[float, Part]]) -> tuple[float, Part]:
    """Return operations and what they executed: of two lengths the difference, in which no start and end are."""
    if len(found) > len(TWO_LENGTHS):
        found = found[1:]  # the first of several samples in a process has what is done once, as binding symbols
    (few, short), (many, long) = min(found, key=itemgetter(0)), max(found, key=itemgetter(0))
    if many >= _LONGER * few:
        return many - few, long.plus(short, -1)
    return sum(operations for operations, _ in found), reduce(Part.plus, (part for _, part in found))
