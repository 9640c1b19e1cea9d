"""tinybench, mitata and vitest's benchmarks, by a module that Node preloads; docs/bench.md names the versions."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import msgspec

from perflab.bench.interface import RUNTIME_WARMUP_MS, Harness, check_file, check_number, completed, reason, sample
from perflab.model.errors import BenchError, MissingError, UsageError
from perflab.model.protocol import Scenario

if TYPE_CHECKING:
    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_PLUGINS = Path(__file__).with_name("plugins")
_LIST_S = 300


class _Told(msgspec.Struct, frozen=True):
    """A line of the preloaded module: a benchmark and its file, a sample, or why it fails."""

    name: str = ""
    file: str | None = None
    ops: float = 0
    ns: float = 0
    error: str = ""


class Tinybench(Harness):
    """The benchmarks of a script with tinybench, by the node of your PATH. A run of tinybench's is a sample.

    One is called as its task, with the name of its Bench before it, if that has one: `BENCH/TASK`.
    """

    about = "tinybench"
    scenario = Scenario("time", "an iteration", "ns/op", "lower")
    warmup_ms = RUNTIME_WARMUP_MS
    reads_output = False
    unlisted = "what follows in"
    """What is not listed if listing fails."""

    def __init__(self) -> None:
        self._files: dict[tuple[str, str], tuple[str, str | None]] = {}
        """A benchmark's own name, and its file where a target has several, by target and name."""
        self.left_out: dict[str, str] = {}

    def benchmarks(self, target: str) -> list[str]:
        """Return the benchmarks that run if the script does, each for one iteration."""
        with TemporaryDirectory() as folder:
            result = Path(folder, "result")
            done = completed(self._start(target, None, {"result": str(result)}), timeout_s=_LIST_S)
            told = _told(result.read_bytes()) if result.exists() else []
        said = reason(done.stderr or done.stdout) or f"status {done.returncode}"
        if done.returncode and not told:
            raise BenchError(f"{target} lists no benchmark: {said}", "run it by hand")
        if not told:
            raise UsageError(f"{target} has no benchmark", f"does it run one of {self.about}?")
        if done.returncode:
            self.left_out[f"{self.unlisted} {target}"] = said
        own = [(one.name, one.file) for one in told]
        names = [name for name, _ in own]
        of = [{file for other, file in own if other == name} for name in names]
        for i, (name, file) in enumerate(own):
            if len(of[i]) > 1 and file:
                names[i] = f"{os.path.relpath(file)}/{name}"
            self._files[target, names[i]] = name, file
        return names

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Run this benchmark alone, first for the warm-up, then once for each sample."""
        name, file = self._files[target, benchmark]
        length = {"warmup_ms": shape.warmup_ms, "sample_ms": shape.sample_ms, "samples": shape.samples}
        asked = {"result": str(self.result_file), "name": name, "file": file, **length}
        return self._start(target, file, {key: value for key, value in asked.items() if value is not None})

    def _start(self, target: str, file: str | None, asked: dict[str, Any]) -> list[str]:  # noqa: ARG002 - vitest's
        check_file(target)
        if shutil.which("node") is None:
            raise MissingError("there is no node on your PATH", "install Node.js, version 20.6 or later")
        return ["env", *_preloaded(asked), "node", target]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:  # noqa: ARG002 - as many as it took
        """Return the samples that the preloaded module wrote."""
        told = _told(ended.result)
        if error := next((one.error for one in told if one.error), ""):
            raise BenchError(f"{benchmark} fails: {reason(error.encode())}", "run it by hand")
        found = [one for one in told if one.ops]
        if not found:
            raise BenchError(f"{self.about} gave no result of {benchmark}", "run it by hand")
        check_number(len(found))
        return [sample(i, one.ops, one.ns, {}) for i, one in enumerate(found)]


class Mitata(Tinybench):
    """The benchmarks of a script with mitata, by the node of your PATH. A process gives one sample, mitata's mean.

    One is called `GROUP/BENCHMARK`.
    """

    about = "mitata"


class Vitest(Tinybench):
    """The benchmarks of files that `vitest bench` runs, by the vitest of the project. A run of tinybench's is a sample.

    One is called `GROUP/BENCHMARK`, from vitest 5 on `GROUP > TEST NUMBER/BENCHMARK`.
    """

    about = "vitest bench"
    ignored = range(256)  # the results say what failed
    log_noise = r'^.*(?:Importing from "vitest/|stderr\S* \| file:).*$'  # of our runner, since 4.1
    unlisted = "a file of"

    def _start(self, target: str, file: str | None, asked: dict[str, Any]) -> list[str]:
        if not Path(target).exists():
            raise UsageError(f"there is no {target}", "name a file of benchmarks, or a folder")
        here = Path.cwd()
        if not any((one / "node_modules" / "vitest").exists() for one in (here, *here.parents)):
            raise MissingError(f"there is no vitest in {here}", "go to the project's folder; npm install -D vitest")
        which = file or str(Path(target).resolve())
        return ["env", *_preloaded(asked), "node", str(_PLUGINS / "perflab_vitest.mjs"), which]


def _preloaded(asked: dict[str, Any]) -> list[str]:
    """Return the variables with which every Node process preloads the module."""
    options = f"--import={(_PLUGINS / 'perflab_node.mjs').as_uri()}"
    before = os.environ.get("NODE_OPTIONS", "")
    return [f"PERFLAB_BENCH={msgspec.json.encode(asked).decode()}", f"NODE_OPTIONS={f'{before} {options}'.strip()}"]


def _told(result: bytes) -> list[_Told]:
    return msgspec.json.decode(b"[%s]" % b",".join(result.splitlines()), type=list[_Told])
