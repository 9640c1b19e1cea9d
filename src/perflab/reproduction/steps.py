"""A sequence of long steps, shown as one piece of work."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perflab.runner import Progress


@dataclass(frozen=True)
class Step:
    """A step: what it does, and about how many seconds that takes."""

    text: str
    seconds: float
    work: Callable[[Progress], None]


def run_steps(steps: Sequence[Step], progress: Progress) -> None:
    """Run them in order, telling of all of them together how far they are and how long they still take."""
    total = sum(step.seconds for step in steps)
    ahead = total
    for step in steps:
        ahead -= step.seconds
        part = _Part(progress, before=total - ahead - step.seconds, step=step, ahead=ahead, total=total)
        part.update(0.0, step.text)
        step.work(part)


class _Part:
    """The progress of one step as a part of the whole."""

    def __init__(self, progress: Progress, *, before: float, step: Step, ahead: float, total: float) -> None:
        self._progress = progress
        self._before = before
        self._step = step
        self._ahead = ahead
        self._total = total
        self._begun = time.monotonic()

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        left = seconds_left
        if left is None:
            taken = time.monotonic() - self._begun
            # One that takes longer than expected goes on as it has begun.
            left = max(self._step.seconds, taken / done if done > 0 else taken) - taken
        self._progress.update((self._before + done * self._step.seconds) / self._total, text, left + self._ahead)

    def note(self, text: str) -> None:
        self._progress.note(text)
