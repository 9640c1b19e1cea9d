"""The interface of harness adapters, and their registry; docs/bench.md shows how to write one."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from subprocess import TimeoutExpired
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Protocol

from perflab.host.processes import run_group
from perflab.model.errors import COLOUR, BenchError, MissingError, UsageError, one_line, unknown
from perflab.model.names import is_id
from perflab.model.protocol import LARGEST_FIGURE, Metric, Sample, Scenario

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from subprocess import CompletedProcess

    from perflab.model.protocol import Better, ParameterValue


ProfiledAs = Literal["jvm", "jmh", "native", "perf"]

TWO_LENGTHS: Sequence[Mapping[str, int]] = (
    {"warmup_ms": 5, "sample_ms": 20, "samples": 1},
    {"warmup_ms": 5, "sample_ms": 60, "samples": 1},
)
"""Shapes of two processes whose difference is operations alone, without what each sample does once."""


class Shape(Protocol):
    """Length of a process, from a preset or fitted to the benchmark.

    Attributes:
        warmup_ms: Milliseconds before the first sample.
        sample_ms: Length of a sample, in milliseconds.
        samples: Number of samples.
    """

    @property
    def warmup_ms(self) -> int: ...  # noqa: D102
    @property
    def sample_ms(self) -> int: ...  # noqa: D102
    @property
    def samples(self) -> int: ...  # noqa: D102


@dataclass(frozen=True)
class Ended:
    """A process that has ended.

    Attributes:
        output: Its standard output; empty unless the harness has `reads_output`.
        wall_s: Seconds from its start to its end.
        usage: The operating system's counters: `os:user_s`, `os:system_s`, `os:max_rss_bytes` and others.
        result: What it wrote into the harness's `result_file`.
    """

    output: bytes
    wall_s: float
    usage: Mapping[str, float]
    result: bytes = b""


class Reported(NamedTuple):
    """A figure that a benchmark reports of its own accord, as `state.counters` or `b.ReportMetric`.

    Attributes:
        of: The expression of its counter, see docs/protocol.md.
        unit: As the harness prints it.
        better: Which figures are better; `None` if the unit does not tell: it is then compared only with `--better`.
    """

    of: str
    unit: str
    better: Better | None


class Harness(ABC):
    """An adapter for a benchmark harness: lists benchmarks, builds the command that runs one, and parses its output.

    perflab starts each command as a fresh process in the folder it was called from. It chooses the order, the rounds
    and the length of each process; an adapter only translates.

    Attributes:
        about: Display name.
        scenario: Unit, direction and metrics. Metrics without a counter in the samples are left out.
        whole: The target is a single benchmark that runs to its end, whatever the shape.
        copied: A prepared target also runs from a copy, as saved baselines do.
        builds: The target is a source folder that `prepare` builds, so it can be built at another commit.
        warmup_ms: Minimum warm-up, as JIT compilers need, except in the smoke preset.
        cpu: Expression of the metric that is the CPU time of what is measured, by which a pair on one core is compared;
            empty if the harness knows only the wall clock.
        reads_output: `samples` needs the output; otherwise it is discarded.
        result_file: A file of each process's own, in which `command` may have it leave its results, apart from what
            the benchmark itself prints.
        log_noise: Regular expression matching what it writes to standard error whatever happens.
        ignored: Exit statuses besides 0 of runs that count.
        profiled_as: How it is profiled: async-profiler as a JVM agent, through JMH's own integration, or preloaded
            into a native program that does not exec another; or by perf, for a .NET program that prints each sample
            as it ends. `None`: not at all.
        timed_regions: It tells a profiler when samples begin and end, see docs/protocol.md.
        counted_in: Shapes of the processes that are counted in place of one that is timed, with samples of different
            lengths; see `measure.counted`.
        counted_between: The functions at which a sample begins and ends, as valgrind writes their names.
        counted_within: Or the function whose every call is a sample.
        own_frames: Regular expression matching its own frames in profiles.
        calling_frames: Regular expression matching the frames that call a benchmark, and its outermost frame.
        together: Several benchmarks also run in one process, with `command_of_all`: worth it where a start takes long.
        options: Constructor options, stored in the run's record.
        left_out: Why a part of a target cannot be measured, by its name: a benchmark, a test case, a bench program.
        reports: What benchmarks report of their own accord, by the metric's name: an adapter that has such figures
            sets a dictionary, and `samples` fills it.
    """

    about: ClassVar[str]
    scenario: Scenario
    whole: bool = False
    copied: bool = False
    builds: bool = False
    warmup_ms: int = 0
    cpu: str = ""
    reads_output: bool = True
    result_file: Path = Path(os.devnull)
    log_noise: str = ""
    ignored: Container[int] = ()
    profiled_as: ProfiledAs | None = None
    timed_regions: bool = False
    counted_in: Sequence[Mapping[str, int]] = TWO_LENGTHS
    counted_between: tuple[str, str] | None = None
    counted_within: str = ""
    own_frames: str = ""
    calling_frames: str = ""
    together: bool = False
    options: Mapping[str, ParameterValue] = MappingProxyType({})
    left_out: Mapping[str, str] = MappingProxyType({})
    reports: Mapping[str, Reported] | None = None

    def prepare(self, target: str, folder: Path) -> str:  # noqa: ARG002 - for those that build
        """Build a target in an empty folder before measuring, and return what is measured in its place.

        Raises:
            LabError: If that fails.
        """
        return target

    def stand_in(self, copy: str, target: str) -> None:  # noqa: B027 - most know nothing but the path
        """Register a copy of a prepared target, for adapters that keep more than its path."""

    def timed_between(self, target: str) -> tuple[str, str] | None:  # noqa: ARG002 - for those that have them
        """Return the linker names of the native functions at which timing begins and ends, if there are any."""
        return None

    @abstractmethod
    def benchmarks(self, target: str) -> list[str]:
        """Return the names of all benchmarks of a target, exactly as the harness calls them.

        One that occurs twice is refused if it is asked for.

        Raises:
            LabError: If they cannot be listed.
        """

    @abstractmethod
    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Return the command that runs only this benchmark, in this shape."""

    @abstractmethod
    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:
        """Parse the samples of a successful process: at least one, but not necessarily `shape.samples`.

        Raises:
            BenchError: If the output cannot be parsed.
        """

    def command_of_all(self, target: str, benchmarks: Sequence[str], shape: Shape) -> list[str]:
        """Return the command that runs all of these, one after the other, each in this shape."""
        raise NotImplementedError

    def samples_of_each(self, ended: Ended, shape: Shape) -> dict[str, list[Sample]]:
        """Parse the samples of a process of `command_of_all`, by benchmark, without those that failed."""
        raise NotImplementedError


EMPTY_CALLS = "empty-calls"
"""The counter of empty calls that take as long, of harnesses that measure them."""

RUNTIME_WARMUP_MS = 1000
"""Minimum warm-up on runtimes with a JIT compiler."""

CPU = Metric("cpu", "counter:cpu-ns/op", "ns/op", "lower")

TIME_AND_ALLOCATION = Scenario(
    "time",
    "an operation",
    "ns/op",
    "lower",
    metrics=[Metric("allocated", "counter:allocated/op", "B/op", "lower")],
)
"""Scenario for harnesses whose samples have an `allocated` counter."""


def choose(
    name: str,
    names: Sequence[str],
    target: str,
    left_out: Mapping[str, str] = MappingProxyType({}),
    *,
    alone: bool = False,
) -> str:
    """Return the benchmark of this name, or the only one whose full name contains it.

    Names go on with an argument (`Get/1024`, `Get<int>`) or stand behind those of a package, file or group
    (`org.Bench.get`, `cache/get`), or both (`org.Bench.get/size=8`): that of a class means its only method.

    Args:
        name: As typed.
        names: All benchmarks of the target.
        target: Named in error messages.
        left_out: See `Harness`.
        alone: Do not suggest `--over`.
    """
    if name in names:
        if names.count(name) > 1:
            hint = "give each a name of its own"
            raise UsageError(f"{names.count(name)} benchmarks of {target} have the name {name!r}", hint)
        return name
    for part, why in left_out.items():
        if f"{name}/".startswith(f"{part}/"):
            raise UsageError(f"{part} cannot be measured: {why}", "mend it, or name another benchmark")
    if not names:
        raise UsageError(f"{target} lists no benchmark", "run it by hand: is it a program of this harness?")
    short = re.compile(rf"(?:^|[./]|::){re.escape(name)}(?:$|[./<])")
    found = [one for one in dict.fromkeys(names) if short.search(one)]
    if len(found) > 1:
        hint = f"name one: {', '.join(found)}{'' if alone else _each(name, found)}"
        raise UsageError(f"{len(found)} benchmarks of {target} are called {name!r}", hint)
    if not found and (open_ := re.search(r"\{(\w+)\}", name)):
        raise UsageError(
            f"{name!r} has no values for {open_[0]}", f"say which there are: --over {open_[1]}=VALUE,VALUE"
        )
    if not found:
        raise unknown(f"benchmark of {target}", name, names)
    return choose(found[0], names, target)


_VALUE = re.compile(r"((?:\.\w+)?/(?:(\w+)[=:])?)(\d+)")


def _each(name: str, found: Sequence[str]) -> str:
    """Suggest `--over` if the candidates differ only in a number."""
    values = [_VALUE.fullmatch(one.rpartition(name)[2]) for one in found]
    told = [one for one in values if one]
    if len({one[1] for one in told}) != 1 or len(told) < len(values):
        return ""
    before, key = told[0][1], told[0][2] or "n"
    return f"; all of them: '{name}{before}{{{key}}}' --over {key}={','.join(one[3] for one in told)}"


def check_number(samples: int) -> None:
    """Raise if a process reports more than `MOST_SAMPLES`."""
    if samples > MOST_SAMPLES:
        raise BenchError(f"the process gave {samples:,} samples, {MOST_SAMPLES:,} are the most")


MOST_OUTPUT = 32 << 20
"""Bytes that a benchmark harness may print in one process."""
MOST_SAMPLES = 100_000
"""Maximum number of samples that a harness may report in one process."""


def sample(i: int, ops: float, ns: float, counters: Mapping[str, float]) -> Sample:
    """Return a sample of `ops` operations in `ns` nanoseconds, without counters that are no numbers or no valid ids."""
    for name, value in {"operations": ops, "nanoseconds": ns}.items():
        if not 1 / LARGEST_FIGURE <= value <= LARGEST_FIGURE:
            raise BenchError(f"the harness gives {value:g} for {name} of sample {i}", "see its own output")
    kept = {name: float(value) for name, value in counters.items() if is_id(name) and abs(value) <= LARGEST_FIGURE}
    return Sample(i, ops, ns, counters=kept)


def metric_id(text: str) -> str:
    """Return the name of the metric of a counter or unit, as `events-s` of Go's `events/s`."""
    return re.sub(r"[^A-Za-z0-9_.]+", "-", text).strip("-._")


_TIMEOUT_S = 60
_MOST_BYTES = 1 << 20


def completed(command: Sequence[str], *, folder: Path | None = None, timeout_s: float) -> CompletedProcess[bytes]:
    """Run a program to its end, whatever its status."""
    try:
        return run_group(command, folder=folder, timeout_s=timeout_s)
    except OSError as error:
        raise MissingError(f"cannot start {command[0]}: {error.strerror}", "check the path; build it first") from None
    except TimeoutExpired:
        raise BenchError(f"{command[0]} did not answer within {timeout_s:g} s", " ".join(command)) from None


def lines_of(
    command: Sequence[str], *, folder: Path | None = None, timeout_s: float = _TIMEOUT_S, most: int = _MOST_BYTES
) -> list[str]:
    """Run a program and return the lines it prints on standard output, exactly, without blank ones.

    A program that prints more than `most` bytes is refused.
    """
    name, done = command[0], completed(command, folder=folder, timeout_s=timeout_s)
    if done.returncode != 0:
        said = reason(done.stderr or done.stdout) or "no output"
        raise BenchError(f"{name} failed with status {done.returncode}: {said}")
    if len(done.stdout) > most:
        raise BenchError(f"{name} lists {len(done.stdout):,} bytes of benchmarks", f"{most:,} are the most")
    lines = done.stdout.decode("utf-8", "replace").split("\n")
    return [line.removesuffix("\r") for line in lines if line.strip()]


_CAUSE = re.compile(r"error ?(?:\[\w+\])?:|\bpanic: |panicked at|^[\w.$]+Exception\b", re.IGNORECASE)
_LOG = re.compile(r"\S|\s+\S+\.go:\d+: ")
"""Margin of what a program says; Go's tests indent their log."""
_VERDICT = re.compile(r"(?:--- )?FAIL\b|exit status \d+$")


def reason(printed: bytes) -> str:
    """Return the line with the cause of a failure: the first error, panic or exception, else the last not indented."""
    lines = [line for line in COLOUR.sub("", printed.decode("utf-8", "replace")).splitlines() if line.strip()]
    # Rust's panics have their message in the next line.
    wrong = (
        f"{line} {after}" if line.endswith(":") and "panicked at" in line else line
        for line, after in zip(lines, [*lines[1:], ""], strict=False)
        if _CAUSE.search(line) and "usage:" not in line.lower()
    )
    margin = [line for line in lines if _LOG.match(line) and not _VERDICT.match(line)]
    return one_line(next(wrong, (margin or lines or [""])[-1]))


def check_file(target: str) -> None:
    """Raise a short error if the target is not a file."""
    if not Path(target).is_file():
        raise UsageError(f"there is no file {target}", "check its name, and the folder")


GROUP = "perflab.bench"
"""Entry point group: the name becomes the option, the object is a `Harness` subclass without arguments."""

_OWN = {
    "functions": ("perflab.bench.functions:Functions", "FILE", "functions of a .py, .rs, .cpp, .kt or .cs file"),
    "gbench": ("perflab.bench.gbench:GoogleBenchmark", "PROGRAM", "benchmarks of a program with Google Benchmark"),
    "jmh": ("perflab.bench.jmh:Jmh", "JAR", "benchmarks of an executable jar with JMH"),
    "go": ("perflab.bench.go:GoTest", "FOLDER", "benchmarks of a Go package"),
    "criterion": ("perflab.bench.criterion:Criterion", "FOLDER", "benchmarks of a crate with criterion"),
    "divan": ("perflab.bench.divan:Divan", "FOLDER", "benchmarks of a crate with divan"),
    "catch2": ("perflab.bench.catch2:Catch2", "PROGRAM", "benchmarks of a program with Catch2"),
    "dotnet": ("perflab.bench.dotnet:BenchmarkDotNet", "DLL", "benchmarks of a program with BenchmarkDotNet"),
    "pyperf": ("perflab.bench.pyperf:PyPerf", "FILE", "benchmarks of a script with pyperf"),
    "asv": ("perflab.bench.asv:Asv", "FOLDER", "time benchmarks of a folder with asv (airspeed velocity)"),
    "pytest": ("perflab.bench.pytest_benchmark:PytestBenchmark", "FILE", "tests with pytest-benchmark's fixture"),
    "vitest": ("perflab.bench.node:Vitest", "FILE", "benchmarks that vitest bench runs, of a file or folder"),
    "tinybench": ("perflab.bench.node:Tinybench", "FILE", "benchmarks of a script with tinybench"),
    "mitata": ("perflab.bench.node:Mitata", "FILE", "benchmarks of a script with mitata"),
}
"""Class, metavar and help text by harness name, known without importing the adapter."""


def harness_options() -> dict[str, tuple[str, str]]:
    """Return metavar and help text of each harness option of `./lab bench`, by name."""
    own = {name: (target, text) for name, (_, target, text) in _OWN.items()}
    others = sorted(entry_points(group=GROUP), key=lambda one: one.name)
    return {one.name: ("TARGET", f"benchmarks that {one.value} runs") for one in others if is_id(one.name)} | own


def find_harness(name: str) -> Harness:
    """Load a harness by name."""
    if name in _OWN:
        module, _, kind = _OWN[name][0].partition(":")
        own: Harness = getattr(import_module(module), kind)()
        return own
    found = next((one for one in entry_points(group=GROUP) if one.name == name), None)
    if found is None:
        raise unknown("harness", name, harness_options())
    try:
        other: Harness = found.load()()
    except Exception as error:  # noqa: BLE001 - whatever a package raises
        raise UsageError(f"the harness {name} of {found.value} cannot be loaded: {one_line(error)}") from None
    return other
