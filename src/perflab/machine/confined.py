"""Libraries read what others have made in a process of its own, with limits of time and memory.

Parsers of Markdown, HTML and notebooks take the square of a length here and gigabytes there, and nobody knows all
of these places. What they are given may be anybody's; what they take is the machine's.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import time
from contextlib import suppress
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
_DONE, _FAILED = b"+", b"-"


def confined(work: Callable[[], str]) -> str:
    """What `work` returns, in a fork of this process: what else it changes is lost.

    Raises:
        TooMuchError: If it takes more time or memory than any document needs.
        ValueError: If it fails, with one line that says why.
    """
    ours, theirs = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(ours)
        _answer(work, theirs)
    os.close(theirs)
    try:
        answer = _read(ours, time.monotonic() + _WAITED_S)
    finally:
        os.close(ours)
        # It is gone, or is to go: also if this process was interrupted.
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    kind, text = answer[:1], answer[1:].decode("utf-8", "surrogatepass")
    if kind == _DONE:
        return text
    if kind == _FAILED:
        raise ValueError(text)
    raise TooMuchError(f"it takes more than {MOST_S} s, or more than {_MOST_BYTES >> 30} GiB of memory, to be read")


def _read(descriptor: int, deadline: float) -> bytes:
    """An answer; none if it is not whole: only the last byte says that it is."""
    found = bytearray()
    while len(found) <= _MOST_ANSWER and select.select([descriptor], [], [], max(deadline - time.monotonic(), 0))[0]:
        data = os.read(descriptor, _READ_BYTES)
        if not data:
            return bytes(found[-1:] + found[:-1])
        found += data
    return b""


def _answer(work: Callable[[], str], descriptor: int) -> NoReturn:
    """Write what `work` returns, or why it fails, with a last byte that says which of them, and end this process."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # Some libraries say how they die.
        os.dup2(os.open(os.devnull, os.O_RDWR), 2)
        size = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        for kind, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_CPU, MOST_S),
            (resource.RLIMIT_AS, size + _MOST_BYTES),
        ):
            resource.setrlimit(kind, (most, most))
        try:
            answer = work().encode("utf-8", "surrogatepass") + _DONE
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - libraries show somebody's file, and each fails in its own way
            known = isinstance(error, LabError | TooMuchError)
            reason = one_line(error if known else f"{type(error).__name__}: {error}")[:_LONGEST_REASON]
            answer = reason.encode() + _FAILED
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(answer)
    finally:
        # Nothing of what this process has begun is to be ended twice.
        os._exit(0)
