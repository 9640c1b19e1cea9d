"""Two steps at a time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

from perflab.selftest.running import Result, run_step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.selftest.steps import Step

_AT_ONCE = 2


class Listener(Protocol):
    """Who is told; of one step at a time."""

    def started(self, step: Step) -> None:
        """It runs now."""

    def ended(self, step: Step, result: Result, printed: str) -> None:
        """It is over, and has printed this."""


def run_steps(steps: Sequence[Step], listener: Listener, *, unless_unchanged: bool = False) -> list[Result]:
    """Run all steps, two at a time, in their order; of a group only one at a time.

    Returns:
        What came of each, in the order of `steps`.
    """
    waiting, groups = list(steps), set[str]()
    stopped, turn = threading.Event(), threading.Condition()
    results: dict[str, Result] = {}

    def take() -> Step | None:
        """The next step whose group does not run; None when no step is left."""
        with turn:
            while waiting and not stopped.is_set():
                for step in waiting:
                    if step.group not in groups:
                        waiting.remove(step)
                        groups.update({step.group} - {""})
                        listener.started(step)
                        return step
                turn.wait()
            return None

    def drive(folder: Path) -> None:
        while (step := take()) is not None:
            path = folder / step.name
            try:
                with path.open("w", encoding="utf-8") as output:
                    result = run_step(step, output, stopped, unless_unchanged=unless_unchanged)
            finally:
                with turn:
                    groups.discard(step.group)
                    turn.notify_all()
            with turn:
                results[step.name] = result
                listener.ended(step, result, path.read_text(encoding="utf-8", errors="replace"))

    with TemporaryDirectory() as folder, ThreadPoolExecutor(_AT_ONCE) as pool:
        running = [pool.submit(drive, Path(folder)) for _ in range(_AT_ONCE)]
        try:
            for lane in running:
                lane.result()
        finally:
            # On Ctrl-C the steps under way end, and no others start.
            stopped.set()
            with turn:
                turn.notify_all()
    return [results[step.name] for step in steps if step.name in results]
