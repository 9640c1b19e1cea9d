"""Two steps at a time: one that measures, which waits much, and beside it one that does not."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

from perflab.selftest.running import Result, run_step

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perflab.selftest.steps import Step


class Listener(Protocol):
    """Who is told; of one step at a time."""

    def begun(self, step: Step) -> None:
        """It runs now."""

    def ended(self, step: Step, result: Result, printed: str) -> None:
        """It is over, and has printed this."""


def run_steps(steps: Sequence[Step], listener: Listener) -> list[Result]:
    """Run all steps; those that measure one after the other, and the others one after the other beside them.

    Returns:
        What came of each, in the order of `steps`.
    """
    lanes = [[step for step in steps if step.measures is measures] for measures in (True, False)]
    told, stopped = threading.Lock(), threading.Event()
    results: dict[str, Result] = {}

    def drive(lane: Iterable[Step], folder: Path) -> None:
        for step in lane:
            if stopped.is_set():
                return
            with told:
                listener.begun(step)
            path = folder / step.name
            with path.open("w", encoding="utf-8") as output:
                results[step.name] = run_step(step, output, stopped)
            with told:
                listener.ended(step, results[step.name], path.read_text(encoding="utf-8", errors="replace"))

    with TemporaryDirectory() as folder, ThreadPoolExecutor(len(lanes)) as pool:
        running = [pool.submit(drive, lane, Path(folder)) for lane in lanes]
        try:
            for lane in running:
                lane.result()
        finally:
            # On Ctrl-C the steps under way end, and no others begin.
            stopped.set()
    return [results[step.name] for step in steps if step.name in results]
