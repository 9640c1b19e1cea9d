"""OS counters of a process and its children: context switches, page faults, CPU time, run-queue wait."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import signal
import struct
import subprocess
import tempfile
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Self

import psutil

from perflab.host.processes import run_group, start
from perflab.profile.profile import Reading
from perflab.profile.threads import PROC, Watcher, schedule, thread_ids

if TYPE_CHECKING:
    import resource


_NS_PER_S = 1_000_000_000
_MOST_SHARE = 0.01
"""Reading /proc costs CPU time that the program may want; with thousands of threads the period stretches."""


class CounterSampler(Watcher):
    """Watches a process and its descendants.

    The time on run queues is the sum of what each thread showed last: up to one period per thread is missing, and
    threads that lived shorter than that. All else is what the kernel adds up by itself, and exact.
    """

    def __init__(self, pid: int, period_s: float = 0.05) -> None:
        super().__init__(period_s, _MOST_SHARE)
        self._pid = pid
        self._waits_ns: dict[tuple[int, int], int] = {}
        self._threads_max = 0
        self._steal_before_ns = _machine_steal_ns()

    def finish(self, usage: resource.struct_rusage | None = None) -> Reading:
        """Stop watching.

        Returns:
            With the usage `voluntary_switches`, `involuntary_switches`, `minor_faults`, `major_faults`, `user_ns` and
            `system_ns`. Besides `run_queue_wait_ns` (ready to run, but no CPU free), `threads_max` (at once, at the
            sampling instants), and `machine_steal_ns` (the hypervisor gave the whole machine's CPUs to somebody else).
        """
        self.stop()
        counters = _of_usage(usage) if usage else {}
        if not PROC.is_dir():
            return Reading(counters, ("scheduler counters are not available here: no /proc",))
        counters["machine_steal_ns"] = _machine_steal_ns() - self._steal_before_ns
        if not self._waits_ns:
            note = "the process ended before its first sample: no time on run queues, no number of threads"
            return Reading(counters, (note,))
        sampled = {"run_queue_wait_ns": sum(self._waits_ns.values()), "threads_max": self._threads_max}
        return Reading(sampled | counters)

    def look(self) -> None:
        """Read the counters of each thread of each process."""
        try:
            root = psutil.Process(self._pid)
            family = [root, *root.children(recursive=True)]
        except psutil.NoSuchProcess:
            raise ProcessLookupError from None
        threads = 0
        for member in family:
            try:
                tids = thread_ids(member.pid)
            except OSError:
                continue  # it ended between listing and reading; its last values stay
            threads += len(tids)
            for tid in tids:
                try:
                    self._waits_ns[member.pid, tid] = schedule(member.pid, tid)[1]
                except (OSError, ValueError):
                    continue
        self._threads_max = max(self._threads_max, threads)


def _machine_steal_ns() -> float:
    """Return the machine's steal time since boot in ns; zero where unknown."""
    return _NS_PER_S * float(getattr(psutil.cpu_times(), "steal", 0.0))


def _of_usage(usage: resource.struct_rusage) -> dict[str, float]:
    return {
        "voluntary_switches": usage.ru_nvcsw,
        "involuntary_switches": usage.ru_nivcsw,
        "minor_faults": usage.ru_minflt,
        "major_faults": usage.ru_majflt,
        "user_ns": usage.ru_utime * _NS_PER_S,
        "system_ns": usage.ru_stime * _NS_PER_S,
    }


_SYSCALL = {"x86_64": 298, "aarch64": 241}  # perf_event_open, in the kernel's tables of system calls
_TYPE_SOFTWARE = 1
_CONFIG_CPU_CLOCK = 0
_ATTRIBUTES_SIZE = 112  # PERF_ATTR_SIZE_VER5 of linux/perf_event.h
_PERIOD_NS = 1_000_000
_FLAG_DISABLED = 1


def perf_events_allowed() -> bool:
    """Return whether this process may open the profiler's event, kernel included.

    It tries, because a container's seccomp filter may refuse it whatever `perf_event_paranoid` and the user are. The
    profiler would then silently fall back to a timer, at an interval that this timer cannot keep.
    """
    number = _SYSCALL.get(platform.machine())
    if number is None or platform.system() != "Linux":
        return False
    head = struct.pack(
        "=IIQQQQQ", _TYPE_SOFTWARE, _ATTRIBUTES_SIZE, _CONFIG_CPU_CLOCK, _PERIOD_NS, 0, 0, _FLAG_DISABLED
    )
    attributes = ctypes.create_string_buffer(head, _ATTRIBUTES_SIZE)
    this_process, any_cpu, no_group, no_flags = 0, -1, -1, 0
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.syscall(number, attributes, this_process, any_cpu, no_group, ctypes.c_ulong(no_flags))
    if descriptor < 0:
        return False
    os.close(descriptor)
    return True


def tracepoint_allowed(event: str) -> bool:
    """Let perf count an event, such as `sched:sched_switch`, of a program that does nothing.

    Neither the user nor the files of tracefs tell: on a machine that has just started it is not mounted, and perf, run
    by root, mounts it by itself.
    """
    perf = shutil.which("perf")
    if perf is None:
        return False
    try:
        counted = run_group([perf, "stat", "-e", event, "--", "true"], timeout_s=_END_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return False
    return counted.returncode == 0


HARDWARE = {
    "hardware-instructions": "instructions:u",
    "hardware-cycles": "cycles:u",
    "hardware-cache-misses": "cache-misses:u",
    "hardware-mispredictions": "branch-misses:u",
}
"""perf's event of each of our counts."""


def hardware_stat(output: Path) -> list[str]:
    """Return the words that let perf count a command by the processor's counters."""
    return ["perf", "stat", "-x", ",", "-e", ",".join(HARDWARE.values()), "-o", str(output), "--"]


def read_hardware(text: str) -> dict[str, float]:
    """Return the counts in `perf stat`'s CSV; without an event that it could not count for the whole time."""
    rows = [line.split(",") for line in text.splitlines() if not line.startswith("#")]
    by_event = {row[2]: row for row in rows if len(row) > 4 and row[0].isdigit() and float(row[4]) == 100}  # noqa: PLR2004
    return {name: float(by_event[event][0]) for name, event in HARDWARE.items() if event in by_event}


@lru_cache(maxsize=1)
def hardware_allowed() -> bool:
    """Return whether this machine counts in hardware and lets perf read it; a virtual one often does not."""
    with tempfile.TemporaryDirectory(prefix="perflab-perf-") as folder, suppress(OSError, subprocess.TimeoutExpired):
        output = Path(folder, "counts")
        done = run_group([*hardware_stat(output), "true"], timeout_s=_END_TIMEOUT_S)
        return done.returncode == 0 and bool(read_hardware(output.read_text()))
    return False


def end_perf(perf: subprocess.Popen[bytes]) -> None:
    """End perf. It ends by itself soon after the process that it watches; on SIGINT it writes what it has."""
    try:
        perf.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        perf.send_signal(signal.SIGINT)
        try:
            perf.wait(_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            perf.kill()
            perf.wait()


_TRACEPOINT = "syscalls:sys_enter_futex"
_PATIENCE_S = 1
_END_TIMEOUT_S = 20

NOT_AVAILABLE = "futex calls are not available here: that needs perf, root and the kernel's tracepoints"


class FutexCounter:
    """Counts the futex calls of a process, from `start` to `finish`, where this machine has and allows `perf`.

    With a futex call a program asks the kernel to sleep on a lock or to wake another thread. A free lock costs none, so
    that their number per operation tells contention and lost wake-ups apart from work.

    `perf stat` counts a kernel tracepoint and disturbs little; strace, which would work in more places, stops the
    program twice per call and so changes what is counted. Threads that the process starts later are counted, calls
    before `start` are not.
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
        """Start counting."""
        if self._command:
            self._tool = start(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return self

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
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
        if tool is not None:
            tool.send_signal(signal.SIGINT)  # makes it print its counts
            end_perf(tool)


def _calls(output: Path) -> float | None:
    for line in output.read_text().splitlines():
        fields = line.split(",")
        if _TRACEPOINT in fields:
            return float(fields[0]) if fields[0].isdigit() else None  # "<not counted>", "<not supported>"
    return None
