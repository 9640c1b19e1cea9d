"""What the benchmarks share: a clock around whole processes, and the table of what was found.

A benchmark reports figures beside their goals. It asserts none: a time is a fact about a machine at a moment.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from perflab.host.git import this_revision
from perflab.host.machine import this_machine
from perflab.model.lab import CHECKOUT
from perflab.stats.interval import mean_interval

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

LAB = str(CHECKOUT / "lab")
PYTHON = sys.executable
_LOG_BYTES_SHOWN = 2000


@dataclass(frozen=True)
class Ended:
    """A process that has ended.

    `max_rss_bytes` is the largest of it and its children. Linux counts the starting process's own peak until `exec`
    against the child, so a benchmark that reports it must itself have stayed small.
    """

    wall_s: float
    max_rss_bytes: int
    status: int
    stdout: str


@dataclass(frozen=True)
class Figure:
    """A figure and the goal that it should stay below, both in `unit`.

    `spread` says how sure it is. An `interval` that holds the goal leaves open whether it is met.
    """

    what: str
    value: float
    unit: str
    goal: float | None = None
    spread: str = ""
    interval: tuple[float, float] | None = None

    def row(self) -> str:
        """A row of the Markdown table."""
        goal = "" if self.goal is None else f"< {self.goal:g} {self.unit}"
        return f"| {self.what} | {self.value:.3g} {self.unit} | {self.spread} | {goal} | {self._met()} |"

    def _met(self) -> str:
        if self.goal is None:
            return ""
        low, high = self.interval or (self.value, self.value)
        return "yes" if high < self.goal else "no" if low >= self.goal else "open"


def clean_environment(**changes: str) -> dict[str, str]:
    """This environment without what would lead `./lab` to another checkout's code, results or settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PERFLAB_", "PYTHONPATH"))}
    return kept | changes


def run(
    command: Sequence[str],
    *,
    cwd: Path = CHECKOUT,
    environment: Mapping[str, str] | None = None,
    statuses: Collection[int] = (0,),
) -> Ended:
    """Run a command from its start to its end; a status that is not among `statuses` ends the benchmark."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as log:
        begun = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=cwd, env=environment or clean_environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=log
        )
        _, waited, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(waited)
        for stream in (out, log):
            stream.seek(0)
        if process.returncode not in statuses:
            said = log.read()[-_LOG_BYTES_SHOWN:].decode("utf-8", "replace")
            raise SystemExit(f"{' '.join(command)}\nended with status {process.returncode}:\n{said}")
        return Ended(wall_s, usage.ru_maxrss * 1024, process.returncode, out.read().decode())


def median_figure(what: str, values: Sequence[float], unit: str, goal: float | None = None) -> Figure:
    """The median of repetitions, with the smallest and the largest."""
    spread = f"{min(values):.3g} to {max(values):.3g}, {len(values)} times" if len(values) > 1 else "once"
    return Figure(what, statistics.median(values), unit, goal, spread)


def mean_figure(what: str, values: Sequence[float], unit: str, goal: float | None = None) -> Figure:
    """The mean of repetitions, with its 95 % interval."""
    interval = mean_interval(values)
    if interval is None:
        raise ValueError(f"too few repetitions for an interval: {len(values)}")
    limits = (interval.low, interval.high)
    spread = f"{limits[0]:.2g} to {limits[1]:.2g} (95 %), {len(values)} times"
    return Figure(what, statistics.mean(values), unit, goal, spread, limits)


def report(figures: Iterable[Figure]) -> None:
    """Print when and where, and the table, ready for README.md."""
    revision, load = this_revision(CHECKOUT), os.getloadavg()[0]
    click.echo(
        f"{datetime.now(UTC):%Y-%m-%d}, commit {revision.commit[:10]}, load {load:.1f}: {this_machine().title}\n"
    )
    click.echo("| figure | measured | spread | goal | met |\n|---|---|---|---|---|")
    for figure in figures:
        click.echo(figure.row())
