"""Benchmarks of others in a run: a harness's benchmarks, or whole commands, as arms of a plan."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from perflab.components.catalogue import Component, find_metric
from perflab.components.manifest import Bench, Build, Manifest
from perflab.harness.asking import reason
from perflab.harness.interface import Ended, choose
from perflab.machine.spawner import Spawner
from perflab.model.errors import BenchError, MissingError, UsageError, one_line
from perflab.model.files import UNREADABLE
from perflab.model.lab import CHECKOUT
from perflab.model.limits import MOST_OUTPUT
from perflab.model.names import LONGEST, is_unicode
from perflab.model.portable import portable
from perflab.model.protocol import PROTOCOL_VERSION, Description, Runtime
from perflab.run.fork import Fork, run_fork, signal_name
from perflab.run.lock import measurement_lock
from perflab.run.measure import execute
from perflab.run.plan import BuiltVersion, Plan, Request, chosen_preset
from perflab.store.records import SHAPE, Arm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from perflab.harness.interface import Harness
    from perflab.model.lab import Lab
    from perflab.model.protocol import ParameterValue, Sample
    from perflab.run.lock import Progress
    from perflab.run.presets import Preset
    from perflab.store.runs import Run


KIND = "bench"
"""Of runs."""
COMMAND = "command"
"""The name of the harness of whole commands."""
BENCHMARK = "benchmark"
"""Of an arm's parameters: what it runs of a target."""

_LONGEST_LABEL = 60
_LAST_BYTES = 4_000


@dataclass(frozen=True)
class HarnessRun:
    """What a plan runs in place of a bench program.

    Attributes:
        harness: Of all arms.
        runs: What the harness runs of an arm, by its label: a target, as it was prepared, and a benchmark of it.
        folder: Where.
        spawner: Starts it.
    """

    harness: Harness
    runs: Mapping[str, tuple[str, str]]
    folder: Path
    spawner: Spawner

    def fork(self, arm: Arm, preset: Preset, on_sample: Callable[[Sample], None], fork: Fork | None) -> Fork:
        """Run an arm's fork; raises as `run_fork` does."""
        target, benchmark = self.runs[arm.label]

        def samples(ended: Ended) -> list[Sample]:
            with _asked(self.harness):
                return self.harness.samples(ended, benchmark, preset)

        try:
            return run_fork(
                self.harness.command(target, benchmark, preset),
                cwd=self.folder,
                environment=_environment(),
                timeout_s=preset.fork_timeout_s,
                fork=fork,
                reader=lambda fork: _Reader(self.harness, samples, on_sample, fork),
                spawner=self.spawner,
            )
        except MissingError as error:
            raise MissingError(error.message, "check its name, and the folder you are in") from None


@contextmanager
def _asked(harness: Harness) -> Iterator[None]:
    """Around an adapter that reads: what a program prints may be anything.

    Raises:
        BenchError: If the adapter cannot make anything of it.
    """
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, *UNREADABLE) as error:
        what = f"{type(error).__name__}: {one_line(error)}"
        raise BenchError(f"what it printed is not what {harness.about} prints: {what}", "run it by hand") from None


class _Reader:
    """Collects what a harness prints, and makes samples of it at the end."""

    def __init__(
        self,
        harness: Harness,
        samples: Callable[[Ended], list[Sample]],
        on_sample: Callable[[Sample], None],
        fork: Fork,
    ) -> None:
        self._harness, self._samples, self._on_sample, self._fork = harness, samples, on_sample, fork
        self._output, self._last = bytearray(), b""

    def feed(self, stream: str, data: bytes) -> None:
        if stream == "stderr":
            self._last = (self._last + data)[-_LAST_BYTES:]
        elif self._harness.reads_output:
            self._output += data
            if len(self._output) > MOST_OUTPUT:
                raise BenchError(
                    f"the process printed more than {MOST_OUTPUT >> 20} MiB", "let it print its results only"
                )

    def check(self, status: int) -> None:
        if status < 0:
            raise BenchError(f"the process was ended by {signal_name(-status)}", self._said())
        if status and not self._harness.ignores_failure:
            raise BenchError(f"the process ended with status {status}", self._said())
        samples = self._samples(Ended(bytes(self._output), self._fork.wall_s, self._fork.usage))
        if not samples:
            raise BenchError("the process gave no samples", self._said())
        for one in samples:
            self._fork.samples.append(one)
            self._on_sample(one)

    def _said(self) -> str:
        said = reason(self._last) or reason(bytes(self._output[-_LAST_BYTES:]))
        return f"its log ends: {said}" if said else ""


def _environment() -> dict[str, str]:
    """The user's, without what the launcher of this checkout puts before PYTHONPATH."""
    environment = dict(os.environ)
    own = str(CHECKOUT / "src")
    kept = [one for one in environment.pop("PYTHONPATH", "").split(os.pathsep) if one and one != own]
    return {**environment, "PYTHONPATH": os.pathsep.join(kept)} if kept else environment


@dataclass(frozen=True)
class BenchRequest:
    """What a user wants to measure.

    Attributes:
        harness: What runs it.
        name: What the harness is called, for the record.
        targets: What the harness runs. Several may take turns with one benchmark.
        benchmarks: Names, of which the first is the baseline; none where a target is one.
        preset: By default `usual_preset()`.
        overrides: Values that replace fields of the preset.
        seed: Seed of the order.
        metric: A metric that must exist.
    """

    harness: Harness
    name: str
    targets: Sequence[str]
    benchmarks: Sequence[str] = ()
    preset: str | None = None
    overrides: Mapping[str, float] = field(default_factory=dict)
    seed: int = 1
    metric: str | None = None


def bench(request: BenchRequest, lab: Lab, progress: Progress) -> Run:
    """Measure benchmarks of a harness against each other, and return the run as it is on disk.

    Raises:
        UsageError: If there is no such benchmark, or nothing to measure.
        MissingError: If a program is not there, or another measurement holds the lock.
        BenchError: If every benchmark failed.
    """
    harness, folder = request.harness, Path.cwd()
    find_metric(harness.scenario, request.metric)
    typed = (one for one in harness.options.values() if isinstance(one, str))
    for text in (*request.targets, *request.benchmarks, *typed):
        if not is_unicode(text):
            raise UsageError(f"{one_line(text)!r} is no UTF-8, in which runs are recorded", "put it into a script")
    with measurement_lock(lab.lock), TemporaryDirectory(prefix="perflab-bench-") as scratch, Spawner() as spawner:
        ready = {}
        for number, target in enumerate(dict.fromkeys(request.targets)):
            progress.update(0.0, f"asking {target} for its benchmarks")
            place = Path(scratch, str(number))
            place.mkdir()
            ready[target] = harness.prepare(target, place)
        runs: dict[str, tuple[str, str]] = {}
        arms = _arms(request, ready, runs)
        planned = _plan(request, replace(lab, root=folder), arms, HarnessRun(harness, runs, folder, spawner))
        if harness.whole:
            # The first run of a command finds its files on the disk, and later ones in memory.
            for arm in arms:
                progress.update(0.0, f"a run that does not count: {arm.label}")
                with suppress(BenchError):
                    planned.fork(arm, 0)
        return execute(planned, progress)


def _plan(request: BenchRequest, lab: Lab, arms: list[Arm], runs: HarnessRun) -> Plan:
    scenario = request.harness.scenario
    stem = "" if request.harness.whole else f" {Path(request.targets[0]).resolve().stem}"
    component = _id(f"{request.name}{stem}")
    nothing = Manifest(component, request.harness.about, "", Build([]), Bench([], request.harness.warmup_ms))
    topic = Component(runs.folder, nothing, lab)
    about = Description(PROTOCOL_VERSION, component, Runtime(request.harness.about, ""), [scenario], [])
    overrides = dict(request.overrides)
    if request.harness.whole:
        if not overrides.keys().isdisjoint(SHAPE):
            raise UsageError("a command lasts as long as it does", "leave --warmup, --sample and --samples out")
        overrides |= {"warmup_ms": 0, "sample_ms": 0, "samples": 1}
    name, preset = chosen_preset(Request(topic, preset=request.preset, overrides=overrides))
    return Plan(
        build=BuiltVersion(topic, about),
        scenario=scenario,
        arms=arms,
        baseline=arms[0].label,
        preset=preset,
        preset_name=name,
        seed=request.seed,
        kind=KIND,
        harness=runs,
    )


def _arms(request: BenchRequest, ready: Mapping[str, str], runs: dict[str, tuple[str, str]]) -> list[Arm]:
    """The arms in the order typed, and in `runs` what they run; one that was typed twice is compared with itself.

    A record has what was typed without what is private.
    """
    several = len(request.targets) > 1 and not request.harness.whole
    if several and len(request.benchmarks) > 1:
        raise UsageError("of several builds one benchmark is compared", "name one, or one build")
    arms: list[Arm] = []
    for target in request.targets:
        with _asked(request.harness):
            known = request.harness.benchmarks(ready[target])
        # A command is its own benchmark.
        for name in known if request.harness.whole else request.benchmarks:
            full = name if request.harness.whole else choose(name, known, target)
            told = portable(f"{name} @ {target}" if several else name)
            label = _unique(_short(told), [one.label for one in arms])
            runs[label] = ready[target], full
            variant = _unique(_id(label), [one.variant for one in arms])
            what: dict[str, ParameterValue] = {request.name: portable(target)}
            if not request.harness.whole:
                what[BENCHMARK] = portable(full)
            arms.append(Arm(label, variant, "yours", params=what | _told(request.harness.options)))
    if not arms:
        raise UsageError("there is nothing to measure", "name a benchmark; see --help")
    return arms


def _told(options: Mapping[str, ParameterValue]) -> dict[str, ParameterValue]:
    """What a harness was made with, without what is private."""
    return {name: portable(value) if isinstance(value, str) else value for name, value in options.items()}


def _id(text: str) -> str:
    """A name of a topic or variant that says as much of a text as it can."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:LONGEST] or "bench"


def _short(text: str) -> str:
    """One line that a table has room for."""
    line = one_line(text)
    return line if len(line) <= _LONGEST_LABEL else f"{line[: _LONGEST_LABEL - 3]}..."


def _unique(text: str, taken: Sequence[str]) -> str:
    number = 1
    while (found := text if number == 1 else f"{text}-{number}") in taken:
        number += 1
    return found
