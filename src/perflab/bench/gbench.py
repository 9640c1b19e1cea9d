"""Google Benchmark: its JSON, as its docs/user_guide.md describes it, of versions 1.5 and later."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from perflab.bench.interface import Harness, lines_of, sample
from perflab.model.errors import BenchError, one_line
from perflab.model.protocol import Metric, Scenario

if TYPE_CHECKING:
    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_SCHEMA = 1
_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
_TIMED = "_ZN9benchmark5State16StartKeepRunningEv", "_ZN9benchmark5State17FinishKeepRunningEv"
_RATES = {"bytes_per_second": "bytes", "items_per_second": "items"}


class _Row(msgspec.Struct, frozen=True):
    """A repetition. Times are of one iteration."""

    name: str
    iterations: float = 0
    real_time: float = 0
    cpu_time: float = 0
    time_unit: str = "ns"
    run_type: str = "iteration"
    run_name: str = ""
    error_occurred: bool = False
    error_message: str = ""
    skipped: bool = False
    skip_message: str = ""
    allocs_per_iter: float | None = None
    max_bytes_used: float | None = None


class GoogleBenchmark(Harness):
    """Programs linked with Google Benchmark. A repetition is a sample; the first ones are the warm-up."""

    about = "Google Benchmark"
    copied = True
    profiled_as = "native"
    # Distributions strip the library's inner functions of their names.
    own_frames = calling_frames = r"benchmark::(internal::|RunSpecifiedBenchmarks)|.*/libbenchmark\.so"
    scenario = Scenario(
        "time",
        "an iteration",
        "ns/op",
        "lower",
        metrics=[
            Metric("cpu", "counter:cpu-ns/op", "ns/op", "lower"),
            Metric("items", "counter:items/s", "items/s", "higher"),
            Metric("bytes", "counter:bytes/s", "B/s", "higher"),
            # A user counter.
            Metric("allocations", "counter:allocations/op", "allocs/op", "lower"),
            # The memory manager's, from an extra pass of a few iterations, including their set-up.
            Metric("allocations-with-setup", "counter:allocations-with-setup/op", "allocs/op", "lower"),
        ],
    )

    def timed_between(self, target: str) -> tuple[str, str] | None:
        """Return the functions that start and end the loop over the state; a stripped program names neither."""
        try:
            text = Path(target).read_bytes()
        except OSError:
            return None
        return _TIMED if all(name.encode() in text for name in _TIMED) else None

    def benchmarks(self, target: str) -> list[str]:
        """Return the benchmarks that `--benchmark_list_tests` prints."""
        return lines_of([target, "--benchmark_list_tests=true"])

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Run one repetition per sample, plus enough of them for the warm-up."""
        # Not re.escape: some of its escapes are errors in other dialects.
        exactly = re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", benchmark)
        return [
            target,
            f"--benchmark_filter=^{exactly}$",
            "--benchmark_format=json",
            f"--benchmark_min_time={shape.sample_ms / 1000:g}",
            f"--benchmark_repetitions={math.ceil(shape.warmup_ms / shape.sample_ms) + shape.samples}",
            "--benchmark_report_aggregates_only=false",
            "--benchmark_display_aggregates_only=false",
        ]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:
        """Return the last repetitions, or all there are if the benchmark sets their number itself."""
        told = _rows(ended.output)
        rows = [one for one in told if one[0].run_type == "iteration"]
        if told and not rows:
            raise BenchError(f"{benchmark} gives aggregates only", "leave ReportAggregatesOnly and its like out")
        names = {row.run_name or row.name for row, _ in rows}
        if len(names) != 1:
            what = f"{len(names)} benchmarks" if names else "no benchmark"
            raise BenchError(f"{what} ran where {benchmark} was asked for", "run the program by hand")
        for row, _ in rows:
            if row.error_occurred or row.skipped:
                raise BenchError(f"{benchmark} gave up: {one_line(row.error_message or row.skip_message)}")
        return [_sample(i, row, more) for i, (row, more) in enumerate(rows[-shape.samples :])]


def _sample(i: int, row: _Row, more: dict[str, Any]) -> Sample:
    scale = _NS.get(row.time_unit)
    if scale is None:
        raise BenchError(f"the harness gives times in {one_line(row.time_unit)!r}", f"known are {', '.join(_NS)}")
    ns = row.real_time * scale * row.iterations
    counters = {"cpu-ns": row.cpu_time * scale * row.iterations}
    for name, value in more.items():
        if name in _RATES:
            # Keeps the rate per second that the harness prints, by whichever clock.
            counters[_RATES[name]] = value * ns / 1e9
        elif name not in _Row.__struct_fields__ and isinstance(value, float):
            counters[name] = value * row.iterations
    if row.allocs_per_iter is not None:
        counters["allocations-with-setup"] = row.allocs_per_iter * row.iterations
    return sample(i, row.iterations, ns, counters)


def _rows(output: bytes) -> list[tuple[_Row, dict[str, Any]]]:
    """Return the rows, typed and raw, skipping any banner before the JSON."""
    text = output.decode("utf-8", "replace")
    begins = re.search(r"^\{", text, re.MULTILINE)
    if begins is None:
        said = one_line(text)[:120]
        raise BenchError(f"no JSON of Google Benchmark: {said!r}" if said else "the program printed nothing")
    try:
        # Not msgspec: Google Benchmark writes NaN and Infinity.
        whole, _ = json.JSONDecoder().raw_decode(text, begins.start())
        rows = whole["benchmarks"]
        version = whole.get("context", {}).get("json_schema_version", _SCHEMA)
        if version == _SCHEMA:
            return [(msgspec.convert(row, _Row), row) for row in rows]
    except json.JSONDecodeError as error:
        raise BenchError(f"the JSON is cut short or broken: {error}", "run the program by hand") from None
    except (KeyError, TypeError, AttributeError, RecursionError, msgspec.ValidationError) as error:
        raise BenchError(f"no JSON of Google Benchmark: {one_line(error)}", "versions 1.5 and later are read") from None
    raise BenchError(f"JSON of Google Benchmark's schema {one_line(version)}, {_SCHEMA} is read", "update perflab")
