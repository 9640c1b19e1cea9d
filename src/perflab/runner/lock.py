"""One measurement at a time: two at once measure each other. The lock is the user's, as all outside the checkout is."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from perflab.errors import MissingError, TakenError
from perflab.paths import LOCK_DIR
from perflab.toolchains import hold

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
def measurement_lock(folder: Path = LOCK_DIR, wait: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the machine's measurement lock. A thread that holds it may take it again.

    The operating system frees it when this process has ended, however it ended, and with it all that it had started
    for the measurement.

    Args:
        folder: Where it is.
        wait: Told for whom is waited, once, if somebody else holds it; without it that is an error.

    Raises:
        TakenError: If somebody else holds it.
        MissingError: If it cannot be made.
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
