"""What has to happen sooner or later; no test asserts how soon."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE_S = 600


def wait_for(condition: Callable[[], object], what: str = "it did not come to that") -> None:
    """Wait until it holds."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def is_gone(pid: int) -> bool:
    """Whether no such process runs; one that has ended may still have its number, until its parent has seen it."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
