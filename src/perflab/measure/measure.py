"""Measuring what a plan says: rounds of forks in random order, until it is decided, precise enough, or time is up."""

from __future__ import annotations

import os
import random
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from statistics import median
from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec

from perflab.bench.interface import EMPTY_CALLS
from perflab.host.git import this_revision
from perflab.host.lock import measurement_lock
from perflab.host.machine import LoadWatch, this_machine
from perflab.host.spawner import Spawner
from perflab.measure.counted import EXACT
from perflab.measure.fork import Fork
from perflab.measure.pairs import Pairing, by_cpu_time, choose, unfit
from perflab.measure.plan import plan, present_build
from perflab.measure.presets import PRESETS, PROVES_NOTHING, UNTIL_S, Precision
from perflab.measure.shape import SteadyStateCheck, fit_shape
from perflab.model.errors import BenchError, LabError, MissingError, StoreError, UsageError, VoidError
from perflab.model.format import factor, percent, quantity
from perflab.model.protocol import Metric
from perflab.stats.metrics import fork_value
from perflab.store.records import SHAPE, Ending, made_since, moment
from perflab.store.runs import Run, RunWriter, find_runs, select_runs
from perflab.topics.catalogue import select_scenario, select_variants

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from perflab.measure.pairs import Process
    from perflab.measure.plan import BuiltVersion, Plan, Request
    from perflab.model.progress import Progress
    from perflab.model.protocol import Sample
    from perflab.store.records import Arm


REUSE_VARIABLE = "PERFLAB_REUSE_SINCE"
"""Set in the notebooks of a reproduction: runs since this time (ISO 8601) are not made again."""

_FIRST_RUN, _FIRST_RUN_S = 5.0, 0.02
"""A command's first run took remarkably longer than the others: by this factor, and by so many seconds."""
_UNREACHABLE = 1e-9
EMPTY = 1.25
"""An operation that takes less than so many empty calls may have been worked out by the compiler."""
_PATIENCE, _MOST_PATIENCE_S = 0.1, 30.0
"""The share of its budget that a run waits for other work on the machine to end, and the most seconds."""


def wait_in_notebook(progress: Progress) -> Callable[[str], None] | None:
    """Let a reproduction's notebook wait for the measurement lock; anything else is refused while it is taken."""
    return (lambda text: progress.update(0.0, text)) if REUSE_VARIABLE in os.environ else None


def measure(
    request: Request,
    progress: Progress,
    on_round: Callable[[Run], bool] | None = None,
    build: BuiltVersion | None = None,
) -> Run:
    """Build the component if needed, measure, and return the run as it is on disk.

    From the preset's minimum of rounds on, `on_round` gets the run after each round, as if it ended there, and returns
    whether its claims are decided, which ends it if the request says `until_decided`. `build` is the component's in the
    present tree, if it is known.
    """
    # The lock comes first: a build during another measurement would disturb it.
    with measurement_lock(request.component.lab.lock, wait_in_notebook(progress)):
        planned = plan(request, progress, build)
        if run := _reusable(planned, progress, request.since):
            return run
        bench = planned.build.bench
        with _cleaned(planned):
            if (
                bench
                and planned.counting is None
                and (bench.harness.reports is not None or request.metric not in {None, planned.scenario.headline.name})
            ):
                planned = _with_reported(planned, request, progress)
            return execute(planned, progress, on_round)


@contextmanager
def _cleaned(planned: Plan) -> Iterator[None]:
    """Clean up behind the commands that ran in this block, however it ends."""
    try:
        yield
    finally:
        if planned.build.bench:
            planned.build.bench.steps.clean_up()


def _with_reported(planned: Plan, request: Request, progress: Progress) -> Plan:
    """Add what benchmarks report of their own accord to the scenario's metrics, by a short run of each.

    Raises:
        UsageError: If the request's metric has no direction, or too few of them report it for a comparison.
    """
    bench, saved, wanted = planned.build.bench, request.component.bench, request.metric
    assert bench is not None and saved is not None  # noqa: PT018, S101 - only benches have a harness
    shape = {name: getattr(PRESETS[PROVES_NOTHING], name) for name in SHAPE}
    # Shorter than any that counts, and two if it matters: what grows with a sample's length is a total.
    lengths = (10, shape["sample_ms"]) if wanted and bench.harness.reports is not None else (10,)
    presets = [msgspec.structs.replace(planned.preset, **{**shape, "sample_ms": length}) for length in lengths]
    came: dict[str, list[Sample]] = {}
    for arm in planned.arms:
        progress.update(0.0, f"a run that does not count: {arm.label}")
        with suppress(BenchError):  # the run itself will say why
            for preset in presets:
                came[arm.label] = replace(planned, preset=preset).fork(arm, -1).samples
    reported = bench.harness.reports or {}
    own = [
        Metric(name, one.of, one.unit, one.better or better)
        for name, one in reported.items()
        if (better := one.better or (saved.better if name == wanted else None))
    ]
    known = planned.scenario.all_metrics
    scenario = msgspec.structs.replace(
        planned.scenario, metrics=[*planned.scenario.metrics, *(one for one in own if one.name not in known)]
    )
    planned = replace(planned, scenario=scenario)
    if len(came) < len(planned.arms):
        return planned
    metrics, usual = scenario.all_metrics, scenario.headline.name
    everything = {name: one.of for name, one in metrics.items()} | {name: one.of for name, one in reported.items()}
    has = {
        label: [name for name in everything if _is_reported(samples, everything[name])]
        for label, samples in came.items()
    }
    wanted = wanted or usual
    without = [label for label, names in has.items() if wanted not in names]
    if wanted in reported and wanted not in metrics:
        unit = reported[wanted].unit
        raise UsageError(f"is more or less {unit or wanted} better?", "say --better higher, or lower")
    if without and len(came) - len(without) < min(len(came), 2):
        each = "; ".join(f"{label}: {', '.join(names)}" for label, names in has.items())
        raise UsageError(f"there are no figures of {wanted} from {', '.join(without)}", f"reported by {each}")
    if all(usual in names for names in has.values()):
        return planned
    # What has no time is fitted, and measured until it is precise, by what is asked for.
    one, others = metrics[wanted], [metrics[name] for name in metrics if name != wanted]
    goal = {"name": wanted, "unit": one.unit, "better": one.better, "metric": one.of, "metrics": others}
    return replace(planned, scenario=msgspec.structs.replace(scenario, **goal))


def _empty_calls(samples: list[Sample]) -> float:
    """Return how many empty calls take as long as an operation: of a nanosecond each where none was measured."""
    with suppress(ValueError):
        return fork_value(samples, f"counter:{EMPTY_CALLS}/op")
    return fork_value(samples, "time")


def _is_reported(samples: list[Sample], of: str) -> bool:
    with suppress(ValueError):
        fork_value(samples, of)
        return True
    return False


def measure_noise(request: Request, progress: Progress) -> Run:
    """Measure the request's first variant against itself, under two labels, to find the noise. Raises as `measure`."""
    with measurement_lock(request.component.lab.lock, wait_in_notebook(progress)):
        build = present_build(request.component, progress)
        scenario = select_scenario(build.description, request.scenario)
        first = select_variants(build.description, scenario, request.variants)[0]
        planned = plan(replace(request, variants=[first.name]), progress, build)
        (arm,) = planned.arms
        again = msgspec.structs.replace(arm, label=f"{arm.label} (again)")
        # A noise band has no target of precision.
        preset = msgspec.structs.replace(planned.preset, half_width=_UNREACHABLE)
        planned = replace(planned, arms=[arm, again], preset=preset, kind="noise")
        return _reusable(planned, progress) or execute(planned, progress)


def _reusable(planned: Plan, progress: Progress, resumed: str = "") -> Run | None:
    """Return the newest run of this session, or of a `resumed` reproduction, that measured the same in the same way."""
    since = resumed or os.environ.get(REUSE_VARIABLE)
    if not since or planned.plugin:
        return None
    component = planned.component
    # A resumed reproduction divides what time is left anew, so its budgets are others.
    same: dict[str, Any] = {"preset": planned.preset_name, "reproduction": True} if resumed else {}
    runs = select_runs(
        find_runs(component.lab.results, component=component.name, scenario=planned.scenario.name),
        kinds=(planned.kind,),
        labels=[arm.label for arm in planned.arms],
        params=planned.params,
        plugin="",
        machine=this_machine().id,
        baseline=planned.baseline,
        revision=this_revision(component.lab.root),
        **same,
    )
    start, preset = moment(since), msgspec.to_builtins(planned.preset)
    for run in reversed(runs):
        alike = resumed or (run.header.planned or run.header.options) == preset
        if made_since(run.header.created, start) and run.ending and alike:
            progress.note(f"taken from this session's run {run.id}, which took {run.ending.wall_s:.0f} s")
            return run
    return None


def execute(planned: Plan, progress: Progress, on_round: Callable[[Run], bool] | None = None) -> Run:
    """Measure, writing each sample as it comes, and return the run as it is on disk; `on_round` as for `measure`.

    An arm whose fork fails drops out; if none is left, the BenchError names the run, and is a VoidError if all are
    void. The run is sealed in any case, also on Ctrl-C. The caller holds the measurement lock.
    """
    execution = _Execution(planned, progress, on_round)
    try:
        with _cleaned(planned):
            return execution.run()
    except BenchError as error:
        error.run = execution.folder
        raise


class _Execution:
    """The state of a run under way."""

    def __init__(self, planned: Plan, progress: Progress, on_round: Callable[[Run], bool] | None) -> None:
        self._plan = planned
        self._on_round = on_round
        self._progress = progress
        lab = planned.component.lab
        self._writer = RunWriter(planned.header(progress.note), lab.results)
        self.folder = self._writer.folder
        self._watch = LoadWatch()
        self._started = time.monotonic()
        self._order = random.Random(planned.seed)  # noqa: S311 - an order that can be repeated, not a secret
        self._precision = self._precise(planned)
        self._steady = SteadyStateCheck(planned.scenario.all_metrics)
        self._empty_calls: dict[str, list[float]] = {}  # for each operation, by fork
        self._errors: dict[str, LabError] = {}  # of each arm that dropped out
        self._notes = list(planned.build.bench.notes) if planned.build.bench else []
        self._walls: dict[str, list[float]] = {}  # of the runs of whole commands, the first that do not count included
        self._pairing = Pairing()
        self._writing = Lock()
        self._told = False
        self._round = 0
        self._forks = 0
        self._fitting_s = 0.0

    @staticmethod
    def _precise(plan: Plan, *, robust: bool = False) -> Precision:
        headline, half_width = plan.scenario.headline, plan.preset.half_width
        return Precision(headline, plan.pairs, half_width, robust=robust, confidence=plan.confidence)

    def run(self) -> Run:
        reason = "failed"
        try:
            if self._plan.counting is None:
                self._wait()
            self._started = time.monotonic()
            self._warm_up()
            import_module("numpy")  # now, not between two processes that count
            self._fit()
            self._pair()
            reason = self._rounds()
        except KeyboardInterrupt:
            reason = "interrupted"
            raise
        finally:
            self._note_odd()
            ending = self._writer.end(self._ending(reason))
        if len(self._errors) == len(self._plan.arms):
            errors = list(self._errors.values())
            raise next((error for error in errors if not isinstance(error, VoidError)), errors[0])
        return Run(self._writer.folder, self._writer.header, ending)

    def _wait(self) -> None:
        """Wait a little for the machine to become quiet, and say if it has not."""
        patience = 0.0 if self._plan.preset_name == PROVES_NOTHING else _PATIENCE
        waiting = "waiting for the machine to become quiet ({:.1f} other threads want to run)"
        patience_s = min(patience * self._plan.preset.budget_s, _MOST_PATIENCE_S)
        self._watch.wait(patience_s, lambda queue: self._progress.update(0.0, waiting.format(queue)))
        for warning in self._watch.so_far().warnings():
            self._progress.note(warning)

    def _warm_up(self) -> None:
        """Run each command before: its first run reads its files from the disk, later ones from memory."""
        for number in range(self._plan.preset.warmup_runs):
            for arm in self._plan.arms:
                self._progress.update(0.0, f"warm-up run {number + 1}: {arm.label}")
                fork = Fork()
                with suppress(BenchError):
                    self._plan.fork(arm, -number - 1, fork=fork)
                    self._walls.setdefault(arm.label, []).append(fork.wall_s)

    def _note_odd(self) -> None:
        """Note commands whose first run took much longer, and what takes no longer than an empty call."""
        if self._pairing.strayed:
            self._notes.append("a pair did not stay on its core: a program sets its own affinity, see --pairs apart")
        for label, (alone, beside) in self._pairing.differs(self._precision.log_ratios()).items():
            self._notes.append(
                f"{label}: {factor(beside)} beside the other, {factor(alone)} when each runs alone:"
                " caches are shared, see --pairs apart"
            )
        why = "takes no longer than an empty call: the compiler may have worked out its result, or left it out"
        for label, calls in self._empty_calls.items():
            if median(calls) < EMPTY:
                self._notes.append(f"{label} {why}")
        for label in (arm.label for arm in self._plan.arms if "prepare" not in arm.params):
            first, *later = self._walls.get(label) or [0.0]
            usual = median(later) if later else first
            if first > usual * _FIRST_RUN and first - usual > _FIRST_RUN_S:
                took = f"{label}: the first run took {quantity(first * 1e9, 'ns')}, later {quantity(usual * 1e9, 'ns')}"
                self._notes.append(
                    f"{took}: if it leaves work done, as a build does, --prepare undoes it before each run"
                )

    def _fit(self) -> None:
        """Find the shape of the forks, and write it down before the first of them."""
        preset, fitted = self._plan.preset, fit_shape(self._plan, self._progress)
        self._fitting_s = self._elapsed()
        if fitted == preset:
            return
        self._plan = replace(self._plan, preset=fitted)
        options = {"options": msgspec.to_builtins(fitted), "planned": msgspec.to_builtins(preset)}
        self._writer.replace_header(msgspec.structs.replace(self._writer.header, **options))

    def _pair(self) -> None:
        """Find how the processes of a round are to run, and write it down before the first of them."""
        plan = self._plan
        if plan.counting and plan.build.bench and "parallel" not in unfit(plan):
            self._pairing = Pairing("parallel", [[Spawner() for _ in plan.arms]])  # counts do not know of each other
        if not plan.ways:
            return
        self._pairing = choose(plan, self._order, self._progress)
        scenario = plan.scenario
        if self._pairing.way == "sliced" and plan.build.bench:
            scenario = by_cpu_time(scenario, plan.build.bench.harness.cpu)
        self._plan = replace(plan, scenario=scenario)
        self._precision = self._precise(self._plan, robust=True)
        self._steady = SteadyStateCheck(scenario.all_metrics)
        self._fitting_s = self._elapsed()
        header = {"scenario": scenario, "pairs": self._pairing.way}
        self._writer.replace_header(msgspec.structs.replace(self._writer.header, **header))

    def _rounds(self) -> str:
        preset = self._plan.preset
        while True:
            arms = [arm for arm in self._plan.arms if arm.label not in self._errors]
            if not arms:
                return "failed"
            for process in self._pairing.round(
                self._plan, arms, self._round, self._order, on_sample=self._sample, starting=self._report
            ):
                self._record(process)
            self._round += max(len(self._pairing.crews), 1)
            if self._round < preset.min_rounds:
                continue
            self._say_how_long()
            if self._plan.build.bench and len(arms) == 1 < len(self._plan.arms):
                # Nothing is left to compare. A topic's run goes on: claims may be about one variant.
                return "failed"
            decided = self._on_round is not None and self._on_round(
                Run(self._writer.folder, self._writer.header, self._ending("rounds"))
            )
            if decided and 0 < self._plan.sequential <= self._round:
                return "decided"
            if self._round >= preset.max_rounds:
                return "rounds"
            if why := self._settled(arms):
                return why
            if self._elapsed() + self._forks_s() / self._round * max(len(self._pairing.crews), 1) > preset.budget_s:
                return "budget"

    def _settled(self, arms: Sequence[Arm]) -> str:
        """Return the reason to end if further rounds would tell no more, else an empty string."""
        counting = self._plan.counting
        if counting is not None and counting.repeats([arm.label for arm in arms]):
            return EXACT
        return "precision" if self._precision.reached(self._errors) else ""

    def _say_how_long(self) -> None:
        """Say once how long a run lasts that ends by its precision alone."""
        preset = self._plan.preset
        if preset.budget_s >= UNTIL_S and not self._told:
            self._told = True
            left_s = self._precision.rounds_needed() * self._forks_s() / self._round - self._forks_s()
            self._progress.note(f"±{percent(preset.half_width)} takes about {max(left_s, 0):,.0f} s more")

    def _sample(self, process: Process, sample: Sample) -> None:
        with self._writing:
            self._writer.sample(process.round, process.arm.label, sample)

    def _record(self, process: Process) -> None:
        arm, fork, status = process.arm, process.fork, "ok"
        try:
            if process.error:
                raise process.error
            self._precision.add(process.round, arm.label, fork.samples)
            self._steady.add(arm.label, fork.samples)
            if self._plan.build.bench and self._plan.build.bench.harness.whole:
                self._walls.setdefault(arm.label, []).append(fork.wall_s)
            if self._plan.build.bench and self._plan.scenario.headline.of == "time":
                self._empty_calls.setdefault(arm.label, []).append(_empty_calls(fork.samples))
        except StoreError:
            raise
        except ValueError as error:
            # The samples lack what the metric is made of.
            status = str(error)
            self._drop(arm, BenchError(status))
        except (BenchError, MissingError) as error:
            if isinstance(error, MissingError) and not self._forks:
                raise
            status = error.message
            self._drop(arm, error)
        self._forks += 1
        left = f"{arm.label} left processes running, which were ended: what they do after it is not in its time"
        if fork.left and left not in self._notes:
            self._notes.append(left)
        facts = {
            "status": status,
            "started": process.started,
            "wall_s": fork.wall_s,
            "runtime": fork.runtime,
            **fork.usage,
        }
        if fork.exit_status is not None:
            facts["os:exit_status"] = fork.exit_status
        self._writer.fork(process.round, process.position, arm.label, facts)

    def _drop(self, arm: Arm, error: LabError) -> None:
        if arm.findings and isinstance(error, BenchError):
            # What breaks its contract may break its process, too.
            error = VoidError(error.message, f"it is known to break its contract: {'; '.join(arm.findings)}")
        self._errors[arm.label] = error
        self._progress.note(f"{arm.label} {'is void' if isinstance(error, VoidError) else 'drops out'}: {error}")

    def _report(self, process: Process) -> None:
        planned, preset, arms = self._plan, self._plan.preset, len(self._plan.arms)
        likely, left = max(preset.min_rounds, self._round + 1), None
        if self._forks:
            fork_s = self._forks_s() / self._forks
            rounds = int((preset.budget_s - self._fitting_s) / (arms * fork_s))
            if preset.budget_s >= UNTIL_S:
                rounds = min(rounds, int(self._precision.rounds_needed()))
            likely = max(likely, min(rounds, preset.max_rounds))
            left = fork_s * max(likely * arms - self._forks, 1)
        done = min(self._forks / (likely * arms), 0.99)
        text = f"{planned.component.name} {planned.scenario.name}: round {self._round + 1}, {process.arm.label}"
        self._progress.update(done, text, left)

    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    def _forks_s(self) -> float:
        """Seconds since the first fork started."""
        return self._elapsed() - self._fitting_s

    def _ending(self, reason: str) -> Ending:
        load = self._watch.so_far()
        return Ending(
            reason=reason,
            rounds=self._round,
            wall_s=self._elapsed(),
            load=load,
            failures={label: error.message for label, error in self._errors.items()},
            warnings=[] if self._plan.counting else load.warnings(),
            void=[label for label, error in self._errors.items() if isinstance(error, VoidError)],
            unsettled=self._steady.unsettled(),
            notes=self._notes,
        )
