"""Adapters of benchmark harnesses: what one says of its harness, and which there are; docs/bench.md shows a new one."""

from __future__ import annotations

import re
import subprocess
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

from perflab.host.processes import run_group
from perflab.model.errors import BenchError, MissingError, UsageError, one_line, unknown
from perflab.model.names import is_id
from perflab.model.protocol import LARGEST_FIGURE, Metric, Sample, Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perflab.model.protocol import ParameterValue


ProfiledAs = Literal["jvm", "jmh", "native", "perf"]


class Shape(Protocol):
    """How long a process is to run: a preset, or what was fitted to the benchmark.

    Attributes:
        warmup_ms: Milliseconds before the first sample.
        sample_ms: Length of a sample, in milliseconds.
        samples: How many.
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
        output: What it has printed on standard output; empty if the harness does not read it.
        wall_s: Seconds from its start to its end.
        usage: The operating system's counters: `os:user_s`, `os:system_s`, `os:max_rss_bytes` and others.
    """

    output: bytes
    wall_s: float
    usage: Mapping[str, float]


class Harness(ABC):
    """A benchmark harness: which benchmarks a target has, how one of them is run for a short time, what it prints.

    perflab starts each command as a fresh process in the folder it was called from. It chooses the order, the rounds,
    and the length of each process; an adapter only translates.

    Attributes:
        about: What it is called, for people.
        scenario: Unit, direction and metrics. A metric that samples have no counter for is left out.
        whole: Whether a target is one benchmark, which lasts as long as it does, whatever the shape.
        copied: Whether a prepared target is a file or folder that runs from elsewhere, too, as a saved baseline's.
        builds: Whether a target is a folder of sources that `prepare` builds: that of an earlier commit is another one.
        warmup_ms: The least warm-up, as runtimes that compile need one, but in the smoke preset.
        reads_output: Whether `samples` needs the output; else it is thrown away, however long it is.
        ignores_failure: Whether a status other than 0 is a result like any other.
        profiled_as: How async-profiler gets into it: as an agent of a JVM, by JMH's own profiler of that name, or
            before the C library, in a program that becomes no other. Or recorded by perf: a .NET program that prints
            each sample as it ends. Not at all without.
        timed_regions: Whether it tells a profiler when samples begin and end, as docs/protocol.md says.
        own_frames: A regular expression of its own functions and methods, as profiles name them.
        calling_frames: Of those of them that call a benchmark, and what is outermost in it.
        options: What it was made with, for the record of a run.
    """

    about: ClassVar[str]
    scenario: Scenario
    whole: bool = False
    copied: bool = False
    builds: bool = False
    warmup_ms: int = 0
    reads_output: bool = True
    ignores_failure: bool = False
    profiled_as: ProfiledAs | None = None
    timed_regions: bool = False
    own_frames: str = ""
    calling_frames: str = ""
    options: Mapping[str, ParameterValue] = MappingProxyType({})

    def prepare(self, target: str, folder: Path) -> str:  # noqa: ARG002 - for those that build
        """Build what can be built before measuring, in an empty folder, and return what takes the target's place.

        Raises:
            LabError: If that fails.
        """
        return target

    def stand_in(self, copy: str, target: str) -> None:  # noqa: B027 - most know nothing but the path
        """Take a copy of a prepared target for what that is: for adapters that know more of it than its path."""

    def timed_between(self, target: str) -> tuple[str, str] | None:  # noqa: ARG002 - for those that have them
        """The native functions of a target at which timing begins and ends, by their linker's names, if it has some."""
        return None

    @abstractmethod
    def benchmarks(self, target: str) -> list[str]:
        """The names of all benchmarks of a target.

        Raises:
            LabError: If it cannot be asked.
        """

    @abstractmethod
    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """The command that runs this benchmark, and no other, in this shape."""

    @abstractmethod
    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:
        """The samples of a process that ended well.

        Raises:
            BenchError: If the output has another form.
        """


RUNTIME_WARMUP_MS = 1000
"""The least warm-up of a program that its runtime compiles while it runs."""

TIME_AND_ALLOCATION = Scenario(
    "time",
    "an operation",
    "ns/op",
    "lower",
    metrics=[Metric("allocated", "counter:allocated/op", "B/op", "lower")],
)
"""Of harnesses on runtimes that count what each operation allocates, as a total `allocated` in their samples."""


def choose(name: str, names: Sequence[str], target: str, *, alone: bool = False) -> str:
    """The benchmark that is meant: the one of this name, or the only one whose name goes on behind it.

    Names go on with an argument (`Get/1024`, `Get<int>`) or stand behind those of a package, file or group
    (`org.Bench.get`, `cache/get`), or both (`org.Bench.get/size=8`): that of a class means its only method.

    Args:
        name: As typed.
        names: Of all benchmarks.
        target: What has them.
        alone: Whether it cannot be compared at several values.
    """
    if name in names:
        return name
    if not names:
        raise UsageError(f"{target} lists no benchmark", "run it by hand: is it a program of this harness?")
    part = re.compile(rf"(?:^|[./]|::){re.escape(name)}(?:$|[./<])")
    found = [one for one in names if part.search(one)]
    if len(found) > 1:
        hint = f"name one: {', '.join(found)}{'' if alone else _each(name, found)}"
        raise UsageError(f"{len(found)} benchmarks of {target} are called {name!r}", hint)
    if not found and (open_ := re.search(r"\{(\w+)\}", name)):
        raise UsageError(
            f"{name!r} has no values for {open_[0]}", f"say which there are: --over {open_[1]}=VALUE,VALUE"
        )
    if not found:
        raise unknown(f"benchmark of {target}", name, names)
    return found[0]


_VALUE = re.compile(r"((?:\.\w+)?/(?:(\w+)[=:])?)(\d+)")


def _each(name: str, found: Sequence[str]) -> str:
    """How to compare a benchmark at all its values, if it is a number that tells these apart."""
    values = [_VALUE.fullmatch(one.rpartition(name)[2]) for one in found]
    told = [one for one in values if one]
    if len({one[1] for one in told}) != 1 or len(told) < len(values):
        return ""
    before, key = told[0][1], told[0][2] or "n"
    return f"; all of them: '{name}{before}{{{key}}}' --over {key}={','.join(one[3] for one in told)}"


def check_number(samples: int) -> None:
    """Refuse more samples than a process can be asked for, before they are made."""
    if samples > MOST_SAMPLES:
        raise BenchError(f"the process gave {samples:,} samples, {MOST_SAMPLES:,} are the most")


MOST_OUTPUT = 32 << 20
"""Bytes that a benchmark harness may print in one process."""
MOST_SAMPLES = 100_000
"""Of a process of a benchmark harness."""


def sample(i: int, ops: float, ns: float, counters: Mapping[str, float]) -> Sample:
    """A sample of `ops` operations in `ns` nanoseconds, with totals; those whose names are no ids are left out."""
    told = {"operations": ops, "nanoseconds": ns, **counters}
    for name, value in told.items():
        least = 1 / LARGEST_FIGURE if name in {"operations", "nanoseconds"} else -LARGEST_FIGURE
        if not least <= value <= LARGEST_FIGURE:
            raise BenchError(f"the harness gives {value:g} for {name} of sample {i}", "see its own output")
    return Sample(i, ops, ns, counters={name: float(value) for name, value in counters.items() if is_id(name)})


_TIMEOUT_S = 60
_MOST_BYTES = 1 << 20


def lines_of(
    command: Sequence[str], *, folder: Path | None = None, timeout_s: float = _TIMEOUT_S, most: int = _MOST_BYTES
) -> list[str]:
    """What a program prints on standard output, `most` bytes of it, line by line, without empty ones."""
    name = command[0]
    try:
        done = run_group(command, folder=folder, timeout_s=timeout_s)
    except OSError as error:
        raise MissingError(f"cannot start {name}: {error.strerror}", "check the path; build it first") from None
    except subprocess.TimeoutExpired:
        raise BenchError(f"{name} did not answer within {timeout_s:g} s", " ".join(command)) from None
    if done.returncode != 0:
        said = reason(done.stderr or done.stdout) or "it said nothing"
        raise BenchError(f"{name} failed with status {done.returncode}: {said}")
    if len(done.stdout) > most:
        raise BenchError(f"{name} lists {len(done.stdout):,} bytes of benchmarks", f"{most:,} are the most")
    return [line.strip() for line in done.stdout.decode("utf-8", "replace").splitlines() if line.strip()]


def reason(printed: bytes) -> str:
    """The line that says why a program failed: the last one, but pytest goes on after its error, and Go in its hint."""
    lines = [line for line in printed.decode("utf-8", "replace").splitlines() if line.strip()]
    wrong = (line for line in lines if "error:" in line.lower() and "usage:" not in line.lower())
    margin = [line for line in lines if not line[0].isspace()]
    return one_line(next(wrong, (margin or lines or [""])[-1]))


def check_file(target: str) -> None:
    """Refuse what is no file, where a program that is started with it would say so in many words."""
    if not Path(target).is_file():
        raise UsageError(f"there is no file {target}", "check its name, and the folder")


GROUP = "perflab.bench"
"""Of entry points: the name is the option's, the object a subclass of `Harness` that is made without arguments."""

_OWN = {
    "functions": ("perflab.bench.functions:Functions", "FILE", "functions of a .py, .rs, .cpp, .kt or .cs file"),
    "gbench": ("perflab.bench.gbench:GoogleBenchmark", "PROGRAM", "benchmarks of a program with Google Benchmark"),
    "jmh": ("perflab.bench.jmh:Jmh", "JAR", "benchmarks of an executable jar with JMH"),
    "go": ("perflab.bench.go:GoTest", "FOLDER", "benchmarks of a Go package"),
    "criterion": ("perflab.bench.criterion:Criterion", "FOLDER", "benchmarks of a crate with criterion"),
    "catch2": ("perflab.bench.catch2:Catch2", "PROGRAM", "benchmarks of a program with Catch2"),
    "dotnet": ("perflab.bench.dotnet:BenchmarkDotNet", "DLL", "benchmarks of a program with BenchmarkDotNet"),
    "pyperf": ("perflab.bench.pyperf:PyPerf", "FILE", "benchmarks of a script with pyperf"),
    "pytest": ("perflab.bench.pytest_benchmark:PytestBenchmark", "FILE", "tests with pytest-benchmark's fixture"),
}
"""Of each name the class, what it runs, and a text for help: known without loading it."""


def harness_options() -> dict[str, tuple[str, str]]:
    """By name of each harness, which is an option of `./lab bench`: what it runs, and a text for help."""
    own = {name: (target, text) for name, (_, target, text) in _OWN.items()}
    others = sorted(entry_points(group=GROUP), key=lambda one: one.name)
    return {one.name: ("TARGET", f"benchmarks that {one.value} runs") for one in others if is_id(one.name)} | own


def find_harness(name: str) -> Harness:
    """The harness of this name."""
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
