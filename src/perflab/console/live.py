"""What a run or a sweep under way has measured until now, read from its folder: nothing is asked of who measures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from perflab.analysis import analyse
from perflab.errors import UsageError
from perflab.statistics.interval import MINIMUM_ROUNDS
from perflab.store import Run, Sweep, find_run, find_sweep
from perflab.store.header import FORKS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from perflab.analysis import Analysis

_Found = TypeVar("_Found", Run, Sweep)

_CLOCK_S = 1.0
"""Headers know seconds only."""


@dataclass(frozen=True)
class SoFar:
    """How far a run is.

    Attributes:
        run: Its name.
        rounds: Rounds that are whole.
        at_least: Rounds before it looks at its precision.
        at_most: Rounds after which it ends in any case.
        target: The half width at which it ends, 0.05 for 5 %.
    """

    run: str
    rounds: int
    at_least: int
    at_most: int
    target: float

    @property
    def text(self) -> str:
        """As in `3 of 8 to 30 rounds done, until ±2 %`."""
        most = f" to {self.at_most}" if self.at_most > self.at_least else ""
        return f"{self.rounds} of {self.at_least}{most} rounds done, until ±{100 * self.target:.3g} %"


def newest_run(since: float, results: Path | None = None) -> str | None:
    """The name of the newest run, if it began after `since` (seconds since the epoch)."""
    run = _newest(find_run, since, results)
    return run.id if run else None


def newest_sweep(since: float, results: Path | None = None) -> Sweep | None:
    """The newest sweep, if it began after `since` (seconds since the epoch)."""
    return _newest(find_sweep, since, results)


def so_far(name: str, results: Path | None = None) -> SoFar | None:
    """How far a run is; `None` if it cannot be read."""
    try:
        run = find_run(name, results)
    except UsageError:
        return None
    options = run.header.options
    return SoFar(
        name, _whole_rounds(run), int(options["min_rounds"]), int(options["max_rounds"]), options["half_width"]
    )


def figures_so_far(name: str, results: Path | None = None) -> Analysis | None:
    """The figures of a run that is under way, or was stopped; `None` if its rounds are too few for an interval."""
    try:
        run = find_run(name, results)
        if _whole_rounds(run) < MINIMUM_ROUNDS:
            return None
        analysis = analyse(run)
    except (UsageError, ValueError):
        return None
    return analysis if analysis.comparisons else None


def _newest(find: Callable[[str, Path | None], _Found], since: float, results: Path | None) -> _Found | None:
    try:
        found = find("latest", results)
    except UsageError:
        return None
    return found if datetime.fromisoformat(found.header.created).timestamp() >= since - _CLOCK_S else None


def _whole_rounds(run: Run) -> int:
    if run.ending is not None:
        return run.ending.rounds
    try:
        forks = (run.folder / f"{FORKS}.jsonl").read_bytes().count(b"\n")
    except OSError:
        return 0
    return forks // len(run.header.arms)
