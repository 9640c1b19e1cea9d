"""pyperf: the JSON of its worker processes (`--worker --pipe`), of versions 1.7 and later."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from perflab.bench.interface import Harness, check_file, check_number, lines_of, sample
from perflab.bench.pytest_benchmark import APART
from perflab.model.errors import BenchError, one_line
from perflab.model.protocol import Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_MOST_TASKS = 1000
_SHORTEST = ("--loops=1", "--values=1", "--warmups=0")


class _Run(msgspec.Struct, frozen=True):
    """A worker's values: seconds of an iteration. Metadata common to all runs is in the benchmark."""

    values: list[float] = []
    metadata: dict[str, Any] = {}


class _Benchmark(msgspec.Struct, frozen=True):
    runs: list[_Run]
    metadata: dict[str, Any] = {}


class _Suite(msgspec.Struct, frozen=True):
    benchmarks: list[_Benchmark]
    metadata: dict[str, Any] = {}


class PyPerf(Harness):
    """The benchmarks of a script with a `pyperf.Runner`, by the python3 of your PATH. A value is a sample."""

    about = "pyperf"
    scenario = Scenario("time", "an iteration", "ns/op", "lower")

    def __init__(self) -> None:
        self._tasks: dict[str, list[str | None]] = {}
        """Benchmarks of each script in pyperf's order, without a name if one fails: a worker selects by the index."""
        self.left_out: dict[str, str] = {}
        self._loops: dict[tuple[str, str, int], int] = {}

    def benchmarks(self, target: str) -> list[str]:
        """Return the names, by asking workers one after another until there are no more."""
        check_file(target)
        found: list[str | None] = []
        while len(found) < _MOST_TASKS:
            try:
                told = lines_of(_worker(target, len(found), *_SHORTEST))
            except BenchError as error:
                lines_of(_worker(target, _MOST_TASKS, *_SHORTEST))  # raises if it is the script that fails
                found.append(None)
                self.left_out[f"benchmark {len(found)} of {target}"] = error.message.removeprefix("/bin/sh ")
                continue
            if not told:
                break
            found.append(str(_told("\n".join(told).encode())[1].get("name")))
        self._tasks[target] = found
        return [name for name in found if name is not None]

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Run a worker with the loops that fill a sample: pyperf calibrates them once, in a separate process."""
        task, key = self._tasks[target].index(benchmark), (target, benchmark, shape.sample_ms)
        if key not in self._loops:
            calibrate = ["--calibrate-loops", f"--min-time={shape.sample_ms / 1000:g}", "--warmups=1", "--values=1"]
            _, told = _told("\n".join(lines_of(_worker(target, task, *calibrate))).encode())
            self._loops[key] = _count(told, "calibrate_loops")
        warmups = math.ceil(shape.warmup_ms / shape.sample_ms)
        how = [f"--loops={self._loops[key]}", f"--values={shape.samples}", f"--warmups={warmups}"]
        return _worker(target, task, *how)

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:  # noqa: ARG002 - one worker's
        """Return the values, which exclude warm-ups."""
        if not ended.output.strip():
            raise BenchError(f"pyperf gave no result of {benchmark}", "run the script by hand")
        run, told = _told(ended.output)
        if told.get("unit", "second") != "second":
            raise BenchError(f"{benchmark} is in {one_line(told['unit'])}, not in seconds")
        check_number(len(run.values))
        ops = _count(told, "loops", 1) * (_count(told, "inner_loops", 1) or 1)
        return [sample(i, ops, value * 1e9 * ops, {}) for i, value in enumerate(run.values)]


def _worker(target: str, task: int, *how: str) -> list[str]:
    return [*APART, "python3", target, "--worker", f"--worker-task={task}", "--pipe=3", *how]


def _count(told: Mapping[str, Any], name: str, usual: int | None = None) -> int:
    try:
        found = told.get(name)
        return int(usual if found is None else found)  # type: ignore[arg-type]
    except (TypeError, ValueError, ArithmeticError):
        raise BenchError(f"pyperf gave no number of {name}", "run the script by hand, with -o") from None


def _told(output: bytes) -> tuple[_Run, dict[str, Any]]:
    """Return a worker's run and its metadata."""
    try:
        suite = msgspec.json.decode(output, type=_Suite)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BenchError(f"no JSON of pyperf: {one_line(error)}", "run the script by hand, with -o") from None
    runs = [(run, one) for one in suite.benchmarks for run in one.runs]
    if len(runs) != 1:
        raise BenchError(f"pyperf gave {len(runs)} runs where one was asked for", "run the script by hand, with -o")
    run, one = runs[0]
    return run, {**suite.metadata, **one.metadata, **run.metadata}
