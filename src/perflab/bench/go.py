"""Go's benchmarks: the lines of `go test -bench`, by Go's benchmark data format (golang.org/design/14313)."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.bench.interface import Harness, lines_of, sample
from perflab.model.errors import BenchError, UsageError
from perflab.model.protocol import Metric, Scenario

if TYPE_CHECKING:
    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_PREFIX = "Benchmark"
_LINE = re.compile(rf"{_PREFIX}(\S*)\s+(\d+)\s+(\S.*)")
_BYTES, _ALLOCATIONS = "B/op", "allocs/op"
_PER_OP = {_BYTES: "allocated", _ALLOCATIONS: "allocations"}
_BUILD_S = 600


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
    )

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}
        """Package folder by test binary: `go test` runs it there."""

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
        """Return names without `Benchmark`. Each runs once, since only that reveals the ones `b.Run` makes."""
        return list(
            dict.fromkeys(name for name, _, _ in _read(lines_of([*self._start(target, "."), "-test.benchtime=1x"])))
        )

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Repeat the benchmark often enough for the warm-up and the samples."""
        exactly = "/".join(f"^{re.escape(part)}$" for part in f"{_PREFIX}{benchmark}".split("/"))
        times = math.ceil(shape.warmup_ms / shape.sample_ms) + shape.samples
        length = f"-test.benchtime={shape.sample_ms}ms"
        return [*self._start(target, exactly), length, f"-test.count={times}", "-test.benchmem"]

    def _start(self, target: str, pattern: str) -> list[str]:
        return ["env", "-C", self._folders[target], target, "-test.run=^$", f"-test.bench={pattern}"]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:
        """Return the last lines as samples; the first ones are the warm-up."""
        found = _read(ended.output.decode("utf-8", "replace").splitlines())
        if not found or {name for name, _, _ in found} != {benchmark}:
            raise BenchError(f"it printed no results of {benchmark} alone", "run it by hand: go test -bench")
        last = [(ops, figures) for _, ops, figures in found[-shape.samples :]]
        if any(not figures.get(_ALLOCATIONS) and figures.get(_BYTES) for _, figures in last):
            # Go truncates to whole numbers, although only some iterations may allocate.
            for _, figures in last:
                figures.pop(_ALLOCATIONS, None)
        return [_sample(i, ops, figures) for i, (ops, figures) in enumerate(last)]


def _read(lines: list[str]) -> list[tuple[str, int, dict[str, float]]]:
    """Parse result lines into name, iterations and figures by unit."""
    processors = os.environ.get("GOMAXPROCS") or str(len(os.sched_getaffinity(0)))
    found = []
    for line in lines:
        if match := _LINE.fullmatch(line.strip()):
            name, ops, rest = match.groups()
            words = rest.split()
            try:
                number = int(ops)
                figures = {unit: float(value) for value, unit in zip(words[::2], words[1::2], strict=True)}
            except ValueError:
                continue  # a log line that looks like a result
            # Go appends GOMAXPROCS to each name unless it is 1.
            found.append((name.removesuffix(f"-{processors}") if processors != "1" else name, number, figures))
    return found


def _sample(i: int, ops: int, figures: dict[str, float]) -> Sample:
    if "ns/op" not in figures:
        raise BenchError("a result has no ns/op", "run it by hand: go test -bench")
    ns = figures["ns/op"] * ops
    counters = {
        _PER_OP.get(unit, unit.removesuffix("/op")): value * ops
        for unit, value in figures.items()
        if unit.endswith("/op")
    }
    del counters["ns"]
    if "MB/s" in figures:
        counters["bytes"] = figures["MB/s"] * 1e6 * ns / 1e9
    return sample(i, ops, ns, counters)
