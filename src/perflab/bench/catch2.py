"""Catch2: the XML of its reporter (`-r xml`), of versions 2.11.3 and later."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, cast
from xml.etree import ElementTree as ET

from perflab.bench.interface import Harness, completed, reason, sample
from perflab.model.errors import BenchError, UsageError, one_line
from perflab.model.protocol import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from xml.etree.ElementTree import Element

    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_TAGGED = ("[!benchmark]", "[benchmark]", "[bench]")
"""Test cases, also hidden ones, as most people tag those that have benchmarks."""
_ALL = ('"*"',)
_FEWEST, _MOST = 10, 1_000_000
"""Samples of a process."""
_TICKS = 1000
"""Least length of a Catch2 sample, in steps of the clock."""
_LIST_S = 60
_WRONG = {"Exception", "Expression", "Failure", "FatalErrorCondition", "Skip"}


@dataclass
class _Case:
    """A test case that began.

    Attributes:
        name: Its name.
        results: Names and elements of its benchmarks' results.
        why: What went wrong first, or why it was skipped.
        failed: Whether Catch2 says that it failed; `None` if it did not end.
    """

    name: str
    results: list[tuple[str, Element]] = field(default_factory=list)
    why: str = ""
    failed: bool | None = None

    @property
    def sample_ns(self) -> float:
        """Length of one Catch2 sample, which Catch2 chooses itself, of each benchmark: a test case runs whole."""
        # A process that was interrupted while listing has too few iterations: it will not be below the least.
        return sum(
            max(_figure(one, "iterations") * _mean(one), _TICKS * _figure(one, "clockResolution"))
            for _, one in self.results
            if one.find("mean") is not None
        )


class Catch2(Harness):
    """The macros BENCHMARK of a program linked with Catch2. A process gives one sample, the mean of Catch2's own.

    A benchmark is called `TEST CASE/SECTION/BENCHMARK`. A test case runs whole, with its other benchmarks.
    """

    about = "Catch2"
    copied = True
    ignored = range(256)  # the results say what failed
    profiled_as = "native"
    own_frames = r"Catch::"
    calling_frames = r"Catch::Benchmark::"
    scenario = Scenario("time", "an iteration", "ns/op", "lower")

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[str, float]] = {}
        """Test specification and `_Case.sample_ns`, by target and benchmark."""
        self.left_out: dict[str, str] = {}

    def benchmarks(self, target: str) -> list[str]:
        """Return the benchmarks in test cases tagged as such, else in all, by running each for one sample.

        A test case that ends the process is left out, and the others run again.
        """
        names: list[str] = []
        self.left_out = {}
        for specs in (_TAGGED, _ALL):
            ended_by: list[str] = []
            while ended_by != (ended_by := self._list(target, specs, ended_by, names)):
                pass
            if names or self.left_out:
                break
        if not names:
            case, why = next(iter(self.left_out.items()), ("", ""))
            if case:
                raise BenchError(f"{target} has no benchmark that works: {case}: {why}", "run it by hand")
            raise UsageError(f"{target} has no benchmark", "does it use Catch2's BENCHMARK?")
        return names

    def _list(self, target: str, specs: Sequence[str], without: list[str], names: list[str]) -> list[str]:
        """List the benchmarks of all test cases but some, and return these with the one that ended the process."""
        but = "".join(f"~{_exactly(case)}" for case in without)
        spec = ",".join(one + but for one in specs)
        with TemporaryDirectory() as folder:
            result = Path(folder, "result")
            done = completed([*_start(target, spec, 1, result), "--benchmark-warmup-time=0"], timeout_s=_LIST_S)
            text = result.read_bytes() if result.exists() else b""
        cases, whole = _cases(text)
        if not whole and not cases:
            said = reason(done.stderr or done.stdout) or "no output"
            raise BenchError(f"{target} wrote no XML of Catch2: {said}", "is it a program with Catch2?")
        names.clear()
        for case in cases:
            if case.failed is not False or (case.why and not case.results):
                self.left_out[case.name] = case.why or "it ended the process"
                continue
            for name, one in case.results:
                failed = one.find("failed")
                if failed is not None:
                    self.left_out[name] = one_line(failed.get("message"))
                else:
                    names.append(name)
                    # A name with `*` at an end also means others.
                    self._known[target, name] = _exactly(case.name) + but, case.sample_ns
        ended = done.returncode < 0 or not whole
        if ended and cases[-1].name in without:
            raise BenchError(f"{target} ends at {cases[-1].name}", "run it by hand")
        return [*without, cases[-1].name] if ended else without

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Run as many Catch2 samples as fit into the length of all samples."""
        spec, length = self._known[target, benchmark]
        samples = min(max(math.ceil(shape.sample_ms * shape.samples * 1e6 / max(length, 1.0)), _FEWEST), _MOST)
        start = _start(target, spec, samples, self.result_file)
        return [*start, f"--benchmark-warmup-time={shape.warmup_ms}"]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:  # noqa: ARG002 - warmed up already
        """Return a single sample with the operations of all of Catch2's samples."""
        if not ended.result.strip():
            raise BenchError("the program wrote no result")
        cases, whole = _cases(ended.result)
        if not whole:
            raise BenchError("the XML is cut short or broken")
        found = [(case, one) for case in cases for name, one in case.results if name == benchmark]
        for case in (case for case, _ in found or ((case, None) for case in cases)):
            if case.failed or (case.why and not found):
                raise BenchError(f"{case.name} failed: {case.why}", "run the program by hand")
        if len(found) != 1:
            raise BenchError(f"{benchmark} ran {len(found)} times", "run the program by hand")
        one = found[0][1]
        ops = _figure(one, "samples") * _figure(one, "iterations")
        return [sample(0, ops, _mean(one) * ops, {})]


def _start(target: str, spec: str, samples: int, result: Path) -> list[str]:
    # The same order and random numbers in each process, so that a name means the same benchmark.
    same = ["--order=decl", "--rng-seed=1"]
    how = ["--benchmark-no-analysis", f"--benchmark-samples={samples}"]
    return [target, spec, "-r", "xml", "-o", str(result), *same, *how]


def _exactly(case: str) -> str:
    """Return the test specification of a test case: within quotes, blanks and brackets are themselves."""
    return '"' + re.sub(r'([\\,"])', r"\\\1", case) + '"'


def _cases(result: bytes) -> tuple[list[_Case], bool]:
    """Return the test cases that began, and whether the XML has an end.

    Catch2 2 does not close a benchmark with a failed assertion, so that what follows is within.
    """
    # Expat itself refuses entity expansion attacks.
    parser: ET.XMLPullParser[Element] = ET.XMLPullParser(("start", "end"))
    cases: list[_Case] = []
    sections: list[str] = []
    depth = 0
    with suppress(ET.ParseError):
        parser.feed(result)
        for event, one in cast("Iterator[tuple[str, Element]]", parser.read_events()):
            begins, name = event == "start", one.get("name", "")
            depth += 1 if begins else -1
            if one.tag == "TestCase" and begins:
                cases.append(_Case(name))
                sections = []
            elif one.tag == "Section":
                sections = [*sections, name] if begins else sections[:-1]
            elif begins or not cases:
                continue
            elif one.tag == "BenchmarkResults" and len(one.findall("mean") + one.findall("failed")) == 1:
                cases[-1].results.append(("/".join([cases[-1].name, *sections, name]), one))
            elif one.tag == "OverallResult":
                cases[-1].failed = one.get("success") != "true"
            elif one.tag in _WRONG and one.get("success") != "true":
                cases[-1].why = cases[-1].why or _said(one)
        return cases, depth == 0 and bool(result.strip())
    return cases, False


def _said(one: Element) -> str:
    """Return the text of what went wrong; of an assertion, its code."""
    code = one.findtext("Original")
    return one_line(one.text if code is None else f"{one.get('type')}({one_line(code)})")


def _figure(one: Element, name: str) -> float:
    try:
        return float(one.get(name, ""))
    except ValueError:
        raise BenchError(f"a result of Catch2's has no number for {name}") from None


def _mean(one: Element) -> float:
    mean = one.find("mean")
    if mean is None:
        raise BenchError("a result of Catch2's has no mean", "versions 2.11.3 and later are read")
    return _figure(mean, "value")
