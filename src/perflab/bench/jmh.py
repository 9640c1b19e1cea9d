"""JMH: its JSON (`-rf json`), of versions 1.11 and later, whose raw data are of single iterations."""

from __future__ import annotations

import itertools
import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit
from zipfile import BadZipFile, ZipFile, is_zipfile

import msgspec

from perflab.bench.interface import (
    RUNTIME_WARMUP_MS,
    TIME_AND_ALLOCATION,
    Harness,
    Reported,
    check_file,
    check_number,
    lines_of,
    metric_id,
    sample,
)
from perflab.model.errors import BenchError, one_line
from perflab.model.units import direction

if TYPE_CHECKING:
    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_ALLOCATED = "gc.alloc.rate.norm"
_PROFILER = "\N{MIDDLE DOT}"
"""In front of a profiler's metrics up to 1.35."""
_MANIFEST, _LIST = "META-INF/MANIFEST.MF", "META-INF/BenchmarkList"
_JMH, _ENCODER = "org/openjdk/jmh/Main.class", "org/openjdk/jmh/util/lines/Armor.class"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_MOST_COMBINATIONS = 10_000


class _Metric(msgspec.Struct, frozen=True):
    scoreUnit: str  # noqa: N815 - JMH's
    rawData: list[list[float | str]]  # noqa: N815 - JMH's; "NaN" is a text there


class _Result(msgspec.Struct, frozen=True):
    """A benchmark's result. `rawData` has a row for each fork, with a figure for each iteration."""

    benchmark: str
    primaryMetric: _Metric  # noqa: N815 - JMH's
    mode: str = "avgt"
    secondaryMetrics: dict[str, Any] = {}  # noqa: N815 - JMH's
    params: dict[str, str] = {}


class _Entry(NamedTuple):
    """A benchmark in the jar's list."""

    name: str
    modes: set[str]
    params: dict[str, list[str]]


class _Asked(NamedTuple):
    """What a benchmark's name stands for. `shots`: it has no mode but single shots."""

    name: str
    params: dict[str, str]
    shots: bool


class Jmh(Harness):
    """The benchmarks of an executable jar. An iteration is a sample; the mode is average time, whatever it says.

    JMH forks a JVM of its own, so that its hints to the compiler count: two start in each process.
    """

    about = "JMH"
    copied = True
    reads_output = False
    profiled_as = "jmh"
    own_frames = r"org\.openjdk\.jmh\."
    calling_frames = r".*_jmhStub"
    warmup_ms = RUNTIME_WARMUP_MS
    scenario = TIME_AND_ALLOCATION

    def __init__(self) -> None:
        self._asked: dict[str, _Asked] = {}
        """By full name."""
        self.reports: dict[str, Reported] = {}

    def benchmarks(self, target: str) -> list[str]:
        """Return the benchmarks of the jar's list, one per value of a `@Param`, as `p.Caches.get/size=1024`.

        Not of `-lp`: it joins values by commas, which they may hold.
        """
        check_file(target)
        entries = _entries(target)
        if not entries:  # in a jar within it; benchmarks with several values then have no name
            listed = map(str.strip, lines_of(["java", "-jar", target, "-l"]))
            entries = {name: _Entry(name, set(), {}) for name in listed if not name.endswith(":")}
        self.left_out = left_out = dict[str, str]()
        found: list[str] = []
        for one in entries.values():
            shots = one.modes == {"SingleShotTime"}
            several: list[list[tuple[str, str]]] = []
            for key, values in one.params.items():
                if not values:
                    left_out[one.name] = f"its parameter {key} has no values"
                for value in values if len(values) > 1 else ():
                    if "," in value:
                        left_out[f"{one.name}/{key}={value}"] = "JMH's -p takes a comma for the end of a value"
                if len(values) != 1:
                    several.append([(key, value) for value in values if "," not in value])
            for params in itertools.islice(itertools.product(*several), _MOST_COMBINATIONS - len(found)):
                full = one.name + "".join(f"/{key}={value}" for key, value in params)
                self._asked[full] = _Asked(one.name, dict(params), shots)
                found.append(full)
        return found

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Run one fork with one warm-up iteration; single shots as often as the benchmark itself says."""
        name, params, shots = self._asked[benchmark]
        warmup = ["-wi", "1", "-w", f"{shape.warmup_ms}ms"] if shape.warmup_ms else ["-wi", "0"]
        length = ["-bm", "avgt", *warmup, "-i", str(shape.samples), "-r", f"{shape.sample_ms}ms"]
        how = ["-f", "1", "-tu", "ns", "-foe", "true", "-prof", "gc"]
        # What JMH and the benchmarks print goes to stderr.
        result = ["-rf", "json", "-rff", str(self.result_file), "-o", "/dev/stderr"]
        values = [word for key, value in params.items() for word in ("-p", f"{key}={value}")]
        length = ["-bm", "ss"] if shots else length
        return ["java", "-jar", target, f"^{re.escape(name)}$", *values, *length, *how, *result]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:
        """Return a sample per iteration; its operations follow from its length."""
        try:
            # Not msgspec: old versions write Infinity, and a line's end behind each comma of a parameter.
            results = msgspec.convert(json.loads(ended.result, strict=False), list[_Result])
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            said = f"no JSON of JMH: {one_line(error)}" if ended.result.strip() else "JMH wrote no result"
            raise BenchError(said, "run the jar by hand, with -rf json") from None
        if len(results) != 1:
            raise BenchError(f"JMH gave {len(results)} results for {benchmark}", "run the jar by hand")
        (result,) = results
        asked = self._asked.get(benchmark, _Asked(result.benchmark, {}, shots=False))
        measured = {key: result.params.get(key, "") for key in asked.params}
        # Old versions do not escape values in JSON, and none keeps control characters.
        if result.benchmark != asked.name or _words(measured) != _words(asked.params):
            said = "".join(f"/{key}={value}" for key, value in measured.items())
            raise BenchError(f"JMH measured {one_line(result.benchmark + said)}, not {benchmark}")
        metric = result.primaryMetric
        if metric.scoreUnit != "ns/op":
            raise BenchError(f"JMH gave {one_line(metric.scoreUnit)} where ns/op was asked for")
        times = _figures(metric)
        check_number(len(times))
        allocated, others = self._secondary(result, len(times))
        found = []
        for i, time in enumerate(times):
            ns = time if result.mode == "ss" else shape.sample_ms * 1e6
            ops = ns / time if time > 0 else math.nan
            # By time, which is the same in all: the mean of what JMH prints.
            counters = {name: figures[i] * ns / 1e9 for name, figures in others.items()}
            if allocated:
                counters["allocated"] = allocated[i] * ops
            found.append(sample(i, ops, ns, counters))
        return found

    def _secondary(self, result: _Result, length: int) -> tuple[list[float], dict[str, list[float]]]:
        """Return bytes allocated per operation, and what the benchmark reports: its counters, methods of its group."""
        allocated: list[float] = []
        others: dict[str, list[float]] = {}
        for name, metric in result.secondaryMetrics.items():
            one = msgspec.convert(metric, _Metric)
            if len(figures := _figures(one)) != length:
                continue
            if name.lstrip(_PROFILER) == _ALLOCATED:
                allocated = figures
            elif (
                not name.startswith((_PROFILER, "gc.")) and (known := metric_id(name)) not in self.scenario.all_metrics
            ):
                others[known] = figures
                self.reports[known] = Reported(f"counter:{known}/s", one.scoreUnit, direction(one.scoreUnit))
        return allocated, others


def _figures(metric: _Metric) -> list[float]:
    """Return a figure for each iteration."""
    return [
        float(one if isinstance(one, float) else one.replace("INF", "inf")) for fork in metric.rawData for one in fork
    ]


def _words(params: dict[str, str]) -> dict[str, list[str]]:
    return {key: re.findall(r"\w+", re.sub(r"[\x00-\x1f\x7f-\x9f]", "", value)) for key, value in params.items()}


def _entries(jar: str) -> dict[str, _Entry]:
    """Read the lists of benchmarks in a jar and those of its manifest; empty if JMH is in neither."""
    found: dict[str, _Entry] = {}
    lines: list[str] = []
    files: set[str] = set()
    try:
        for path in _jars(jar):
            with ZipFile(path) as opened:
                files |= {*opened.namelist()}
                if _LIST in opened.namelist():
                    lines += opened.read(_LIST).decode().split("\n")
        for line in lines if _JMH in files else ():
            if line.strip():
                old = "===,===" in line
                name, mode, params = _old_entry(line) if old else _Line(line, encoded=_ENCODER in files).entry()
                found.setdefault(name, _Entry(name, set(), params)).modes.add(mode)
    except (OSError, BadZipFile, ValueError, IndexError) as error:
        raise BenchError(f"cannot read the list of benchmarks in {jar}: {one_line(error)}", "is it a jar?") from None
    return found


def _jars(jar: str) -> list[Path]:
    """Return a jar and those that its manifest names."""
    with ZipFile(jar) as opened:
        manifest = opened.read(_MANIFEST).decode() if _MANIFEST in opened.namelist() else ""
    named = re.search(r"^Class-Path: (.*)$", re.sub(r"\r?\n ", "", manifest), re.MULTILINE)
    others = [Path(jar).parent / unquote(urlsplit(one).path) for one in (named[1] if named else "").split()]
    return [Path(jar), *(one for one in others if is_zipfile(one))]


class _Line:
    """A line of the list, from 1.12 on. Strings, lists and maps stand behind their lengths, fields behind a letter."""

    def __init__(self, line: str, *, encoded: bool) -> None:
        self._line, self._at, self._encoded = _units(line), len("JMH "), encoded

    def entry(self) -> tuple[str, str, dict[str, list[str]]]:
        fields = [self._field() for _ in range(20)]
        return f"{fields[0]}.{fields[2]}", str(fields[3]), next((one for one in fields if isinstance(one, dict)), {})

    def _field(self) -> str | list[str] | dict[str, list[str]] | None:
        kind = self._line[self._at]
        self._at += 2
        if kind == "E":
            return None
        if kind in "LA":
            return [self._string() for _ in range(self._length())]
        if kind == "M":
            return {self._string(): [self._value() for _ in range(self._length())] for _ in range(self._length())}
        return self._string()

    def _length(self) -> int:
        end = self._line.index(" ", self._at)
        number, self._at = int(self._line[self._at : end]), end + 1
        return number

    def _string(self) -> str:
        length = self._length()
        begin, self._at = self._at, self._at + length + 1
        return self._line[begin : begin + length].encode("utf-16", "surrogatepass").decode("utf-16")

    def _value(self) -> str:
        """Return a value; later versions encode its UTF-16: six bits a letter, the lowest first."""
        text = self._string()
        if not self._encoded:
            return text
        text = text.rstrip("=")
        bits = sum(_LETTERS.index(letter) << 6 * i for i, letter in enumerate(text))
        return bits.to_bytes(len(text), "little")[: len(text) * 3 // 8 * 2].decode("utf-16-le", "replace")


def _units(text: str) -> str:
    """Return a text in Java's units, which lengths count: two of some characters."""
    return "".join(map(chr, memoryview(text.encode("utf-16-le")).cast("H")))


def _old_entry(line: str) -> tuple[str, str, dict[str, list[str]]]:
    """Read a line of the lists of 1.11 and 1.12, which have a separator after each value and parameter."""
    *names, mode = line.split("===,===")[:-18]
    text = line.split("===,===")[-4].removeprefix("[")
    params = {
        key: [value.replace("===EMPTY-VAL===", "") for value in values.split("===SEP-V===")[:-1]]
        for key, values in re.findall(r"(.*?)===SEP-K===(.*?)===PAIR-SEP===", text)
    }
    return ".".join(names[::2]), mode, params
