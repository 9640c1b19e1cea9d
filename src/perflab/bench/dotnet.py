"""BenchmarkDotNet: its full JSON (`--exporters fulljson`), of versions 0.12 and later.

Tested against saved output, not against BenchmarkDotNet itself.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from perflab.bench.interface import RUNTIME_WARMUP_MS, TIME_AND_ALLOCATION, Harness, lines_of, sample
from perflab.model.errors import BenchError, one_line

if TYPE_CHECKING:
    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_APART = """home=$(mktemp -d) || exit; trap 'rm -rf "$home"' EXIT
"$@" --artifacts "$home" >&2 && find "$home" -name '*-report-full*.json' -exec cat {} +"""

_RESULT = ("Workload", "Result")


class _Measurement(msgspec.Struct, frozen=True, rename="pascal"):
    """An iteration; the overhead of an empty one is subtracted from results."""

    iteration_mode: str
    iteration_stage: str
    operations: float
    nanoseconds: float


class _Memory(msgspec.Struct, frozen=True, rename="pascal"):
    bytes_allocated_per_operation: float | None = None


class _Benchmark(msgspec.Struct, frozen=True, rename="pascal"):
    measurements: list[_Measurement] | None = None
    memory: _Memory | None = None


class _Report(msgspec.Struct, frozen=True, rename="pascal"):
    benchmarks: list[_Benchmark]


class BenchmarkDotNet(Harness):
    """The benchmarks of a program with a `BenchmarkSwitcher`. An iteration is a sample.

    They run in the program's own process: BenchmarkDotNet would build another one for each, and look for packages.
    """

    about = "BenchmarkDotNet"
    warmup_ms = RUNTIME_WARMUP_MS
    scenario = TIME_AND_ALLOCATION

    def benchmarks(self, target: str) -> list[str]:
        """Return the benchmarks that `--list flat` prints."""
        return [line for line in lines_of(["dotnet", target, "--list", "flat"]) if "." in line and " " not in line]

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Run one launch in this process, with iterations of a sample's length."""
        how = ["--inProcess", "--launchCount", "1", "--iterationTime", str(shape.sample_ms)]
        warmups = ["--warmupCount", str(math.ceil(shape.warmup_ms / shape.sample_ms))]
        # Its default is to remove slow iterations.
        warmups += ["--outliers", "DontRemove"]
        count = [*warmups, "--iterationCount", str(shape.samples), "--memory", "--exporters", "fulljson"]
        return ["/bin/sh", "-c", _APART, "sh", "dotnet", target, "--filter", benchmark, *how, *count]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:  # noqa: ARG002 - warmed up already
        """Return a sample per measured iteration."""
        if not ended.output.strip():
            raise BenchError(f"BenchmarkDotNet gave no result of {benchmark}", "run the program by hand")
        try:
            found = msgspec.json.decode(ended.output.removeprefix(b"\xef\xbb\xbf"), type=_Report).benchmarks
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            said = f"no full JSON of BenchmarkDotNet: {one_line(error)}"
            raise BenchError(said, "run it by hand, with --exporters fulljson") from None
        if len(found) != 1:
            why = "benchmarks with several values of a parameter cannot be told apart"
            raise BenchError(f"BenchmarkDotNet gave {len(found)} results for {benchmark}", why)
        results = [one for one in found[0].measurements or [] if (one.iteration_mode, one.iteration_stage) == _RESULT]
        allocated = found[0].memory.bytes_allocated_per_operation if found[0].memory else None
        counters = [{} if allocated is None else {"allocated": allocated * one.operations} for one in results]
        return [sample(i, one.operations, one.nanoseconds, counters[i]) for i, one in enumerate(results)]
