"""Google Benchmark: its JSON, as its docs/user_guide.md describes it, of versions 1.5 and later."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from perflab.bench.interface import CPU, Harness, Reported, lines_of, metric_id, sample
from perflab.model.errors import BenchError, one_line
from perflab.model.protocol import Metric, Scenario
from perflab.model.units import direction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_SCHEMA = 1
_LONGEST_NAME = 100
_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
_TIMED = "_ZN9benchmark5State16StartKeepRunningEv", "_ZN9benchmark5State17FinishKeepRunningEv"
_RATES = {"bytes_per_second": "bytes", "items_per_second": "items"}
_BY_WALL = re.compile(r"/(?:real_time|manual_time|threads:(?!1\b)\d+)(?:/|$)")
"""Where the CPU time is of another span, or of several threads."""
_FIGURE = r"(?:-?[\d.]+(?:e[-+]?\d+)?|-?nan|-?inf)(?:[kMGTPEZYmunpfazy]i?)?"


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
    counters: dict[str, float] = {}
    allocs_per_iter: float | None = None


class GoogleBenchmark(Harness):
    """Programs linked with Google Benchmark. A repetition is a sample; the first ones are the warm-up."""

    about = "Google Benchmark"
    copied = True
    profiled_as = "native"
    cpu = CPU.of
    counted_between = "benchmark::State::StartKeepRunning()", "benchmark::State::FinishKeepRunning()"
    # Distributions strip the library's inner functions of their names.
    own_frames = calling_frames = r"benchmark::(internal::|RunSpecifiedBenchmarks)|.*/libbenchmark\.so"
    log_noise = (
        r"-- LOG\(0\): Value passed to --benchmark_min_time .*?30-seconds\."
        r"|^(?:\*\*\*WARNING|Running \S+$|Run on \(|CPU Caches:|  L\d |Load Average:|\d{4}-\d\d-\d\d[T ][\d:]+).*$"
    )
    scenario = Scenario(
        "time",
        "an iteration",
        "ns/op",
        "lower",
        metrics=[
            CPU,
            Metric("items", "counter:items/s", "items/s", "higher"),
            Metric("bytes", "counter:bytes/s", "B/s", "higher"),
            # A user counter.
            Metric("allocations", "counter:allocations/op", "allocs/op", "lower"),
            # The memory manager's, from an extra pass of a few iterations, including their set-up.
            Metric("allocations-with-setup", "counter:allocations-with-setup/op", "allocs/op", "lower"),
        ],
    )

    def __init__(self) -> None:
        self.reports: dict[str, Reported] = {}
        self._names: dict[tuple[str, str], str] = {}
        """Metrics of user counters, by the counter's name and unit."""
        self._first: dict[tuple[str, str], tuple[float, float]] = {}
        """Iterations and value of the first repetition, by benchmark and counter."""
        self._totals: set[tuple[str, str]] = set()

    def timed_between(self, target: str) -> tuple[str, str] | None:
        """Return the functions that start and end the loop over the state; a stripped program names neither."""
        try:
            text = Path(target).read_bytes()
        except OSError:
            return None
        return _TIMED if all(name.encode() in text for name in _TIMED) else None

    def benchmarks(self, target: str) -> list[str]:
        """Return the benchmarks that `--benchmark_list_tests` prints, whatever the environment's filter."""
        return lines_of([target, "--benchmark_list_tests=true", "--benchmark_filter=all", "--benchmark_format=console"])

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Run one repetition per sample, plus enough of them for the warm-up."""
        # Whichever dialect the library was built for: POSIX knows no other escapes.
        exactly = re.sub(r"([\\^$.|?*+()\[{])", r"\\\1", benchmark)
        return [
            target,
            f"--benchmark_filter=^{exactly}$",
            f"--benchmark_out={self.result_file}",
            "--benchmark_out_format=json",
            # Tells rates from other counters, as the JSON does not.
            "--benchmark_format=console",
            "--benchmark_color=false",
            "--benchmark_counters_tabular=false",
            f"--benchmark_min_time={shape.sample_ms / 1000:g}",
            f"--benchmark_repetitions={math.ceil(shape.warmup_ms / shape.sample_ms) + shape.samples}",
            "--benchmark_report_aggregates_only=false",
            "--benchmark_display_aggregates_only=false",
        ]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:
        """Return the last repetitions, or all there are if the benchmark sets their number itself."""
        told = _rows(ended.result)
        rows = [row for row in told if row.run_type == "iteration"]
        if told and not rows:
            raise BenchError(f"{benchmark} gives aggregates only", "leave ReportAggregatesOnly and its like out")
        names = {row.run_name or row.name for row in rows}
        if len(names) != 1:
            what = f"{len(names)} benchmarks" if names else "no benchmark"
            raise BenchError(f"{what} ran where {benchmark} was asked for", "run the program by hand")
        for row in rows:
            if row.error_occurred or row.skipped:
                raise BenchError(f"{benchmark} gave up: {one_line(row.error_message or row.skip_message)}")
        printed = ended.output.decode("utf-8", "replace")
        return [self._sample(i, row, _units(row.counters, printed)) for i, row in enumerate(rows[-shape.samples :])]

    def _sample(self, i: int, row: _Row, units: Mapping[str, str]) -> Sample:
        scale = _NS.get(row.time_unit)
        if scale is None:
            raise BenchError(f"the harness gives times in {one_line(row.time_unit)!r}", f"known are {', '.join(_NS)}")
        ns = row.real_time * scale * row.iterations
        counters = {} if _BY_WALL.search(row.name) else {"cpu-ns": row.cpu_time * scale * row.iterations}
        for counter, value in row.counters.items():
            unit = units.get(counter, "")
            if not unit and counter not in _RATES and self._is_total(row, counter):
                continue
            per = "s" if unit == "/s" or counter in _RATES else "op"
            if counter in _RATES:
                name = _RATES[counter]
            elif (counter, unit) == ("allocations", ""):
                name = counter
            else:
                name = self._metric(counter, unit)
                self.reports[name] = Reported(f"counter:{name}/{per}", unit, direction(unit))
            # Keeps the rate per second that the harness prints, by whichever clock.
            counters[name] = value * (ns / 1e9 if per == "s" else row.iterations)
        if row.allocs_per_iter is not None:
            counters["allocations-with-setup"] = row.allocs_per_iter * row.iterations
        return sample(i, row.iterations, ns, counters)

    def _is_total(self, row: _Row, counter: str) -> bool:
        """Return whether a counter grows as the number of iterations does, which says nothing about one of them."""
        key, now = (row.run_name, counter), (row.iterations, row.counters[counter])
        iterations, value = self._first.setdefault(key, now)
        if abs(now[0] - iterations) > iterations / 2 and math.isclose(
            now[0] * value, now[1] * iterations, rel_tol=0.02
        ):
            self._totals.update({key} if value else ())
        return key in self._totals

    def _metric(self, counter: str, unit: str) -> str:
        """Return the metric of a user counter: its name, unless that is another metric's."""
        if (counter, unit) not in self._names:
            name = metric_id(counter[:_LONGEST_NAME])
            if not name or name in {*self.scenario.all_metrics, "cpu-ns"}:
                name = f"counter-{name}".rstrip("-")
            taken, number, unique = {*self._names.values()}, 1, name
            while unique in taken:
                number += 1
                unique = f"{name}-{number}"
            self._names[counter, unit] = unique
        return self._names[counter, unit]


def _units(counters: Mapping[str, float], printed: str) -> dict[str, str]:
    """Return the units of a row's counters on the console; empty where a program prints its own."""
    row = re.search(" ".join(rf"{re.escape(name)}={_FIGURE}(/s|s|)" for name in counters) + r"(?!\S)", printed)
    return dict(zip(counters, row.groups(), strict=True)) if counters and row else {}


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of the JSON; in that of a repetition, user counters may have the names of other members."""
    names = [name for name, _ in pairs]
    if "time_unit" not in names:
        return dict(pairs)
    begin = names.index("time_unit") + 1
    # The memory manager's figures follow the counters, and its bytes are whole.
    whole = (i for i, (name, value) in enumerate(pairs) if name == "max_bytes_used" and isinstance(value, int))
    end = next(whole, len(pairs) + 1) - 1
    counters = {name: value for name, value in pairs[begin:end] if isinstance(value, float)}
    return {**dict(pairs[:begin]), **dict(pairs[end:]), "counters": counters}


def _rows(result: bytes) -> list[_Row]:
    text = result.decode("utf-8", "replace")
    if not text.strip():
        raise BenchError("the program wrote no result")
    try:
        # Not msgspec: Google Benchmark writes NaN and Infinity, and a name twice.
        whole = json.loads(text, object_pairs_hook=_object, strict=False)
        version = whole.get("context", {}).get("json_schema_version", _SCHEMA)
        if version == _SCHEMA:
            return msgspec.convert(whole["benchmarks"], list[_Row])
    except json.JSONDecodeError as error:
        raise BenchError(f"the JSON is cut short or broken: {error}", "run the program by hand") from None
    except (KeyError, TypeError, AttributeError, RecursionError, msgspec.ValidationError) as error:
        raise BenchError(f"no JSON of Google Benchmark: {one_line(error)}", "versions 1.5 and later are read") from None
    raise BenchError(f"JSON of Google Benchmark's schema {one_line(version)}, {_SCHEMA} is read", "update perflab")
