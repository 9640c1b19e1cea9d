"""One measurement at a time: two at once measure each other. The lock is the user's, as all outside the checkout is."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from filelock import FileLock, Timeout

from perflab.machine.guard import hold
from perflab.model.errors import MissingError, TakenError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from filelock import BaseFileLock


def _read(holder: Path) -> str:
    try:
        return holder.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


_held = threading.local()


@contextmanager
def measurement_lock(folder: Path, wait: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the machine's measurement lock. A thread that holds it may take it again.

    The operating system frees it when this process and all that it started for the measurement have ended.

    Args:
        folder: Holds the lock file: `Lab.lock`.
        wait: Called once with a message if another process holds the lock; then this waits for it.

    Raises:
        TakenError: If another process holds it, and there is no `wait`.
        MissingError: If the lock file cannot be created.
    """
    mine: set[Path] = _held.__dict__.setdefault("folders", set())
    if folder in mine:
        yield
        return
    holder = folder / "measuring.txt"
    lock = FileLock(folder / "measuring.lock", timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _acquire(lock, holder, wait)
    except OSError as error:
        raise MissingError(f"cannot take the measurement lock: {error}", f"make {folder} writable") from None
    mine.add(folder)
    try:
        if (descriptor := lock._context.lock_file_fd) is not None:  # noqa: SLF001 - it has no public name
            hold(descriptor)
        holder.write_text(f"process {os.getpid()}: {' '.join(sys.argv[1:])}\n", encoding="utf-8")
        yield
    finally:
        mine.discard(folder)
        holder.unlink(missing_ok=True)
        lock.release()


def _acquire(lock: BaseFileLock, holder: Path, wait: Callable[[str], None] | None) -> None:
    try:
        lock.acquire()
    except Timeout:
        who = _read(holder) or "another process"
        if wait is None:
            raise TakenError(
                f"something else is being measured on this machine: {who}", "wait for it, or end it"
            ) from None
        wait(f"waiting until something else has been measured on this machine: {who}")
        lock.acquire(timeout=-1)


class Progress(Protocol):
    """Receives the progress of a long task."""

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        """Report progress; `done` runs from 0 to 1."""

    def note(self, text: str) -> None:
        """Report what a user must not miss: a warning, a dropped variant."""


class Portion:
    """Reports a part of a task, from `begin` to `end` (0 to 1), as progress of the whole.

    `after_s`: about how long the rest of the whole takes after this part, in seconds.
    """

    def __init__(
        self, whole: Progress, begin: float = 0.0, end: float = 1.0, after_s: Callable[[], float] = lambda: 0.0
    ) -> None:
        self._whole, self._begin, self._end, self._after_s = whole, begin, end, after_s

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        """Report progress of the part."""
        left = None if seconds_left is None else seconds_left + self._after_s()
        self._whole.update(self._begin + done * (self._end - self._begin), text, left)

    def note(self, text: str) -> None:
        """Pass a note on."""
        self._whole.note(text)
