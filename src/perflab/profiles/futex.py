"""How often a program asked the kernel to sleep on, or to wake, a lock: its futex calls.

A lock that is free costs none, so that their number per operation tells contention and lost wake-ups apart from work.
"""

from __future__ import annotations

import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

from perflab.profiles.reading import Reading
from perflab.profiles.tracepoints import tracepoint_allowed

if TYPE_CHECKING:
    from types import TracebackType

_TRACEPOINT = "syscalls:sys_enter_futex"
_END_TIMEOUT_S = 10

NOT_AVAILABLE = "futex calls are not available here: that needs perf, root and the kernel's tracepoints"


class FutexCounter:
    """Counts the futex calls of a process, from `start` to `finish`, where this machine has and allows `perf`.

    `perf stat` counts a kernel tracepoint and disturbs little; strace, which would work in more places, stops the
    program twice per call and so changes what is counted. Threads that the process starts later are counted, calls
    before `start` are not.

    Args:
        pid: The process.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._scratch = tempfile.TemporaryDirectory(prefix="perflab-futex-")
        self._output = Path(self._scratch.name) / "counts"
        self._command: list[str] = []
        if tracepoint_allowed(_TRACEPOINT):
            self._command = ["perf", "stat", "-x", ",", "-e", _TRACEPOINT, "-p", str(pid), "-o", str(self._output)]
        self._tool: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        """Begin to count."""
        if self._command:
            self._tool = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        return self

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self._scratch.cleanup()

    def finish(self) -> Reading:
        """Stop counting.

        Returns:
            `futex_calls`, or nothing but a note that says what was missing. Never fails: a measurement goes on without.
        """
        self._end()
        if not self._command:
            return Reading(notes=(NOT_AVAILABLE,))
        calls = _calls(self._output) if self._output.is_file() else None
        self._scratch.cleanup()
        if calls is None:
            return Reading(notes=(f"{NOT_AVAILABLE} (perf could not attach to process {self._pid})",))
        return Reading({"futex_calls": calls})

    def _end(self) -> None:
        tool, self._tool = self._tool, None
        if tool is None:
            return
        # On SIGINT it writes what it counted; when the program has ended it ends by itself.
        if tool.poll() is None:
            tool.send_signal(signal.SIGINT)
        try:
            tool.wait(_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            tool.kill()
            tool.wait()


def _calls(output: Path) -> float | None:
    for line in output.read_text().splitlines():
        fields = line.split(",")
        if _TRACEPOINT in fields:
            return float(fields[0]) if fields[0].isdigit() else None  # "<not counted>", "<not supported>"
    return None
