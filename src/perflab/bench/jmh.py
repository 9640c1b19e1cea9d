"""JMH: its JSON (`-rf json`), of versions 1.11 and later, whose raw data are of single iterations."""

from __future__ import annotations

import itertools
import math
import re
from typing import TYPE_CHECKING, Any

import msgspec

from perflab.bench.interface import (
    RUNTIME_WARMUP_MS,
    TIME_AND_ALLOCATION,
    Harness,
    check_file,
    check_number,
    lines_of,
    sample,
)
from perflab.model.errors import BenchError, one_line

if TYPE_CHECKING:
    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_ALLOCATED = "gc.alloc.rate.norm"  # with a dot in front up to 1.35
_PARAMETER = re.compile(r'param "(\w+)" = \{(.*)\}')
_AT = re.compile(r"/(?=\w+=)")
_MOST_COMBINATIONS = 10_000


class _Metric(msgspec.Struct, frozen=True):
    scoreUnit: str  # noqa: N815 - JMH's
    rawData: list[list[float | str]]  # noqa: N815 - JMH's; "NaN" is a text there


class _Result(msgspec.Struct, frozen=True):
    """A benchmark's result. `rawData` has a row for each fork, with a figure for each iteration."""

    benchmark: str
    primaryMetric: _Metric  # noqa: N815 - JMH's
    secondaryMetrics: dict[str, Any] = {}  # noqa: N815 - JMH's
    params: dict[str, str] = {}


class Jmh(Harness):
    """The benchmarks of an executable jar. An iteration is a sample; the mode is average time, whatever it says.

    JMH forks a JVM of its own, so that its hints to the compiler count: two start in each process.
    """

    about = "JMH"
    copied = True
    profiled_as = "jmh"
    own_frames = r"org\.openjdk\.jmh\."
    calling_frames = r".*_jmhStub"
    warmup_ms = RUNTIME_WARMUP_MS
    scenario = TIME_AND_ALLOCATION

    def benchmarks(self, target: str) -> list[str]:
        """Return the benchmarks that `-lp` prints, one per value of a `@Param`, as `p.Caches.get/size=1024`."""
        check_file(target)
        found: dict[str, list[list[str]]] = {}
        for line in map(str.strip, lines_of(["java", "-jar", target, "-lp"])):
            if parameter := _PARAMETER.fullmatch(line):
                values = parameter[2].split(", ")
                if len(values) > 1:
                    next(reversed(found.values()), []).append([f"/{parameter[1]}={value}" for value in values])
            elif not line.endswith(":"):
                found[line] = []
        each = ((name, "".join(at)) for name, values in found.items() for at in itertools.product(*values))
        return [name + at for name, at in itertools.islice(each, _MOST_COMBINATIONS)]

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Run one fork with one warm-up iteration."""
        benchmark, *parameters = _AT.split(benchmark)
        warmup = ["-wi", "1", "-w", f"{shape.warmup_ms}ms"] if shape.warmup_ms else ["-wi", "0"]
        length = ["-i", str(shape.samples), "-r", f"{shape.sample_ms}ms"]
        how = ["-f", "1", "-bm", "avgt", "-tu", "ns", "-foe", "true", "-prof", "gc"]
        result = ["-rf", "json", "-rff", "/dev/stdout", "-o", "/dev/stderr"]
        values = [word for one in parameters for word in ("-p", one)]
        return ["java", "-jar", target, f"^{re.escape(benchmark)}$", *values, *warmup, *length, *how, *result]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:
        """Return a sample per iteration; its operations follow from its length."""
        try:
            results = msgspec.json.decode(ended.output, type=list[_Result])
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            said = f"no JSON of JMH: {one_line(error)}" if ended.output.strip() else "JMH printed no result"
            raise BenchError(said, "run the jar by hand, with -rf json") from None
        if len(results) != 1:
            raise BenchError(f"JMH gave {len(results)} results for {benchmark}", "run the jar by hand")
        metric = results[0].primaryMetric
        if metric.scoreUnit != "ns/op":
            raise BenchError(f"JMH gave {one_line(metric.scoreUnit)} where ns/op was asked for")
        check_number(sum(map(len, metric.rawData)))
        times = [float(one) for fork in metric.rawData for one in fork]
        allocated = _allocated(results[0])
        ns = shape.sample_ms * 1e6
        found = []
        for i, time in enumerate(times):
            ops = ns / time if time > 0 else math.nan
            counters = {"allocated": allocated[i] * ops} if len(allocated) == len(times) else {}
            found.append(sample(i, ops, ns, counters))
        return found


def _allocated(result: _Result) -> list[float]:
    """Return the bytes allocated per operation in each iteration; empty if JMH does not report them."""
    for name, metric in result.secondaryMetrics.items():
        if name.lstrip("\N{MIDDLE DOT}") == _ALLOCATED:
            return [float(one) for fork in msgspec.convert(metric, _Metric).rawData for one in fork]
    return []
