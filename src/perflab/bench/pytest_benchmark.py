"""pytest-benchmark: its JSON (`--benchmark-json`), of versions 3.2 and later, with the time of each round."""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from perflab.bench.interface import Harness, completed, reason, sample
from perflab.model.errors import BenchError, MissingError, one_line
from perflab.model.lab import CHECKOUT
from perflab.model.protocol import Scenario

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_MISSING = re.compile(r"No module named '?(?:pytest|benchmark)\b|unrecognized arguments: --benchmark")
_PYTEST = ["python3", "-m", "pytest", "-p", "no:cacheprovider", "-p", "benchmark", "-p", "perflab_pytest"]
_PLUGINS = Path(__file__).with_name("plugins")
# JSON goes to stdout, everything else to stderr.
APART = ["/bin/sh", "-c", 'exec 3>&1 1>&2; exec "$@"', "sh"]
_LIST_S = 60


class _Listed(msgspec.Struct, frozen=True):
    """What the plug-in lists: ids and files of tests, and why files could not be collected."""

    tests: list[tuple[str, str]]
    failed: dict[str, str]


class _Stats(msgspec.Struct, frozen=True):
    """Seconds of an iteration in each round, and how many iterations a round has."""

    data: list[float]
    iterations: int


class _Benchmark(msgspec.Struct, frozen=True):
    fullname: str
    stats: _Stats

    def samples(self, shape: Shape) -> list[Sample]:
        """Return the last rounds as samples; the first ones are the warm-up."""
        iterations = self.stats.iterations
        return [
            sample(i, iterations, one * 1e9 * iterations, {}) for i, one in enumerate(self.stats.data[-shape.samples :])
        ]


class _Report(msgspec.Struct, frozen=True):
    benchmarks: list[_Benchmark]


class PytestBenchmark(Harness):
    """Tests that use the fixture `benchmark`, by the python3 of your PATH. A round is a sample."""

    about = "pytest-benchmark"
    scenario = Scenario("time", "an iteration", "ns/op", "lower")
    together = True

    def __init__(self) -> None:
        self._files: dict[str, str] = {}
        """File of each test, by its id: the id itself is relative to a folder that pytest chooses."""
        self.left_out: dict[str, str] = {}

    def benchmarks(self, target: str) -> list[str]:
        """Return all tests: only running one shows whether it uses the fixture."""
        done = completed([*APART, "env", *_plugged(), *_PYTEST, "--collect-only", target], timeout_s=_LIST_S)
        if _MISSING.search((done.stderr + done.stdout).decode("utf-8", "replace")) and not done.stdout.startswith(b"{"):
            hint = "python3 -m pip install pytest-benchmark"
            raise MissingError("the python3 of your PATH has no pytest-benchmark", hint)
        try:
            listed = msgspec.json.decode(done.stdout, type=_Listed)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            said = reason(done.stderr) or f"status {done.returncode}"
            raise BenchError(
                f"pytest lists no tests of {target}: {said}", "run pytest --collect-only by hand"
            ) from None
        self.left_out |= {name: reason(why.encode()) for name, why in listed.failed.items()}
        self._files |= dict(listed.tests)
        return [name for name, _ in listed.tests]

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Run enough rounds for the warm-up and the samples."""
        return self.command_of_all(target, [benchmark], shape)

    def command_of_all(self, target: str, benchmarks: Sequence[str], shape: Shape) -> list[str]:
        """Run these tests in one process."""
        rounds = math.ceil(shape.warmup_ms / shape.sample_ms) + shape.samples
        length = f"{shape.sample_ms / 1000:g}"
        how = [f"--benchmark-min-rounds={rounds}", f"--benchmark-min-time={length}", f"--benchmark-max-time={length}"]
        selected = [*_plugged(), f"PERFLAB_PYTEST_IDS={json.dumps(benchmarks)}"]
        files = dict.fromkeys(self._files.get(one, target) for one in benchmarks)
        return [*APART, "env", *selected, *_PYTEST, "--benchmark-json=/dev/fd/3", *how, *files]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:
        """Return the last rounds as samples; the first ones are the warm-up."""
        found = _reported(ended, f"does {benchmark} use the fixture `benchmark`?")
        if len(found) != 1:
            raise BenchError(f"it gave {len(found)} results for {benchmark}", "run pytest by hand")
        return found[0].samples(shape)

    def samples_of_each(self, ended: Ended, shape: Shape) -> dict[str, list[Sample]]:
        """Return the samples of each test that used the fixture."""
        return {one.fullname: one.samples(shape) for one in _reported(ended, "run pytest by hand")}


def _reported(ended: Ended, hint: str) -> list[_Benchmark]:
    try:
        return msgspec.json.decode(ended.output, type=_Report).benchmarks
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        said = f"no JSON of pytest-benchmark: {one_line(error)}" if ended.output.strip() else "it gave no result"
        raise BenchError(said, hint) from None


def _plugged() -> list[str]:
    """Return the variables with which pytest finds the plug-in."""
    others = [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one and one != str(CHECKOUT / "src")]
    return [f"PYTHONPATH={os.pathsep.join([str(_PLUGINS), *others])}"]
