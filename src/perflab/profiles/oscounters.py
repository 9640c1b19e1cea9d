"""The operating system's own numbers of a process and all it started: switches, faults, CPU time, waiting for a CPU."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

import psutil

from perflab.profiles.reading import Reading

if TYPE_CHECKING:
    import resource
    import subprocess
    from types import TracebackType

_NS_PER_S = 1_000_000_000
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
            alive = self._sample()
            if not alive:
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


class _Thread:
    __slots__ = ("involuntary", "voluntary", "wait_ns")

    def __init__(self, voluntary: int, involuntary: int, wait_ns: int) -> None:
        self.voluntary = voluntary
        self.involuntary = involuntary
        self.wait_ns = wait_ns


class _Process:
    __slots__ = ("major_faults", "minor_faults", "system_ns", "user_ns")

    def __init__(self, minor_faults: int, major_faults: int, user_ns: float, system_ns: float) -> None:
        self.minor_faults = minor_faults
        self.major_faults = major_faults
        self.user_ns = user_ns
        self.system_ns = system_ns


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
    return _Process(minor, major, user * _tick_ns(), system * _tick_ns())


def machine_steal_ns() -> float:
    """CPU time of the whole machine that the hypervisor gave away since it booted, in ns; zero where unknown."""
    try:
        fields = (_PROC / "stat").read_text().splitlines()[0].split()
        return int(fields[_STEAL_FIELD]) * _tick_ns()
    except (OSError, IndexError, ValueError):
        return 0.0


def _tick_ns() -> float:
    return _NS_PER_S / os.sysconf("SC_CLK_TCK")


def _of_usage(usage: resource.struct_rusage) -> dict[str, float]:
    return {
        "voluntary_switches": usage.ru_nvcsw,
        "involuntary_switches": usage.ru_nivcsw,
        "minor_faults": usage.ru_minflt,
        "major_faults": usage.ru_majflt,
        "user_ns": usage.ru_utime * _NS_PER_S,
        "system_ns": usage.ru_stime * _NS_PER_S,
    }
