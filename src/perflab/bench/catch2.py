"""Catch2: the XML of its reporter (`-r xml`), of versions 2.11 and later."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from perflab.bench.interface import MOST_OUTPUT, Harness, lines_of, sample
from perflab.model.errors import BenchError, UsageError, one_line
from perflab.model.protocol import Scenario

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_TAGGED = "[!benchmark],[benchmark],[bench]"
"""Test cases, also hidden ones, as most people tag those that have benchmarks."""
_ALL = "*"
_FEWEST, _MOST = 10, 1_000_000
"""Samples of a process."""


class Catch2(Harness):
    """The macros BENCHMARK of a program linked with Catch2. A process gives one sample, the mean of Catch2's own.

    A benchmark is called `TEST CASE/BENCHMARK`. A test case runs whole, with its other benchmarks.
    """

    about = "Catch2"
    copied = True
    profiled_as = "native"
    own_frames = r"Catch::"
    calling_frames = r"Catch::Benchmark::"
    scenario = Scenario("time", "an iteration", "ns/op", "lower")

    def __init__(self) -> None:
        self._sample_ns: dict[tuple[str, str], float] = {}
        """Length of a Catch2 sample, which Catch2 chooses itself, by target and benchmark."""

    def benchmarks(self, target: str) -> list[str]:
        """Return the benchmarks in test cases tagged as such, else in all, by running each for one sample."""
        found: dict[str, Element] = {}
        for spec in (_TAGGED, _ALL):
            command = [*_start(target, spec, 1), "--benchmark-warmup-time=0"]
            found = _results("\n".join(lines_of(command, most=MOST_OUTPUT)))
            if found:
                break
        else:
            raise UsageError(f"{target} has no benchmark", "does it use Catch2's BENCHMARK?")
        for name, one in found.items():
            self._sample_ns[target, name] = _figure(one, "iterations") * _mean(one)
        return list(found)

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Run as many Catch2 samples as fit into the length of all samples."""
        length = max(self._sample_ns[target, benchmark], 1.0)
        samples = min(max(math.ceil(shape.sample_ms * shape.samples * 1e6 / length), _FEWEST), _MOST)
        # Special characters in a test specification.
        case = re.sub(r"([\\,\[\]*])", r"\\\1", benchmark.rpartition("/")[0])
        return [*_start(target, case, samples), f"--benchmark-warmup-time={shape.warmup_ms}"]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:  # noqa: ARG002 - warmed up already
        """Return a single sample with the operations of all of Catch2's samples."""
        found = _results(ended.output.decode("utf-8", "replace"))
        if benchmark not in found:
            raise BenchError(f"{benchmark} did not run", "run the program by hand")
        one = found[benchmark]
        ops = _figure(one, "samples") * _figure(one, "iterations")
        return [sample(0, ops, _mean(one) * ops, {})]


def _start(target: str, spec: str, samples: int) -> list[str]:
    return [target, spec, "-r", "xml", "--benchmark-no-analysis", f"--benchmark-samples={samples}"]


def _results(text: str) -> dict[str, Element]:
    """Return the results by benchmark."""
    begins = text.find("<?xml")
    if begins < 0:
        said = one_line(text)[:120]
        raise BenchError(f"no XML of Catch2: {said!r}" if said else "the program printed nothing")
    try:
        # Expat itself refuses entity expansion attacks.
        whole = ET.fromstring(text[begins:].encode())  # noqa: S314
    except ET.ParseError as error:
        raise BenchError(f"the XML is cut short or broken: {error}", "run the program by hand") from None
    found, case = {}, None
    for one in whole.iter():
        if one.tag == "TestCase":
            case = one.get("name")
        elif one.tag == "BenchmarkResults":
            found[f"{case}/{one.get('name')}"] = one
    return found


def _figure(one: Element, name: str) -> float:
    try:
        return float(one.get(name, ""))
    except ValueError:
        raise BenchError(f"a result of Catch2's has no number for {name}") from None


def _mean(one: Element) -> float:
    mean = one.find("mean")
    if mean is None:
        raise BenchError("a result of Catch2's has no mean", "versions 2.11 and later are read")
    return _figure(mean, "value")
