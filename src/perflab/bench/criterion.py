"""criterion: the iterations and times of its samples (`new/sample.json`), of versions 0.3.3 and later."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from perflab.bench.interface import Harness, check_number, completed, lines_of, reason, sample
from perflab.model.errors import BenchError, UsageError, one_line
from perflab.model.protocol import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_BUILD_S = 1800
_LISTED = re.compile(r": bench(?:mark)?$")
_AGAIN = re.compile(r"(.*) #\d+")
_CUT, _LONGEST = "...", 100
"""What it lists of a longer name ends so."""
_MARK = b"This executable is a Criterion.rs benchmark"
"""From the help text of every version."""
_OLDEST, _FRACTIONS = (0, 3, 3), (0, 4)
"""Versions that know CRITERION_HOME, and fractions of a second."""
_MOST_METADATA = 32 << 20
_FEWEST = 10
"""Samples: criterion takes no less."""
_META = re.compile(r"[\\.+*?()|\[\]{}^$]")
"""Older versions of the crate regex refuse other escapes, as Python's of a blank."""
# Criterion's report goes to stderr, but for the line that names the unit; its data are printed to stdout and deleted.
_APART = """home=$(mktemp -d) || exit; trap 'rm -rf "$home"' EXIT
CRITERION_HOME=$home "$@" >"$home/printed" || { status=$?; cat "$home/printed" >&2; exit $status; }
find "$home" -path '*/new/sample.json' -exec cat {} + && echo && grep -a 'time: .*]$' "$home/printed" || true"""
_TIME = re.compile(r"time:\s+\[(.*)\]$")
_NS = {"ps": 1e-3, "ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
_ROUNDED = 0.01


class _Artifact(msgspec.Struct, frozen=True):
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


class _Samples(msgspec.Struct, frozen=True):
    """Iterations and nanoseconds of each sample."""

    iters: list[float]
    times: list[float]


@dataclass(frozen=True)
class _Bench:
    """A benchmark, the bench target that has it, its own name there, and how to run it.

    Attributes:
        seconds: Rounds seconds to what this version can read.
    """

    name: str
    bench: str
    own: str
    program: str
    folder: Path
    seconds: Callable[[float], float]


class Criterion(Harness):
    """The criterion benchmarks of a crate, built once. A sample of criterion's is a sample."""

    about = "criterion"
    builds = True
    # Its samples have more and more iterations.
    counted_in = ({"warmup_ms": 20, "sample_ms": 10, "samples": 10},)
    counted_within = "criterion::bencher::Bencher<M>::iter"
    scenario = Scenario("time", "an iteration", "ns/op", "lower")

    def __init__(self) -> None:
        self._programs: dict[str, list[_Bench]] = {}
        """Benchmarks by crate."""
        self.left_out: dict[str, str] = {}

    def prepare(self, target: str, folder: Path) -> str:  # noqa: ARG002 - cargo has its own
        """Build the crate's benches."""
        crate = Path(target).resolve()
        if not (crate / "Cargo.toml").is_file():
            raise UsageError(f"{target} has no Cargo.toml", "name the folder of a crate")
        artifacts, self.left_out = _build(crate)
        versions = [_version(one.package_id) for one in artifacts if one.name == "criterion"]
        if versions and max(versions) < _OLDEST:
            raise UsageError(f"the crate in {target} has a criterion older than 0.3.3", "cargo update criterion")
        built = [one for one in artifacts if one.is_bench]
        found: list[_Bench] = []
        for one in sorted(built, key=lambda one: (one.name, one.manifest_path)):
            program, place = str(one.executable), Path(one.manifest_path).parent
            # Packages of a workspace may have targets of one name.
            several = [other.name for other in built].count(one.name) > 1
            name = f"{place.name}/{one.name}" if several else one.name
            if _MARK not in Path(program).read_bytes():
                self.left_out[name] = "it is no bench of criterion's"
                continue
            try:
                listed = lines_of([*_as_cargo(place), program, "--bench", "--list"])
            except BenchError as error:
                self.left_out[name] = error.message.removeprefix("env ")
                continue
            names = [_LISTED.sub("", line) for line in listed if _LISTED.search(line)]
            # What it lists as `sum #2` is another of the name `sum`.
            names = [again[1] if (again := _AGAIN.fullmatch(own)) and again[1] in names else own for own in names]
            seconds = math.ceil if versions and min(versions) < _FRACTIONS else float
            found += [_Bench(own, name, own, program, place, seconds) for own in names]
        if not found:
            hint = "; ".join(f"{name}: {why}" for name, why in self.left_out.items()) or "a bench has harness = false"
            raise UsageError(f"the crate in {target} has no bench with criterion", hint)
        shared = {one.name for one in found for other in found if one.name == other.name and one.bench != other.bench}
        found = [replace(one, name=f"{one.bench}::{one.name}") if one.name in shared else one for one in found]
        self._programs[os.fspath(crate)] = found
        return os.fspath(crate)

    def benchmarks(self, target: str) -> list[str]:
        """Return the benchmarks that `--list` prints for each bench target."""
        return [one.name for one in self._programs[target]]

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Measure for the length of all samples, at least ten for criterion; a group's own settings override these."""
        one = next(one for one in self._programs[target] if one.name == benchmark)
        how = [
            *("--warm-up-time", f"{one.seconds(max(shape.warmup_ms, 1) / 1000):g}"),
            *("--measurement-time", f"{one.seconds(shape.sample_ms * shape.samples / 1000):g}"),
            *("--sample-size", str(max(shape.samples, _FEWEST))),
            *("--nresamples", "1000"),
            *("--color", "never"),
            "--noplot",
        ]
        cut = one.own.endswith(_CUT) and len(one.own.encode()) >= _LONGEST
        name = _META.sub(r"\\\g<0>", one.own.removesuffix(_CUT) if cut else one.own) + ".*" * cut
        return ["/bin/sh", "-c", _APART, "sh", *_as_cargo(one.folder), one.program, "--bench", f"^{name}$", *how]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:  # noqa: ARG002 - warmed up already
        """Return all samples that criterion took."""
        if not ended.output.strip():
            raise BenchError(f"criterion gave no samples of {benchmark}", "run cargo bench by hand")
        data, _, printed = ended.output.partition(b"\n")
        try:
            found = msgspec.json.decode(data, type=_Samples)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            said = f"no samples of criterion's: {one_line(error)}"
            raise BenchError(said, "versions 0.3.3 and later are read") from None
        check_number(len(found.times))
        if len(found.iters) != len(found.times):
            raise BenchError(f"criterion gave {len(found.iters)} iterations of {len(found.times)} times")
        samples = [sample(i, ops, ns, {}) for i, (ops, ns) in enumerate(zip(found.iters, found.times, strict=True))]
        _check_time(benchmark, printed.decode("utf-8", "replace"), [one.ns / one.ops for one in samples])
        return samples


def _build(crate: Path) -> tuple[list[_Artifact], dict[str, str]]:
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


def _cargo_bench(crate: Path, *which: str) -> tuple[list[_Artifact], str]:
    """Build benches; also return the reason if one does not compile."""
    build = ["cargo", "bench", *which, "--no-run", "--message-format=json-render-diagnostics"]
    done = completed(build, folder=crate, timeout_s=_BUILD_S)
    lines = [line for line in done.stdout.splitlines() if line.startswith(b"{")]
    failed = done.returncode and (reason(done.stderr) or f"status {done.returncode}")
    return [msgspec.json.decode(line, type=_Artifact) for line in lines], failed or ""


def _targets(crate: Path) -> list[dict[str, Any]]:
    """Return the bench targets of a crate, or of a workspace that is none itself."""
    told = lines_of(["cargo", "metadata", "--no-deps", "--format-version=1"], folder=crate, most=_MOST_METADATA)
    packages = msgspec.json.decode(told[0], type=_Workspace).packages
    own = [one for one in packages if Path(one.manifest_path) == crate / "Cargo.toml"] or packages
    return [target for one in own for target in one.targets if "bench" in target["kind"]]


def _as_cargo(folder: Path) -> list[str]:
    """Return the words that start a program of a package as cargo does."""
    return ["env", "-C", os.fspath(folder), f"CARGO_MANIFEST_DIR={folder}"]


def _version(package: str) -> tuple[int, ...]:
    """Return the version in a package's id, which ends with `#criterion@0.5.1`, in older cargos ` 0.5.1 (registry)`."""
    found = re.search(r"[#@ ](\d+)\.(\d+)\.(\d+)", package)
    return tuple(map(int, found.groups())) if found else _FRACTIONS


def _check_time(benchmark: str, printed: str, times: Sequence[float]) -> None:
    """Check that criterion's data are nanoseconds: with another measurement it prints another unit or figure."""
    found = _TIME.search(printed.strip())
    words = found[1].split() if found else []
    try:
        (_, _, estimate, unit, _, _) = words
        ns = float(estimate) * _NS[unit]
    except (ValueError, KeyError):
        said = one_line(found[1]) if found else "nothing"
        raise BenchError(f"{benchmark} is not measured in time: criterion prints {said!r} of it") from None
    if not min(times) * (1 - _ROUNDED) <= ns <= max(times) * (1 + _ROUNDED):
        raise BenchError(f"{benchmark} is not measured in nanoseconds: {estimate} {unit} are {times[0]:g} in the data")
