"""One measurement at a time: two at once measure each other. The lock is the user's, as all outside the checkout is."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from perflab.errors import MissingError, TakenError
from perflab.paths import LOCK_DIR

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def _read(holder: Path) -> str:
    try:
        return holder.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


@contextmanager
def measurement_lock(folder: Path = LOCK_DIR) -> Iterator[None]:
    """Hold the machine's measurement lock; the operating system frees it when this process ends, however it ends.

    Raises:
        TakenError: If somebody else holds it.
        MissingError: If it cannot be made.
    """
    holder = folder / "measuring.txt"
    lock = FileLock(folder / "measuring.lock", timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        who = _read(holder) or "another process"
        raise TakenError(f"something else is being measured on this machine: {who}", "wait for it, or end it") from None
    except OSError as error:
        raise MissingError(f"cannot take the measurement lock: {error}", f"make {folder} writable") from None
    try:
        holder.write_text(f"process {os.getpid()}: {' '.join(sys.argv[1:])}\n", encoding="utf-8")
        yield
    finally:
        holder.unlink(missing_ok=True)
        lock.release()
