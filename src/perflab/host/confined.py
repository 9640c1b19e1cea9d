"""Libraries read what others have made in a process of its own, with limits of time and memory.

Parsers of Markdown, HTML and notebooks take the square of a length here and gigabytes there, and nobody knows all
of these places. What they are given may be anybody's; what they take is the machine's.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from perflab.model.errors import LabError, one_line
from perflab.model.limits import TooMuchError

if TYPE_CHECKING:
    from collections.abc import Callable


MOST_S = 20
"""Of processor time; the lab's longest notebook takes two."""
_MOST_BYTES = 1 << 30
"""Of memory beside what this process has."""
_MOST_ANSWER = 1 << 26
"""Bytes."""
_WAITED_S = 300.0
"""A machine that is busy gives so much processor time in it."""
_LONGEST_REASON = 300
_READ_BYTES = 1 << 20
_DONE, _FAILED, _CUT = 0, 1, 2
"""How the process ends."""


def confined(work: Callable[[], str]) -> str:
    """What `work` returns, in a fork of this process: what else it changes is lost, and what it prints.

    Raises:
        TooMuchError: If it takes more time or memory than any document needs.
        ValueError: If it fails, with one line that says why.
    """
    ours, theirs = os.pipe()
    try:
        pid = os.fork()
    except OSError as error:
        os.close(ours)
        os.close(theirs)
        raise ValueError(f"cannot start a process to read it in: {one_line(error)}") from None
    if not pid:
        os.close(ours)
        _answer(work, theirs)
    os.close(theirs)
    whole = False
    try:
        answer, whole = _read(ours, time.monotonic() + _WAITED_S)
    finally:
        os.close(ours)
        if not whole:
            os.kill(pid, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status == _DONE:
        return answer.decode("utf-8", "surrogatepass")
    if status == _FAILED:
        raise ValueError(answer.decode("utf-8", "replace"))
    raise TooMuchError(f"it takes more than {MOST_S} s, or more than {_MOST_BYTES >> 30} GiB of memory, to be read")


def _read(descriptor: int, deadline: float) -> tuple[bytes, bool]:
    """What there is to read, and whether that is all: it may be too much, or take too long."""
    found = bytearray()
    while len(found) <= _MOST_ANSWER and select.select([descriptor], [], [], max(deadline - time.monotonic(), 0))[0]:
        data = os.read(descriptor, _READ_BYTES)
        if not data:
            return bytes(found), True
        found += data
    return b"", False


def _answer(work: Callable[[], str], descriptor: int) -> NoReturn:
    """Write what `work` returns, or why it fails, and end this process with a status that says which of them."""
    status = _CUT
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(silence, stream)
        # What shows progress may hold a lock of its own, whose holder is not here.
        sys.stdout = sys.stderr = os.fdopen(silence, "w", encoding="utf-8")
        size = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        for kind, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_CPU, MOST_S),
            (resource.RLIMIT_AS, size + _MOST_BYTES),
        ):
            _, hard = resource.getrlimit(kind)
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (least, least))
        answer, ended = _worked(work)
        with os.fdopen(descriptor, "wb") as pipe:
            pipe.write(answer)
        status = ended
    finally:
        # Nothing of what this process has begun is to be ended twice.
        os._exit(status)


def _worked(work: Callable[[], str]) -> tuple[bytes, int]:
    try:
        return work().encode("utf-8", "surrogatepass"), _DONE
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - libraries show somebody's file, and each fails in its own way
        known = isinstance(error, LabError | TooMuchError)
        reason = one_line(error if known else f"{type(error).__name__}: {error}")[:_LONGEST_REASON]
        return reason.encode(), _FAILED
