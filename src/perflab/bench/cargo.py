"""Benches of a crate that cargo builds, for harnesses whose programs list their benchmarks."""

from __future__ import annotations

import os
from abc import abstractmethod
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from perflab.bench.interface import Harness, completed, lines_of, reason
from perflab.model.errors import BenchError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


_BUILD_S = 1800
_MOST_METADATA = 32 << 20


class Artifact(msgspec.Struct, frozen=True):
    """A message of cargo; of an executable, where it is."""

    reason: str
    executable: str | None = None
    manifest_path: str = ""
    package_id: str = ""
    target: dict[str, Any] = {}

    @property
    def name(self) -> str:
        """Name of its target."""
        return str(self.target.get("name"))

    @property
    def is_bench(self) -> bool:
        """True for the program of a bench target."""
        return self.executable is not None and "bench" in self.target.get("kind", [])


class _Package(msgspec.Struct, frozen=True):
    """A package of a workspace."""

    manifest_path: str
    targets: list[dict[str, Any]]


class _Workspace(msgspec.Struct, frozen=True):
    packages: list[_Package]


@dataclass(frozen=True)
class Bench:
    """A benchmark, the bench target that has it, its own name there, and the program in the package's folder."""

    name: str
    bench: str
    own: str
    program: str
    folder: Path

    @property
    def start(self) -> list[str]:
        """The words that start its program as cargo does."""
        return [*_as_cargo(self.folder), self.program, "--bench"]


class CargoBenches(Harness):
    """The benchmarks of a crate's benches, built once.

    Attributes:
        mark: What every program of this harness has in it, and no other.
    """

    builds = True
    mark: ClassVar[bytes]

    def __init__(self) -> None:
        self._benches: dict[str, list[Bench]] = {}
        """Benchmarks by crate."""
        self.left_out: dict[str, str] = {}

    def prepare(self, target: str, folder: Path) -> str:  # noqa: ARG002 - cargo has its own
        """Build the crate's benches."""
        crate = Path(target).resolve()
        if not (crate / "Cargo.toml").is_file():
            raise UsageError(f"{target} has no Cargo.toml", "name the folder of a crate")
        artifacts, self.left_out = _build(crate)
        self.check(target, artifacts)
        built = [one for one in artifacts if one.is_bench]
        found: list[Bench] = []
        for one in sorted(built, key=lambda one: (one.name, one.manifest_path)):
            program, place = str(one.executable), Path(one.manifest_path).parent
            # Packages of a workspace may have targets of one name.
            several = [other.name for other in built].count(one.name) > 1
            name = f"{place.name}/{one.name}" if several else one.name
            if self.mark not in Path(program).read_bytes():
                self.left_out[name] = f"it is no bench of {self.about}'s"
                continue
            try:
                names = self.listed([*_as_cargo(place), program])
            except BenchError as error:
                self.left_out[name] = error.message.removeprefix("env ")
                continue
            found += [Bench(own, name, own, program, place) for own in names]
        if not found:
            hint = "; ".join(f"{name}: {why}" for name, why in self.left_out.items()) or "a bench has harness = false"
            raise UsageError(f"the crate in {target} has no bench with {self.about}", hint)
        shared = {one.name for one in found for other in found if one.name == other.name and one.bench != other.bench}
        found = [replace(one, name=f"{one.bench}::{one.name}") if one.name in shared else one for one in found]
        self._benches[os.fspath(crate)] = found
        return os.fspath(crate)

    def check(self, target: str, artifacts: Sequence[Artifact]) -> None:
        """Raise if a version among what was built is too old."""

    @abstractmethod
    def listed(self, start: list[str]) -> list[str]:
        """Return the benchmarks of a program by their own names."""

    def benchmarks(self, target: str) -> list[str]:
        """Return the benchmarks that each bench target lists."""
        return [one.name for one in self._benches[target]]

    def bench(self, target: str, benchmark: str) -> Bench:
        """Return a benchmark by its name."""
        return next(one for one in self._benches[target] if one.name == benchmark)


def _build(crate: Path) -> tuple[list[Artifact], dict[str, str]]:
    """Build all benches that can be built; also return why others cannot."""
    artifacts, wrong = _cargo_bench(crate, "--benches")
    left_out: dict[str, str] = {}
    for target in _targets(crate):
        name = str(target["name"])
        if name in [one.name for one in artifacts if one.is_bench]:
            continue
        if features := target.get("required-features"):
            left_out[name] = f"it needs the features {', '.join(features)}"
        elif wrong:  # cargo starts no other build after one that fails
            own, failed = _cargo_bench(crate, "--bench", name)
            artifacts += own
            if failed:
                left_out[name] = f"it does not compile: {failed}"
    if wrong and not any(one.is_bench for one in artifacts):
        raise BenchError(f"cargo bench failed: {wrong}", "run it by hand")
    return artifacts, left_out


def _cargo_bench(crate: Path, *which: str) -> tuple[list[Artifact], str]:
    """Build benches; also return the reason if one does not compile."""
    build = ["cargo", "bench", *which, "--no-run", "--message-format=json-render-diagnostics"]
    done = completed(build, folder=crate, timeout_s=_BUILD_S)
    lines = [line for line in done.stdout.splitlines() if line.startswith(b"{")]
    failed = done.returncode and (reason(done.stderr) or f"status {done.returncode}")
    return [msgspec.json.decode(line, type=Artifact) for line in lines], failed or ""


def _targets(crate: Path) -> list[dict[str, Any]]:
    """Return the bench targets of a crate, or of a workspace that is none itself."""
    told = lines_of(["cargo", "metadata", "--no-deps", "--format-version=1"], folder=crate, most=_MOST_METADATA)
    packages = msgspec.json.decode(told[0], type=_Workspace).packages
    own = [one for one in packages if Path(one.manifest_path) == crate / "Cargo.toml"] or packages
    return [target for one in own for target in one.targets if "bench" in target["kind"]]


def _as_cargo(folder: Path) -> list[str]:
    """Return the words that start a program of a package as cargo does."""
    return ["env", "-C", os.fspath(folder), f"CARGO_MANIFEST_DIR={folder}"]
