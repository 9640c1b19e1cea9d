"""How often a program asked the kernel to sleep on, or to wake, a lock: its futex calls.

A lock that is free costs none, so that their number per operation tells contention and lost wake-ups apart from work.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

from perflab.profiles.reading import Reading

if TYPE_CHECKING:
    from types import TracebackType

_TRACEPOINT = "syscalls:sys_enter_futex"
_TRACEPOINT_FOLDERS = (
    Path("/sys/kernel/tracing/events/syscalls/sys_enter_futex"),
    Path("/sys/kernel/debug/tracing/events/syscalls/sys_enter_futex"),
)
_PTRACE_SCOPE = Path("/proc/sys/kernel/yama/ptrace_scope")
_END_TIMEOUT_S = 10

NOT_AVAILABLE = "futex calls are not available here: that needs perf or strace as root"
STRACE_NOTE = "futex calls were counted with strace, which stops the program at each: do not read times from this run"


class FutexCounter:
    """Counts the futex calls of a process, from `start` to `finish`, with what this machine has and allows.

    `perf stat` counts a kernel tracepoint and disturbs little. `strace` is the second choice and only on request,
    because it stops the program twice per call. Threads that the process starts later are counted, calls before
    `start` are not.

    Args:
        pid: The process.
        strace: Whether to fall back to strace.
    """

    def __init__(self, pid: int, *, strace: bool = False) -> None:
        self._pid = pid
        self._scratch = tempfile.TemporaryDirectory(prefix="perflab-futex-")
        self._output = Path(self._scratch.name) / "counts"
        self._command: list[str] = []
        self._notes: tuple[str, ...] = ()
        if perf := _perf():
            self._command = [perf, "stat", "-x", ",", "-e", _TRACEPOINT, "-p", str(pid), "-o", str(self._output)]
            self._read = _of_perf
        elif strace and (tool := _strace()):
            self._command = [tool, "-f", "-c", "-e", "trace=futex", "-p", str(pid), "-o", str(self._output)]
            self._read = _of_strace
            self._notes = (STRACE_NOTE,)
        else:
            self._notes = (NOT_AVAILABLE,)
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
            return Reading(notes=self._notes)
        calls = self._read(self._output) if self._output.is_file() else None
        self._scratch.cleanup()
        if calls is None:
            return Reading(notes=(f"{NOT_AVAILABLE} ({self._command[0]} could not attach to process {self._pid})",))
        return Reading({"futex_calls": calls}, self._notes)

    def _end(self) -> None:
        tool, self._tool = self._tool, None
        if tool is None:
            return
        # On SIGINT both tools write what they counted; when the program has ended they end by themselves.
        if tool.poll() is None:
            tool.send_signal(signal.SIGINT)
        try:
            tool.wait(_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            tool.kill()
            tool.wait()


def _perf() -> str | None:
    perf = shutil.which("perf")
    readable = any(os.access(folder / "id", os.R_OK) for folder in _TRACEPOINT_FOLDERS)
    return perf if perf and os.geteuid() == 0 and readable else None


def _strace() -> str | None:
    # With a ptrace scope above zero a process may trace its own descendants only, and strace is a sibling.
    try:
        restricted = int(_PTRACE_SCOPE.read_text()) > 0
    except (OSError, ValueError):
        restricted = False
    return shutil.which("strace") if os.geteuid() == 0 or not restricted else None


def _of_perf(output: Path) -> float | None:
    for line in output.read_text().splitlines():
        fields = line.split(",")
        if _TRACEPOINT in fields:
            return float(fields[0]) if fields[0].isdigit() else None  # "<not counted>", "<not supported>"
    return None


def _of_strace(output: Path) -> float | None:
    # % time, seconds, usecs/call, calls, [errors,] syscall
    for line in output.read_text().splitlines():
        fields = line.split()
        if fields and fields[-1] == "futex":
            return float(fields[3])
    return 0.0
