"""Go's benchmarks: the lines of `go test -bench`, by Go's benchmark data format (golang.org/design/14313)."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.bench.interface import Harness, Reported, completed, lines_of, metric_id, reason, sample
from perflab.model.errors import BenchError, UsageError
from perflab.model.protocol import Metric, Scenario
from perflab.model.units import direction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_PREFIX = "Benchmark"
_PROCESSORS = r"(?:-\d+)?"
"""Go appends GOMAXPROCS to each name unless it is 1, be it of the machine, a container, `TestMain` or the user."""
_ALONE = re.compile(rf"(?:--- (\w+): )?{_PREFIX}(\S*)$")
_BYTES, _ALLOCATIONS = "B/op", "allocs/op"
_PER_OP = {"ns/op": "ns", _BYTES: "allocated", _ALLOCATIONS: "allocations"}
_RATE = re.compile(r"/s(?:ec(?:ond)?)?$")
_PANIC = re.compile(rb"^panic: (?s:.*)^goroutine \d+ ", re.MULTILINE)
_BUILD_S = 600
_PATIENCE_S, _LATE = 60, 124
"""For the benchmarks of a package, each once; the status where that is not enough."""


class GoTest(Harness):
    """A package's benchmarks, run by its test binary, which is built once. Each line that it prints is a sample."""

    about = "go test -bench"
    copied = builds = True
    scenario = Scenario(
        "time",
        "an iteration",
        "ns/op",
        "lower",
        metrics=[
            Metric("allocated", "counter:allocated/op", "B/op", "lower"),
            Metric("allocations", "counter:allocations/op", "allocs/op", "lower"),
            Metric("bytes", "counter:bytes/s", "B/s", "higher"),
        ],
        metric="counter:ns/op",
    )

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}
        """Package folder by test binary: `go test` runs it there."""
        self.reports: dict[str, Reported] = {}

    def prepare(self, target: str, folder: Path) -> str:
        """Build the test binary."""
        package, binary = Path(target).resolve(), folder / "package.test"
        if not package.is_dir():
            raise UsageError(f"{target} is no folder", "name that of a Go package")
        lines_of(["go", "test", "-c", "-o", os.fspath(binary)], folder=package, timeout_s=_BUILD_S)
        if not binary.exists():
            raise UsageError(f"the Go package in {target} has no tests", "benchmarks are in its files *_test.go")
        self._folders[os.fspath(binary)] = os.fspath(package)
        return os.fspath(binary)

    def stand_in(self, copy: str, target: str) -> None:
        """Run the copy in the same folder."""
        self._folders[copy] = self._folders[target]

    def benchmarks(self, target: str) -> list[str]:
        """Return names without `Benchmark`. Each runs once, since only that reveals the ones `b.Run` makes.

        One that ends the process, or does not end, is left out, and another process goes on behind it.
        """
        names: list[str] = []
        self.left_out = left_out = dict[str, str]()
        passed: list[str] = []
        while True:
            began, measured, failed, why = self._once(target, ".", passed)
            if not why:
                left_out |= failed
                return names + measured
            if not began:
                if not passed:
                    raise BenchError(
                        f"the package's benchmarks cannot run: {why}", "run them by hand: go test -bench ."
                    )
                left_out[f"what stands behind {passed[-1]}"] = f"Go begins there from 1.20 on ({why})"
                return names
            # Each alone tells which it was: time may have been up, and Go goes on for a while behind one that panics.
            each = [name for name in began if not any(other.startswith(f"{name}/") for other in began)]
            for name in each:
                _, measured, failed, why = self._once(target, _exactly(name))
                if name in measured and not why:
                    names.append(name)
                else:
                    left_out[name] = failed.get(name) or why or "it gives no result"
            # By its first part if all of a benchmark has passed, since a command has a limit.
            top = _top(began[-1])
            passed += dict.fromkeys(name if _top(name) == top else _top(name) for name in each)

    def _once(
        self, target: str, pattern: str, passed: Sequence[str] = ()
    ) -> tuple[list[str], list[str], dict[str, str], str]:
        """Run each benchmark once, and return what `_verbose` does, and why the process did not come to its end."""
        skip = [f"-test.skip={'|'.join(map(_exactly, passed))}"] if passed else []
        # Not -test.timeout, which is for tests only.
        limit = ["timeout", "-s", "QUIT", "-k", "5", str(_PATIENCE_S)]
        run = [*limit, *self._start(target, pattern), "-test.benchtime=1x", "-test.v", *skip]
        done = completed(run, timeout_s=_BUILD_S)
        why = f"it does not end within {_PATIENCE_S} s" if done.returncode == _LATE else reason(done.stderr)
        ended = {b"PASS", b"FAIL"} & {*done.stdout.splitlines()} and not _PANIC.search(done.stderr)
        found = _verbose(done.stdout.decode("utf-8", "replace").splitlines())
        return *found, "" if ended else why or f"it ends the process with status {done.returncode}"

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Repeat the benchmark often enough for the warm-up and the samples."""
        times = math.ceil(shape.warmup_ms / shape.sample_ms) + shape.samples
        length = f"-test.benchtime={shape.sample_ms}ms"
        return [*self._start(target, _exactly(benchmark)), length, f"-test.count={times}", "-test.benchmem"]

    def _start(self, target: str, pattern: str) -> list[str]:
        return ["env", "-C", self._folders[target], target, "-test.run=^$", f"-test.bench={pattern}"]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:
        """Return the last lines as samples; the first ones are the warm-up.

        What the benchmark prints stands between its name and its figures.
        """
        line = rf"{_PREFIX}{re.escape(benchmark)}{_PROCESSORS} *\t(?s:.*?) *(\d{{1,18}})((?:\t *\S+ \S+)+)$"
        found = re.findall(line, ended.output.decode("utf-8", "replace"), re.MULTILINE)
        last = [(int(ops), _figures(rest)) for ops, rest in found[-shape.samples :]]
        if not last:
            raise BenchError(f"it printed no results of {benchmark}", "run it by hand: go test -bench")
        if any(not figures.get(_ALLOCATIONS) and figures.get(_BYTES) for _, figures in last):
            # Go truncates to whole numbers, although only some iterations may allocate.
            for _, figures in last:
                figures.pop(_ALLOCATIONS, None)
        return [self._sample(i, ops, figures, shape) for i, (ops, figures) in enumerate(last)]

    def _sample(self, i: int, ops: int, figures: dict[str, float], shape: Shape) -> Sample:
        # `b.ReportMetric(0, "ns/op")` takes the time away; it has then lasted about as long as was asked for.
        ns = figures["ns/op"] * ops if "ns/op" in figures else shape.sample_ms * 1e6
        seconds = ns / 1e9
        counters: dict[str, float] = {}
        for unit, value in figures.items():
            if unit in _PER_OP:
                counters[_PER_OP[unit]] = value * ops
            elif unit == "MB/s":
                counters["bytes"] = value * 1e6 * seconds
            elif (name := metric_id(unit) or "figure") not in self.scenario.all_metrics:
                # Of several lines it is the mean, weighted by what the unit is per: seconds, else iterations.
                per = "s" if _RATE.search(unit) else "op"
                counters[name] = value * (seconds if per == "s" else ops)
                self.reports[name] = Reported(f"counter:{name}/{per}", unit, direction(unit))
        return sample(i, ops, ns, counters)


def _exactly(benchmark: str) -> str:
    """Return the pattern of a benchmark, each part of which Go matches by itself."""
    return "/".join(f"^{re.escape(part)}$" for part in f"{_PREFIX}{benchmark}".split("/"))


def _top(benchmark: str) -> str:
    return benchmark.partition("/")[0]


def _verbose(lines: Sequence[str]) -> tuple[list[str], list[str], dict[str, str]]:
    """Return the benchmarks that began, those that gave a result, and why others failed or were skipped.

    With `-test.v` each name stands alone, without the number of processors, before anything that it prints.
    """
    said: dict[str, list[str]] = {}
    measured: list[str] = []
    failed: dict[str, str] = {}
    for line in lines:
        last = next(reversed(said), "")
        if alone := _ALONE.search(line):
            how, name = alone.groups()
            if how in {"FAIL", "SKIP"}:
                failed[name] = reason("\n".join(said.get(name, [])).encode()) or f"it gives {how} and no reason"
            elif not how:
                said[name] = []
        elif said and re.search(rf"{_PREFIX}{re.escape(last)}{_PROCESSORS} *\t *\d+(?:\t|$)", line):
            measured.append(last)
        elif said:
            said[last].append(line)
    return list(said), measured, failed


def _figures(text: str) -> dict[str, float]:
    words = text.split()
    return {unit: float(value) for value, unit in zip(words[::2], words[1::2], strict=True)}
