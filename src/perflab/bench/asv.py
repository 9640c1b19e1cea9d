"""asv (airspeed velocity): the time benchmarks of a folder, run by asv_runner, of versions 0.1 and later."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from perflab.bench.interface import Harness, check_number, lines_of, sample
from perflab.bench.pytest_benchmark import APART
from perflab.model.errors import BenchError, MissingError, UsageError, one_line
from perflab.model.protocol import Scenario

if TYPE_CHECKING:
    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_TIMED = {"time", "timeraw"}
# What asv itself starts in its environments. Benchmarks may print: results go to descriptor 3.
_LIST = "import sys; from asv_runner.discovery import _discover; _discover((sys.argv[1], '/dev/fd/3'))"
_RUN = """
import os, sys, tempfile
from asv_runner.run import _run
from asv_runner.setup_cache import _setup_cache
folder, name, settings, cached = sys.argv[1:]
with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    if cached:
        _setup_cache((folder, name, settings))
    _run((folder, name, settings, "None", "/dev/fd/3"))
"""
_LONGEST_S = 3600
_NO_RUNNER = "No module named 'asv_runner'"


class _Benchmark(msgspec.Struct, frozen=True):
    """A benchmark as asv_runner lists it; `params` has the texts of each parameter's values."""

    name: str
    type: str
    params: list[list[str]] = []
    setup_cache_key: str | None = None


class _Result(msgspec.Struct, frozen=True):
    """Seconds of a call in each sample, and how many calls a sample has."""

    samples: list[float]
    number: int


class Asv(Harness):
    """The benchmarks `time_*` of a folder, by the python3 of your PATH, with what is installed there.

    One with parameters is one for each combination: `suite.Get.time_get(10, 'lru')`.
    """

    about = "asv"
    scenario = Scenario("time", "a call", "ns/op", "lower")

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], tuple[str, bool]] = {}
        """asv's own name of a benchmark, and whether it has a cache, by folder and benchmark."""

    def benchmarks(self, target: str) -> list[str]:
        """Return the benchmarks of a time; those of something else are left out."""
        folder = Path(target).resolve()
        if not folder.is_dir():
            raise UsageError(f"{target} is no folder", "name that of the benchmarks, as asv.conf.json does")
        try:
            lines = lines_of([*APART, "python3", "-c", _LIST, str(folder)])
        except BenchError as error:
            if _NO_RUNNER in error.message:
                raise MissingError("the python3 of your PATH has no asv_runner", "python3 -m pip install asv") from None
            raise
        try:
            found = msgspec.json.decode("".join(lines), type=list[_Benchmark])
        except msgspec.MsgspecError as error:
            raise BenchError(f"asv_runner lists no benchmarks: {one_line(error)}", "run asv check") from None
        self.left_out = {one.name: f"asv measures its {one.type}" for one in found if one.type not in _TIMED}
        names = []
        for one in found:
            for number, values in enumerate(itertools.product(*one.params)) if one.type in _TIMED else ():
                name = f"{one.name}({', '.join(values)})" if one.params else one.name
                own = f"{one.name}-{number}" if one.params else one.name
                self._found[target, name] = own, one.setup_cache_key is not None
                names.append(name)
        return names

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Run the benchmark with warm-up, samples of this length, and this number of them."""
        own, cached = self._found[target, benchmark]
        settings = {
            "sample_time": shape.sample_ms / 1000,
            "warmup_time": shape.warmup_ms / 1000,
            "repeat": (shape.samples, shape.samples, _LONGEST_S),
        }
        words = [str(Path(target).resolve()), own, msgspec.json.encode(settings).decode(), "1" if cached else ""]
        return [*APART, "python3", "-c", _RUN, *words]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:  # noqa: ARG002 - as many as it took
        """Return asv's samples."""
        if ended.output.strip() == b"NaN":
            raise BenchError(f"{benchmark} is skipped by its setup", "name other parameters")
        try:
            found = msgspec.json.decode(ended.output, type=_Result)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            said = f"no result of asv_runner: {one_line(error)}" if ended.output.strip() else "asv gave no result"
            raise BenchError(said, "run asv by hand: asv run --python=same --show-stderr") from None
        check_number(len(found.samples))
        return [sample(i, found.number, one * 1e9 * found.number, {}) for i, one in enumerate(found.samples)]
