"""How the processes of a round run: apart, at once, or at once on one core; and which of these suits a bench.

Apart, one after the other, whatever the machine does for a second hits one process of a pair. Two that share a core
are sliced by the scheduler every few milliseconds: what the machine does hits both. Their figure is CPU time, as half
of the wall time belongs to the other. docs/measuring.md shows what each way is worth, and how far it may be off.
"""

from __future__ import annotations

import math
import os
import signal
import time
from contextlib import chdir, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import fmean, median, stdev
from threading import Event, Thread
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from perflab.host.machine import this_limits, this_machine
from perflab.host.spawner import Spawner
from perflab.measure.fork import DELAY, Fork
from perflab.model.errors import BenchError, LabError, MissingError, UsageError
from perflab.model.format import percent
from perflab.stats.interval import MINIMUM_ROUNDS, student_quantile
from perflab.stats.metrics import fork_value

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from perflab.measure.plan import Plan
    from perflab.model.progress import Progress
    from perflab.model.protocol import Sample, Scenario
    from perflab.store.records import Arm, Way

WAYS: tuple[Way, ...] = ("sliced", "apart", "parallel")
"""All ways; without much narrower intervals none takes the place of one before it."""

_WAITS, _WAITS_AT_MOST = 0.1, 0.5
"""Share of its time for which a program may wait, as for a disk, and still be compared by its CPU time: if that is for
perflab to choose, and if the user has."""

ONE_THREAD = 1.25
"""Processors that a program with one busy thread keeps busy at most: a runtime's helpers take some of a second one."""

_SPARE_S = 0.005
"""What a start may take beside CPU time."""

_MOST_CORES = 4
"""More pairs at once would compete for caches and memory."""

_UNLIKE, _SMALL = 1.25, 2**22
"""Factor in peak memory from which on two programs are taken to use caches differently; bytes that do not matter."""

_ALONE_SHARE, _SHARE = 0.15, 0.1
"""Shares of the budget that the rounds of a trial may take: one after the other, which all else is compared with, and
in another way.
"""

_ROUNDS = 8
"""Rounds of a trial, at most; fewer say too little about the spread to choose by."""

_FEWEST = 6
"""A run of fewer rounds is not worth a trial."""

_STRAYED = 1.2

_MUCH_NARROWER = 0.4
"""Of equal spreads, one of `_ROUNDS` rounds comes out so much smaller by chance in 1.4 % of the trials (F test)."""

_LOOK_S = 0.2
_DIFFERS = 0.02
_SURE = 0.98


@dataclass
class Process:
    """One process of a round, before or after it ran.

    Attributes:
        position: Its place in the order of starts.
        spawner: Starts it; `None` for the bench's own.
        error: Why it failed.
        started: When, in ISO 8601.
    """

    arm: Arm
    round: int
    position: int
    spawner: Spawner | None = None
    fork: Fork = field(default_factory=Fork)
    error: LabError | None = None
    started: str = ""

    def run(
        self, plan: Plan, on_sample: Callable[[Sample], None], on_start: Callable[[int], None] = lambda _: None
    ) -> None:
        """Run it; a failure of its own becomes `error`."""
        self.started = datetime.now(UTC).isoformat(timespec="milliseconds")
        try:
            plan.fork(self.arm, self.round, on_sample, self.fork, on_start=on_start, spawner=self.spawner)
        except (BenchError, MissingError) as error:
            self.error = error


def cores_for_pairs(topology: Path = Path("/sys/devices/system/cpu")) -> list[int]:
    """Return the processors on which pairs may run, one of each core: hardware threads of a core are no two cores."""
    found: dict[str, int] = {}
    for number in sorted(os.sched_getaffinity(0)):
        core = str(number)
        with suppress(OSError):
            core = (topology / f"cpu{number}/topology/thread_siblings_list").read_text(encoding="ascii").strip()
        found.setdefault(core, number)
    quota = this_limits().cores
    most = _MOST_CORES if quota is None else min(_MOST_CORES, max(int(quota), 1))
    return list(found.values())[:most]


def at_once(jobs: Sequence[Callable[[Callable[[int], None]], None]], folder: Path) -> None:
    """Run each job in a thread of its own, with a function that it calls with the id of the process it started.

    Ctrl-C ends all of these processes and waits for the jobs. A job's exception is raised here, the first one's.
    """
    pids: list[int] = []
    raised: list[BaseException] = []
    ended: list[object] = []
    all_ended = Event()

    def run(job: Callable[[Callable[[int], None]], None]) -> None:
        try:
            job(pids.append)
        except BaseException as error:  # noqa: BLE001 - raised again below
            raised.append(error)
        finally:
            ended.append(job)
            if len(ended) == len(jobs):
                all_ended.set()

    threads = [Thread(target=run, args=(job,)) for job in jobs]
    with chdir(folder):  # for all threads, which would otherwise change it under each other
        try:
            for thread in threads:
                thread.start()
            while not all_ended.wait(_LOOK_S):  # another thread may get the signal
                pass
        except BaseException:
            # In Python 3.11 a thread that runs looks as if it had ended if Ctrl-C came while it was joined.
            while len(ended) < sum(thread.ident is not None for thread in threads):
                for pid in tuple(pids):
                    with suppress(ProcessLookupError):
                        os.killpg(pid, signal.SIGKILL)
                all_ended.wait(0.05)
            raise
    if raised:
        raise raised[0]


@dataclass
class Pairing:
    """How the processes of a run's rounds run.

    Attributes:
        crews: For each round that runs at once, the spawner of each of its processes; none if they run apart.
        beside: Log ratios of CPU time of processes that ran apart, by candidate, for comparison.
        strayed: Whether a pair took more CPU time than its core has.
    """

    way: Way = "apart"
    crews: list[list[Spawner]] = field(default_factory=list)
    beside: dict[str, list[float]] = field(default_factory=dict)
    strayed: bool = False

    def round(
        self,
        plan: Plan,
        arms: Sequence[Arm],
        number: int,
        order: random.Random,
        *,
        on_sample: Callable[[Process, Sample], None] = lambda *_: None,
        starting: Callable[[Process], None] = lambda _: None,
    ) -> Iterator[Process]:
        """Run the next round, or one for each crew at once, and yield the processes as they have ended.

        Those of a round start in random order. `starting` is called before each, or before those that run at once.
        """
        if self.crews:
            self.crews = [crew for crew in self.crews if _is_there(crew)]
            if not self.crews:
                raise MissingError("the cores that the run began on are gone", "measure again")
        crews: Sequence[Sequence[Spawner | None]] = self.crews or [[None] * len(arms)]
        processes = [
            Process(arm, number + i, position, crew[position])
            for i, crew in enumerate(crews)
            for position, arm in enumerate(order.sample(arms, len(arms)))
        ]
        bench = plan.build.bench
        if not self.crews or bench is None:
            for process in processes:
                starting(process)
                process.run(plan, partial(on_sample, process))
                yield process
            return
        # Each has only a share of its core.
        timeout_s = plan.preset.fork_timeout_s * len(arms)
        plan = replace(plan, preset=msgspec.structs.replace(plan.preset, fork_timeout_s=timeout_s))
        starting(processes[0])
        at_once([partial(one.run, plan, partial(on_sample, one)) for one in processes], bench.folder)
        self.strayed |= self.way == "sliced" and any(
            sum(map(_used_s, forks)) > _STRAYED * max(one.wall_s for one in forks) + _SPARE_S
            for forks in ([one.fork for one in processes if one.round == number + i] for i in range(len(crews)))
        )
        yield from processes

    def differs(self, ratios: Mapping[str, Sequence[float]]) -> dict[str, tuple[float, float]]:
        """Return the candidates whose CPU time alone and beside the other differ, as factors of both."""
        found = {}
        for label, alone in self.beside.items():
            beside = ratios.get(label, ())
            if min(len(alone), len(beside)) >= MINIMUM_ROUNDS:
                error = math.hypot(*(stdev(each) / math.sqrt(len(each)) for each in (alone, beside)))
                surely = student_quantile((1 + _SURE) / 2, min(len(alone), len(beside))) * error
                if abs(fmean(alone) - fmean(beside)) > max(_DIFFERS, surely):
                    found[label] = math.exp(fmean(alone)), math.exp(fmean(beside))
        return found


class _Trial(NamedTuple):
    """The rounds of a way's trial, by label, and the seconds that each took."""

    rounds: list[dict[str, Fork]]
    round_s: float

    def log_ratios(self, plan: Plan, of: str) -> dict[str, list[float]]:
        """Return the log ratios of each candidate."""
        return {
            label: [
                math.log(fork_value(one[base].samples, of) / fork_value(one[label].samples, of)) for one in self.rounds
            ]
            for label, base in plan.pairs.items()
        }

    def width(self, plan: Plan, of: str) -> float:
        """Return what an interval's width is proportional to after a given time; NaN for too few rounds."""
        if len(self.rounds) < _ROUNDS:
            return math.nan
        return max(map(stdev, self.log_ratios(plan, of).values())) * math.sqrt(self.round_s)


def choose(plan: Plan, order: random.Random, progress: Progress) -> Pairing:
    """Return the plan's only way, or find that with the narrowest interval for the time by rounds that do not count.

    Raises:
        UsageError: If the program is not fit for the only way that is wanted.
    """
    bench, wanted = plan.build.bench, [way for way in WAYS if way in plan.ways]
    short = len(wanted) > 1 and plan.preset.max_rounds < _FEWEST
    benches = [bench, *(one.bench for one in plan.builds.values())]
    if bench is None or None in benches or len(plan.arms) == 1 or short:
        return Pairing()
    able = _allowed(wanted, unfit(plan))
    if able == ["apart"]:
        return Pairing()
    progress.update(0.0, f"{plan.component.name} {plan.scenario.name}: how should pairs run?")
    try:
        # A few rounds tell which programs may share a core; comparing spreads takes all of them.
        few, share = (MINIMUM_ROUNDS, _ALONE_SHARE) if "sliced" in able else (_ROUNDS, _SHARE)
        apart = _try(plan, Pairing(), order, share=share, least=few)
        able, pairings = _able(plan, able, apart)
        trials = {"apart": apart}
        for way in able if len(able) > 1 else ():
            if way == "sliced" or (way == "parallel" and len(apart.rounds) == _ROUNDS):
                trials[way] = _try(plan, pairings[way], order)
    except (BenchError, MissingError, ValueError):
        return Pairing()  # the run itself will say what is wrong with a process
    cpu, figure = bench.harness.cpu, plan.scenario.headline.of
    if "sliced" in trials and pairings["sliced"].differs(trials["sliced"].log_ratios(plan, cpu)):
        able.remove("sliced")
    widths = {way: one.width(plan, cpu if way == "sliced" else figure) for way, one in trials.items()}
    best = able[0]
    for way in able[1:]:
        if widths.get(way, math.nan) < _MUCH_NARROWER * widths.get(best, math.nan):
            best = way
    return pairings[best]


def _able(plan: Plan, ways: Sequence[Way], apart: _Trial) -> tuple[list[Way], dict[Way, Pairing]]:
    """Return the ways that programs are fit for by what they did when they ran apart, and how their processes run."""
    refused = _unfit_as_seen(plan, apart)
    crews = _pinned_crews(apart) if "sliced" in ways and "sliced" not in refused else []
    if not crews:
        refused.setdefault("sliced", "the system does not let a program be kept on one core")
    able = _allowed(ways, refused)
    pairings = {way: Pairing(way) for way in able}
    if "sliced" in able:
        beside = apart.log_ratios(plan, plan.build.bench.harness.cpu) if plan.build.bench else {}
        pairings["sliced"] = Pairing("sliced", crews, beside)
    if "parallel" in able:
        pairings["parallel"].crews = [[Spawner() for _ in plan.arms]]
    return able, pairings


def _allowed(ways: Sequence[Way], refused: Mapping[Way, str]) -> list[Way]:
    """Return the ways that are not refused; raise if the only one is."""
    able = [way for way in ways if way not in refused]
    if not able:
        raise UsageError(f"pairs cannot run {ways[0]}: {refused[ways[0]]}", "leave --pairs out")
    return able


def by_cpu_time(scenario: Scenario, cpu: str) -> Scenario:
    """Return the scenario with CPU time as its headline, in place of the wall time, which pairs on a core share."""
    headline = next(one for one in scenario.metrics if one.of == cpu)
    others = [one for one in scenario.metrics if one.of != cpu]
    return msgspec.structs.replace(
        scenario, name=headline.name, unit=headline.unit, better=headline.better, metric=cpu, metrics=others
    )


def unfit(plan: Plan) -> dict[Way, str]:
    """Return why the plan allows no pairs of a way."""
    bench, cores = plan.build.bench, this_machine().usable_cores
    assert bench is not None  # noqa: S101 - as above
    refused: dict[Way, str] = {}
    if len(plan.arms) > cores:
        refused["parallel"] = f"{len(plan.arms)} processes have {cores:g} processors"
    if not bench.harness.cpu:
        refused["sliced"] = f"{bench.harness.about} does not tell the CPU time of what it measures"
    if any(one.options for one in bench.around.values()):
        why = "what runs around commands, and their input and output, is for one at a time"
        refused |= {"parallel": why, "sliced": why}
    return refused


def _unfit_as_seen(plan: Plan, trial: _Trial) -> dict[Way, str]:
    """Return why the programs are not fit for a way, by what they did when they ran apart."""
    bench = plan.build.bench
    assert bench is not None  # noqa: S101 - as above
    refused: dict[Way, str] = {}
    together, peaks = 0.0, []
    for arm in plan.arms:
        forks = [one[arm.label] for one in trial.rounds]
        spare_s = _SPARE_S if bench.harness.whole else 0.0
        threads, waits = median(map(_threads, forks)), median(_waits(one, spare_s) for one in forks)
        together += threads
        peaks.append(median(one.usage.get("os:max_rss_bytes", 0.0) for one in forks))
        if waits > (_WAITS_AT_MOST if len(plan.ways) == 1 else _WAITS):
            refused["sliced"] = f"{arm.label} waits for {percent(waits)} of its time, which CPU time does not have"
        if not all("cpu-ns" in one.counters for fork in forks for one in fork.samples):
            refused["sliced"] = f"{arm.label} does not tell the CPU time of what it measures"
        if threads > ONE_THREAD:
            refused["sliced"] = f"{arm.label} keeps {threads:.1f} processors busy, and would have one"
    if len(plan.ways) > 1 and max(peaks) > _UNLIKE * min(peaks) + _SMALL:
        refused["sliced"] = "their use of memory differs, and they would share the core's caches"
    if together > this_machine().usable_cores + ONE_THREAD - 1:
        refused["parallel"] = f"together they keep {together:.1f} processors busy"
    return refused


def _used_s(fork: Fork) -> float:
    return fork.usage["os:user_s"] + fork.usage["os:system_s"]


def _threads(fork: Fork) -> float:
    """Return how many processors a process kept busy while it had one."""
    used = _used_s(fork)
    # The delay is also that of the start, which the wall time of a short process does not have.
    return used / max(fork.wall_s - fork.usage.get(DELAY, 0.0), used / this_machine().usable_cores, 1e-9)


def _waits(fork: Fork, spare_s: float) -> float:
    """Return the share of its measured time for which a process neither ran nor was ready to, nor was being started."""
    wall_ns = sum(one.ns for one in fork.samples)
    cpu_ns = sum(one.counters.get("cpu-ns", 0.0) for one in fork.samples)
    ready = fork.usage.get(DELAY, 0.0) / fork.wall_s
    return 1 - cpu_ns / wall_ns - ready - spare_s / (wall_ns / 1e9)


def _pinned_crews(apart: _Trial) -> list[list[Spawner]]:
    """Return a crew on each core, as many as half of the memory has room for; none if the system forbids it."""
    peak = max(sum(fork.usage.get("os:max_rss_bytes", 0) for fork in one.values()) for one in apart.rounds)
    most = max(int(this_machine().usable_memory / 2 / peak), 1) if peak else None
    try:
        return [[Spawner(core) for _ in apart.rounds[0]] for core in cores_for_pairs()[:most]]
    except OSError:
        return []


def _is_there(crew: Sequence[Spawner]) -> bool:
    """Pin what a crew starts to its core again; return False if the core is gone."""
    try:
        for spawner in crew:
            spawner.pin()
    except OSError:
        return False
    return True


def _try(
    plan: Plan, pairing: Pairing, order: random.Random, *, share: float = _SHARE, least: int = MINIMUM_ROUNDS
) -> _Trial:
    """Run rounds that do not count, for a share of the budget: only one if `least` rounds would not fit."""
    begun, most_s = time.monotonic(), share * plan.preset.budget_s
    rounds: dict[int, dict[str, Fork]] = {}
    spent = round_s = 0.0
    while not rounds or (len(rounds) < _ROUNDS and max(spent + round_s, least * round_s) < most_s):
        for process in pairing.round(plan, plan.arms, len(rounds) - 2 * _ROUNDS, order):
            if process.error:
                raise process.error
            rounds.setdefault(process.round, {})[process.arm.label] = process.fork
        spent = time.monotonic() - begun
        round_s = spent / len(rounds)
    return _Trial(list(rounds.values()), round_s)
