"""The operating system's own numbers of a process and all it started: switches, faults, CPU time, waiting for a CPU."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

import psutil

from perflab.profile.profile import Reading

if TYPE_CHECKING:
    import resource


_NS_PER_S = 1_000_000_000
_TICK_NS = _NS_PER_S / os.sysconf("SC_CLK_TCK")
_PROC = Path("/proc")
_STEAL_FIELD = 8
_MAX_SAMPLING_SHARE = 0.01
"""Reading /proc costs CPU time that the program may want; with thousands of threads the period stretches."""


def wait_with_usage(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> resource.struct_rusage:
    """Wait for a child and take its resource usage, which the kernel keeps until the parent asks, once.

    Its pipes must be read elsewhere, and nobody else may have waited for it.

    Raises:
        ChildProcessError: If it has been waited for before: its usage is gone.
    """
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage


class CounterSampler:
    """Watches a process tree from another thread until `finish`.

    What the kernel adds up by itself (switches, faults, CPU time) is exact when `finish` is given the resource usage
    from `wait_with_usage`. Without it, and always for the time on run queues, it is the sum of what each thread showed
    last: up to one period per thread is missing, and threads that lived shorter than that.

    Args:
        pid: The process; its descendants are found by themselves.
        period_s: Between two samples, in seconds.
    """

    def __init__(self, pid: int, period_s: float = 0.05) -> None:
        self._pid = pid
        self._period_s = period_s
        self._threads: dict[tuple[int, int], _Thread] = {}
        self._processes: dict[int, _Process] = {}
        self._threads_max = 0
        self._ended = threading.Event()
        self._sampler = threading.Thread(target=self._sample_until_ended, name="os-counters", daemon=True)
        self._steal_before_ns = 0.0

    def start(self) -> Self:
        """Begin to watch."""
        self._steal_before_ns = machine_steal_ns()
        self._sampler.start()
        return self

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self._stop()

    def finish(self, usage: resource.struct_rusage | None = None) -> Reading:
        """Stop watching.

        Args:
            usage: From `wait_with_usage`, if the process was waited for that way.

        Returns:
            `voluntary_switches`, `involuntary_switches`, `minor_faults`, `major_faults`, `user_ns`, `system_ns`,
            `run_queue_wait_ns` (ready to run, but no CPU free), `threads_max` (at once, at the sampling instants),
            and `machine_steal_ns` (the hypervisor gave the whole machine's CPUs to somebody else).
        """
        self._stop()
        if not _PROC.is_dir():
            return Reading(_of_usage(usage) if usage else {}, ("scheduler counters are not available here: no /proc",))
        counters: dict[str, float] = {
            "run_queue_wait_ns": sum(seen.wait_ns for seen in self._threads.values()),
            "threads_max": self._threads_max,
            "machine_steal_ns": machine_steal_ns() - self._steal_before_ns,
        }
        notes = []
        if usage is not None:
            counters |= _of_usage(usage)
        else:
            counters |= self._sampled()
            notes.append(
                f"counters were sampled every {1000 * self._period_s:.0f} ms: what came after the last is missing"
            )
        if not self._threads:
            notes.append("the process ended before its first sample: no time on run queues, no number of threads")
            del counters["run_queue_wait_ns"], counters["threads_max"]
        return Reading(counters, tuple(notes))

    def _sampled(self) -> dict[str, float]:
        return {
            "voluntary_switches": sum(seen.voluntary for seen in self._threads.values()),
            "involuntary_switches": sum(seen.involuntary for seen in self._threads.values()),
            "minor_faults": sum(seen.minor_faults for seen in self._processes.values()),
            "major_faults": sum(seen.major_faults for seen in self._processes.values()),
            "user_ns": sum(seen.user_ns for seen in self._processes.values()),
            "system_ns": sum(seen.system_ns for seen in self._processes.values()),
        }

    def _stop(self) -> None:
        self._ended.set()
        if self._sampler.is_alive():
            self._sampler.join()

    def _sample_until_ended(self) -> None:
        while not self._ended.is_set():
            began = time.thread_time()
            if not self._sample():
                return
            cost_s = time.thread_time() - began
            self._ended.wait(max(self._period_s, cost_s / _MAX_SAMPLING_SHARE))

    def _sample(self) -> bool:
        try:
            root = psutil.Process(self._pid)
            family = [root, *root.children(recursive=True)]
        except psutil.NoSuchProcess:
            return False
        threads = 0
        for member in family:
            try:
                self._processes[member.pid] = _read_process(member.pid)
                tids = [int(name) for name in os.listdir(_PROC / str(member.pid) / "task")]  # noqa: PTH208 - hot path
            except (OSError, ValueError, IndexError):
                continue  # it ended between listing and reading; its last values stay
            threads += len(tids)
            for tid in tids:
                try:
                    self._threads[member.pid, tid] = _read_thread(member.pid, tid)
                except (OSError, ValueError, IndexError):
                    continue
        self._threads_max = max(self._threads_max, threads)
        return True


class _Thread(NamedTuple):
    voluntary: int
    involuntary: int
    wait_ns: int


class _Process(NamedTuple):
    minor_faults: int
    major_faults: int
    user_ns: float
    system_ns: float


def _read_thread(pid: int, tid: int) -> _Thread:
    folder = _PROC / str(pid) / "task" / str(tid)
    switches = {"voluntary_ctxt_switches": 0, "nonvoluntary_ctxt_switches": 0}
    for line in (folder / "status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name in switches:
            switches[name] = int(value)
    # schedstat: ns on the CPU, ns waiting for one, time slices (Documentation/scheduler/sched-stats.rst).
    wait_ns = int((folder / "schedstat").read_text().split()[1])
    return _Thread(switches["voluntary_ctxt_switches"], switches["nonvoluntary_ctxt_switches"], wait_ns)


def _read_process(pid: int) -> _Process:
    # The command's name may hold spaces and parentheses; after the last parenthesis comes field 3 (proc(5)).
    fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    minor, major, user, system = int(fields[7]), int(fields[9]), int(fields[11]), int(fields[12])
    return _Process(minor, major, user * _TICK_NS, system * _TICK_NS)


def machine_steal_ns() -> float:
    """CPU time of the whole machine that the hypervisor gave away since it booted, in ns; zero where unknown."""
    try:
        fields = (_PROC / "stat").read_text().splitlines()[0].split()
        return int(fields[_STEAL_FIELD]) * _TICK_NS
    except (OSError, IndexError, ValueError):
        return 0.0


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
    """Try to open the event that the profiler samples with, kernel included, on this process.

    `perf_event_paranoid` and the user alone do not tell: a container's seccomp filter refuses root as well. The
    profiler would then fall back to a timer without saying so, at an interval that this timer cannot keep.
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
    counted = subprocess.run(
        [perf, "stat", "-e", event, "--", "true"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return counted.returncode == 0


# How often a program asked the kernel to sleep on, or to wake, a lock: its futex calls.
#
# A lock that is free costs none, so that their number per operation tells contention and lost wake-ups apart from work.


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
