"""criterion: the iterations and times of its samples (`new/sample.json`), of versions 0.3 and later."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from perflab.bench.interface import Harness, check_number, lines_of, sample
from perflab.model.errors import BenchError, UsageError, one_line
from perflab.model.protocol import Scenario

if TYPE_CHECKING:
    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_BUILD_S = 1800
_LISTED = ": benchmark"
_FEWEST = 10
"""Samples: criterion takes no less."""
# Criterion's report goes to stderr; its data are printed to stdout and deleted.
_APART = """home=$(mktemp -d) || exit; trap 'rm -rf "$home"' EXIT
CRITERION_HOME=$home "$@" >&2 && find "$home" -path '*/new/sample.json' -exec cat {} +"""


class _Artifact(msgspec.Struct, frozen=True):
    """A message of cargo; of an executable, where it is."""

    reason: str
    executable: str | None = None
    target: dict[str, Any] = {}


class _Samples(msgspec.Struct, frozen=True):
    """Iterations and nanoseconds of each sample."""

    iters: list[float]
    times: list[float]


class Criterion(Harness):
    """The criterion benchmarks of a crate, built once. A sample of criterion's is a sample."""

    about = "criterion"
    builds = True
    scenario = Scenario("time", "an iteration", "ns/op", "lower")

    def __init__(self) -> None:
        self._programs: dict[str, dict[str, tuple[str, str]]] = {}
        """Program and its own name for a benchmark, by crate and benchmark."""

    def prepare(self, target: str, folder: Path) -> str:  # noqa: ARG002 - cargo has its own
        """Build the crate's benches."""
        crate = Path(target).resolve()
        if not (crate / "Cargo.toml").is_file():
            raise UsageError(f"{target} has no Cargo.toml", "name the folder of a crate")
        build = ["cargo", "bench", "--benches", "--no-run", "--message-format=json-render-diagnostics"]
        told = lines_of(build, folder=crate, timeout_s=_BUILD_S)
        artifacts = [msgspec.json.decode(line, type=_Artifact) for line in told if line.startswith("{")]
        programs: dict[str, tuple[str, str]] = {}
        for one in artifacts:
            if one.executable and "bench" in one.target.get("kind", []):
                listed = lines_of([one.executable, "--bench", "--list"], folder=crate)
                names = [line.removesuffix(_LISTED) for line in listed if line.endswith(_LISTED)]
                apart = f"{one.target.get('name')}::" if programs.keys() & names else ""
                programs |= {apart + name: (one.executable, name) for name in names}
        if not programs:
            raise UsageError(f"the crate in {target} has no bench with criterion", "a bench has harness = false")
        self._programs[os.fspath(crate)] = programs
        return os.fspath(crate)

    def benchmarks(self, target: str) -> list[str]:
        """Return the benchmarks that `--list` prints for each bench target."""
        return list(self._programs[target])

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Measure for the length of all samples, at least ten for criterion; a group's own settings override these."""
        samples = max(shape.samples, _FEWEST)
        how = [
            *("--warm-up-time", f"{max(shape.warmup_ms, 1) / 1000:g}"),
            *("--measurement-time", f"{shape.sample_ms * shape.samples / 1000:g}"),
            *("--sample-size", str(samples)),
            *("--nresamples", "1000"),
            "--noplot",
        ]
        program, name = self._programs[target][benchmark]
        return ["/bin/sh", "-c", _APART, "sh", "env", "-C", target, program, "--bench", f"^{re.escape(name)}$", *how]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:  # noqa: ARG002 - warmed up already
        """Return all samples that criterion took."""
        if not ended.output.strip():
            raise BenchError(f"criterion gave no samples of {benchmark}", "run cargo bench by hand")
        try:
            found = msgspec.json.decode(ended.output, type=_Samples)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise BenchError(
                f"no samples of criterion's: {one_line(error)}", "versions 0.3 and later are read"
            ) from None
        check_number(len(found.times))
        if len(found.iters) != len(found.times):
            raise BenchError(f"criterion gave {len(found.iters)} iterations of {len(found.times)} times")
        return [sample(i, ops, ns, {}) for i, (ops, ns) in enumerate(zip(found.iters, found.times, strict=True))]
