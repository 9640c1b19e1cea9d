"""divan: the row that its program prints of a benchmark, of versions 0.1.15 and later."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from perflab.bench.cargo import CargoBenches
from perflab.bench.interface import completed, lines_of, reason, sample
from perflab.model.errors import BenchError
from perflab.model.protocol import Scenario

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Sample


_LIST_S = 300
_NODE = re.compile(r"(?P<indent>(?:│  |   )*)(?P<branch>├─ |╰─ )?(?P<name>.*)")
_IGNORED = re.compile(r"\s+\(ignored\)$")
_THREADS = re.compile(r"(.*)::t=(\d+)")
_NS = {"ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9, "d": 86400e9}
_TIME = r"([\d.]+) ?(ns|µs|ms|s|m|h|d) *"
_ROW = re.compile(rf"{_TIME}│ {_TIME}│ {_TIME}│ {_TIME}│ (\d+) *│ (\d+)\s*$", re.MULTILINE)
"""Fastest, slowest, median and mean; samples and iterations."""
_DIGITS = 4


class Divan(CargoBenches):
    """The divan benchmarks of a crate, built once. A process gives one sample, divan's mean of all its iterations.

    One is called by its path in the bench, `GROUP::FUNCTION::ARGUMENT`; of several threads, with `::t=8`.
    """

    about = "divan"
    mark = b"DIVAN_SAMPLE_COUNT"
    scenario = Scenario("time", "an iteration", "ns/op", "lower")

    def listed(self, start: list[str]) -> list[str]:
        """Return the leaves of the tree that it prints while each runs once: `--list` has no arguments.

        One that ends the process is left out, and the others run again.
        """
        known = _leaves("\n".join(lines_of([*start, "--list"])))[0]
        ended_by: list[str] = []
        while True:
            skipped = [word for name in ended_by for word in ("--skip", name)]
            done = completed([*start, "--test", "--exact", "--color", "never", *skipped], timeout_s=_LIST_S)
            names, last = _leaves(done.stdout.decode("utf-8", "replace"))
            if not done.returncode:
                return list(dict.fromkeys(filter(None, (_named(name, known) for name in names))))
            said = reason(done.stderr) or f"it ends the process with status {done.returncode}"
            if not last or last in ended_by:
                raise BenchError(f"{start[-1]} failed: {said}")
            # Threads of one benchmark cannot be skipped apart.
            ended_by.append(_own(last)[0])
            self.left_out[ended_by[-1]] = said

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:
        """Run for the length of all samples; divan has no warm-up, and chooses the length of its own samples."""
        one = self.bench(target, benchmark)
        name, threads = _own(one.own)
        seconds = f"{shape.sample_ms * shape.samples / 1000:g}"
        # What it does besides, as finding out its own overhead, may take longer than that.
        length = ["--min-time", seconds, "--max-time", seconds, "--skip-ext-time", "true"]
        return [*one.start, "--exact", name, *threads, *length, "--color", "never"]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:  # noqa: ARG002 - as long as it took
        """Return a single sample with all iterations."""
        rows = _ROW.findall(ended.output.decode("utf-8", "replace"))
        if len(rows) != 1:
            raise BenchError(f"divan gave {len(rows)} results of {benchmark}", "run cargo bench by hand")
        *_, mean, unit, _, iterations = rows[0]
        return [sample(0, int(iterations), _whole(mean) * _NS[unit] * int(iterations), {})]


def _named(leaf: str, known: Sequence[str]) -> str:
    """Return a leaf's name without what a benchmark prints behind it, or nothing if it is only that."""
    if any(f"{leaf}::".startswith(f"{one}::") for one in known):
        return leaf
    return max((one for one in known if leaf.startswith(one)), key=len, default="")


def _own(name: str) -> tuple[str, list[str]]:
    """Return the name that selects a benchmark, and the option of its threads."""
    found = _THREADS.fullmatch(name)
    return (found[1], ["--threads", found[2]]) if found else (name, [])


def _whole(printed: str) -> float:
    """Return the middle of the figures that divan prints so: it cuts off what is behind the fourth digit."""
    whole, _, fraction = printed.partition(".")
    decimals = max(_DIGITS - len(whole), 0)
    return float(printed) + 0.5 * 10.0**-decimals if len(fraction) <= decimals else float(printed)


def _leaves(tree: str) -> tuple[list[str], str]:
    """Return the paths of the leaves of a printed tree, and the last one, whether or not it came to its end."""
    paths: list[tuple[str, ...]] = []
    for line in tree.splitlines():
        found = _NODE.match(line)
        if not line.strip() or found is None:
            continue
        depth = len(found["indent"]) // 3 + bool(found["branch"])
        paths.append((*(paths[-1][:depth] if paths else ()), found["name"]))
    leaves = [one for one, after in pairwise([*paths, ()]) if after[: len(one)] != one]
    names = ["::".join(one) for one in leaves if not _IGNORED.search(one[-1])]
    return names, "::".join(paths[-1]) if paths else ""
