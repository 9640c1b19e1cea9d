"""criterion: the iterations and times of its samples (`new/sample.json`), of versions 0.3.3 and later."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import msgspec

from perflab.bench.cargo import CargoBenches
from perflab.bench.interface import check_number, lines_of, sample
from perflab.model.errors import BenchError, UsageError, one_line
from perflab.model.protocol import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perflab.bench.cargo import Artifact
    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_LISTED = re.compile(r": bench(?:mark)?$")
_AGAIN = re.compile(r"(.*) #\d+")
_CUT, _LONGEST = "...", 100
"""What it lists of a longer name ends so."""
_OLDEST, _FRACTIONS = (0, 3, 3), (0, 4)
"""Versions that know CRITERION_HOME, and fractions of a second."""
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


class _Samples(msgspec.Struct, frozen=True):
    """Iterations and nanoseconds of each sample."""

    iters: list[float]
    times: list[float]


class Criterion(CargoBenches):
    """The criterion benchmarks of a crate, built once. A sample of criterion's is a sample."""

    about = "criterion"
    mark = b"This executable is a Criterion.rs benchmark"  # from the help text of every version
    # Its samples have more and more iterations.
    counted_in = ({"warmup_ms": 20, "sample_ms": 10, "samples": 10},)
    counted_within = "criterion::bencher::Bencher<M>::iter"
    scenario = Scenario("time", "an iteration", "ns/op", "lower")
    _seconds: Callable[[float], float] = float
    """Rounds seconds to what the version can read."""

    def check(self, target: str, artifacts: Sequence[Artifact]) -> None:
        """Raise if its criterion is too old, and find out whether it takes fractions of a second."""
        versions = [_version(one.package_id) for one in artifacts if one.name == "criterion"]
        if versions and max(versions) < _OLDEST:
            raise UsageError(f"the crate in {target} has a criterion older than 0.3.3", "cargo update criterion")
        if versions and min(versions) < _FRACTIONS:
            self._seconds = math.ceil

    def listed(self, start: list[str]) -> list[str]:
        """Return what `--list` prints."""
        lines = lines_of([*start, "--bench", "--list"])
        names = [_LISTED.sub("", line) for line in lines if _LISTED.search(line)]
        # What it lists as `sum #2` is another of the name `sum`.
        return [again[1] if (again := _AGAIN.fullmatch(own)) and again[1] in names else own for own in names]

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Measure for the length of all samples, at least ten for criterion; a group's own settings override these."""
        one = self.bench(target, benchmark)
        how = [
            *("--warm-up-time", f"{self._seconds(max(shape.warmup_ms, 1) / 1000):g}"),
            *("--measurement-time", f"{self._seconds(shape.sample_ms * shape.samples / 1000):g}"),
            *("--sample-size", str(max(shape.samples, _FEWEST))),
            *("--nresamples", "1000"),
            *("--color", "never"),
            "--noplot",
        ]
        cut = one.own.endswith(_CUT) and len(one.own.encode()) >= _LONGEST
        name = _META.sub(r"\\\g<0>", one.own.removesuffix(_CUT) if cut else one.own) + ".*" * cut
        return ["/bin/sh", "-c", _APART, "sh", *one.start, f"^{name}$", *how]

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
