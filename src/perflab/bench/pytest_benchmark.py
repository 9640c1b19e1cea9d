"""pytest-benchmark: its JSON (`--benchmark-json`), of versions 3.1 and later, with the time of each round."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from perflab.bench.interface import Harness, lines_of, sample
from perflab.model.errors import BenchError, MissingError, one_line
from perflab.model.protocol import Scenario

if TYPE_CHECKING:
    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_OF_THE_PLUGIN = "--benchmark-disable"
_NO_PYTEST = "No module named pytest"
_PYTEST = ["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
# JSON goes to stdout, everything else to stderr.
APART = ["/bin/sh", "-c", 'exec 3>&1 1>&2; exec "$@"', "sh"]


class _Stats(msgspec.Struct, frozen=True):
    """Seconds of an iteration in each round, and how many iterations a round has."""

    data: list[float]
    iterations: int


class _Benchmark(msgspec.Struct, frozen=True):
    stats: _Stats


class _Report(msgspec.Struct, frozen=True):
    benchmarks: list[_Benchmark]


class PytestBenchmark(Harness):
    """Tests that use the fixture `benchmark`, by the python3 of your PATH. A round is a sample."""

    about = "pytest-benchmark"
    scenario = Scenario("time", "an iteration", "ns/op", "lower")

    def benchmarks(self, target: str) -> list[str]:
        """Return all tests: only running one shows whether it uses the fixture."""
        try:
            # An option of the plug-in, without effect here.
            lines = lines_of([*_PYTEST, "--collect-only", _OF_THE_PLUGIN, target])
        except BenchError as error:
            if _OF_THE_PLUGIN in error.message or _NO_PYTEST in error.message:
                hint = "python3 -m pip install pytest-benchmark"
                raise MissingError("the python3 of your PATH has no pytest-benchmark", hint) from None
            raise
        return [line for line in lines if "::" in line]

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:  # noqa: ARG002 - it is part of the name
        """Run enough rounds for the warm-up and the samples."""
        rounds = math.ceil(shape.warmup_ms / shape.sample_ms) + shape.samples
        length = f"{shape.sample_ms / 1000:g}"
        how = [f"--benchmark-min-rounds={rounds}", f"--benchmark-min-time={length}", f"--benchmark-max-time={length}"]
        return [*APART, *_PYTEST, "--benchmark-only", "--benchmark-json=/dev/fd/3", *how, benchmark]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:
        """Return the last rounds as samples; the first ones are the warm-up."""
        try:
            found = msgspec.json.decode(ended.output, type=_Report).benchmarks
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            said = f"no JSON of pytest-benchmark: {one_line(error)}" if ended.output.strip() else "it gave no result"
            raise BenchError(said, f"does {benchmark} use the fixture `benchmark`?") from None
        if len(found) != 1:
            raise BenchError(f"it gave {len(found)} results for {benchmark}", "run pytest by hand")
        stats = found[0].stats
        return [
            sample(i, stats.iterations, one * 1e9 * stats.iterations, {})
            for i, one in enumerate(stats.data[-shape.samples :])
        ]
