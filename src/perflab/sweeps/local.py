"""Measuring a sweep on this machine: its points one after the other, under one lock."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from perflab.environment import this_machine
from perflab.errors import BenchError, UsageError
from perflab.runner import execute
from perflab.store import PointRecord, keep_point, start_sweep
from perflab.sweeps.grid import label

if TYPE_CHECKING:
    from collections.abc import Callable

    from perflab.runner import Progress
    from perflab.store import Run
    from perflab.sweeps.grid import Point
    from perflab.sweeps.plan import SweepPlan


def measure_here(plan: SweepPlan, progress: Progress, finished: Callable[[Point, Run], None]) -> None:
    """Measure the points that this machine has not measured yet. The caller holds the measurement lock.

    A point at which nothing can be measured is noted with its reason, and the others go on.

    Args:
        plan: The sweep.
        progress: Told how it goes.
        finished: Called with each point and its run.

    Raises:
        MissingError: If something is missing on this machine.
        KeyboardInterrupt: On Ctrl-C; what was measured is kept.
    """
    sweep, machine = plan.sweep, this_machine()
    start_sweep(sweep.header)
    missing = [point for point in plan.points if not sweep.run_of(point, machine.id)]
    pace = Pace(progress, len(plan.points), len(missing))
    for point in missing:
        pace.begin(point)
        try:
            run = execute(plan.at(point), pace)
        except (BenchError, UsageError) as error:
            # What the scenario refuses at this point it may take at the next.
            progress.note(f"{label(point)}: {error}")
            keep_point(sweep, PointRecord(point, machine.id, why=str(error), title=machine.title))
        else:
            keep_point(sweep, PointRecord(point, machine.id, run=run.id, title=machine.title))
            finished(point, run)
        pace.end()


class Pace:
    """Tells of a point as a part of its sweep, and how long the rest will take.

    Args:
        whole: Who wants to know.
        points: How many there are.
        missing: How many of them have to be measured now.
    """

    def __init__(self, whole: Progress, points: int, missing: int) -> None:
        self._whole, self._points, self._missing = whole, points, missing
        self._begun = time.monotonic()
        self._ended = 0
        self._name = ""

    def begin(self, point: Point) -> None:
        """A point begins."""
        self._name = label(point)

    def end(self) -> None:
        """It has ended, measured or not."""
        self._ended += 1

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        """Pass it on at its place."""
        number = self._points - self._missing + self._ended
        left = None if seconds_left is None else seconds_left + self._per_point() * (self._missing - self._ended - 1)
        self._whole.update(
            (number + done) / self._points, f"point {number + 1} of {self._points}, {self._name}: {text}", left
        )

    def note(self, text: str) -> None:
        """Pass it on."""
        self._whole.note(f"{self._name}: {text}")

    def _per_point(self) -> float:
        elapsed = time.monotonic() - self._begun
        return elapsed / self._ended if self._ended else elapsed
