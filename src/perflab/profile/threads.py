"""Threads of a process, as the system sees them: how long each ran, waited for a processor and slept."""

from __future__ import annotations

import os
import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from perflab.profile.profile import Profile, Reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perflab.profile.profile import Stack


PROC = Path("/proc")
RUNTIMES_OWN = ".NET runtime"
# Linux truncates thread names to 15 characters. Long Runni(ng) dispatches events to listeners.
_HOUSEKEEPING = re.compile(
    r"\.NET (SynchManag|EventPipe|DebugPipe|Debugger|SigHandler|Finalizer|Tiered Com|TP Gate|Timer|Long Runni)"
    r"|\.NET (BGC|Server GC|Sockets)|dotnet-diag"
)
_NUMBER = re.compile(r"[\s#-]*\d+$")

RUNNING = "(on a processor)"
READY = "(ready, no processor free)"
"""Innermost frame of a thread that was preempted."""
ASLEEP = "(asleep)"


def group(name: str) -> str:
    """Strip the number from a thread's name, so that a pool's threads are grouped."""
    return RUNTIMES_OWN if is_runtimes_own(name) else _NUMBER.sub("", name) or name


def is_runtimes_own(name: str) -> bool:
    """Return whether this is an idle housekeeping thread of every .NET program; thread pool workers are not."""
    return bool(_HOUSEKEEPING.match(name))


def thread_ids(pid: int) -> list[int]:
    """Return the threads of a process."""
    return [int(name) for name in os.listdir(PROC / str(pid) / "task")]  # noqa: PTH208 - hot path


def schedule(pid: int, tid: int) -> tuple[int, int]:
    """Return a thread's nanoseconds on a CPU and on the run queue."""
    # Both, and its time slices (Documentation/scheduler/sched-stats.rst).
    running, ready, _ = (PROC / str(pid) / "task" / str(tid) / "schedstat").read_text().split()
    return int(running), int(ready)


class Watcher:
    """Samples a process periodically in a background thread, until stopped or until the process ends.

    Args:
        period_s: Seconds between two samples.
        most_share: Maximum share of one CPU; the period grows if sampling takes more.
    """

    def __init__(self, period_s: float, most_share: float = 1.0) -> None:
        self._period_s = period_s
        self._most_share = most_share
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name=type(self).__name__, daemon=True)

    def start(self) -> Self:
        """Start sampling."""
        self._watcher.start()
        return self

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop sampling."""
        self._ended.set()
        if self._watcher.is_alive():
            self._watcher.join()

    def look(self) -> None:
        """Look once."""
        raise NotImplementedError

    def _watch(self) -> None:
        while not self._ended.is_set():
            begun_s = time.thread_time()
            try:
                self.look()
            except OSError:
                return
            self._ended.wait(max(self._period_s, (time.thread_time() - begun_s) / self._most_share))


@dataclass
class _Seen:
    """A thread between two samples; times in ns."""

    name: str
    first_ns: int
    last_ns: int
    running_ns: int
    ready_ns: int
    running_before_ns: int
    ready_before_ns: int


class ThreadTimes(Watcher):
    """Watches the threads of one process.

    What a thread did before the first look at it, and after the last, is not in the account: up to one period each.
    Threads whose names differ by a number at the end are one group, as the workers of a pool are.
    """

    def __init__(self, pid: int, period_s: float = 0.02) -> None:
        super().__init__(period_s)
        self._pid = pid
        self._seen: dict[int, _Seen] = {}

    def finish(self) -> Reading:
        """Stop watching.

        Returns:
            For each group of threads `thread:NAME:running_ns`, `thread:NAME:ready_ns` and `thread:NAME:asleep_ns`.
        """
        counters = {
            f"thread:{group}:{state}_ns": ns
            for group, states in self.groups().items()
            for state, ns in zip(("running", "ready", "asleep"), states.values(), strict=True)
        }
        notes = () if counters else ("no thread was seen: the process ended too soon, or there is no /proc",)
        return Reading(counters, notes)

    def profile(self, why: str, title: str, operations: float | None) -> Profile:
        """Return a profile with, in place of stacks, a frame per thread group and one per state."""
        stacks: dict[Stack, float] = {
            (group, state): ns for group, states in self.groups().items() for state, ns in states.items() if ns > 0
        }
        note = f"no stacks here: {why}; only what the system knows of each thread"
        return Profile("wall", "ns", stacks, {}, title, operations, (note,), stackless=note)

    def groups(self) -> Mapping[str, Mapping[str, float]]:
        """Return nanoseconds by group and state."""
        self.stop()
        found: dict[str, dict[str, float]] = {}
        for seen in self._seen.values():
            states = found.setdefault(group(seen.name), {RUNNING: 0.0, READY: 0.0, ASLEEP: 0.0})
            running = float(seen.running_ns - seen.running_before_ns)
            ready = float(seen.ready_ns - seen.ready_before_ns)
            states[RUNNING] += running
            states[READY] += ready
            # Accounting of a running thread lags by up to a kernel tick.
            states[ASLEEP] += max(seen.last_ns - seen.first_ns - running - ready, 0.0)
        return dict(sorted(found.items()))

    def look(self) -> None:
        """Sample each thread."""
        for tid in thread_ids(self._pid):
            try:
                name = (PROC / str(self._pid) / "task" / str(tid) / "comm").read_text().strip()
                running, ready = schedule(self._pid, tid)
            except (OSError, ValueError):
                continue  # it ended between listing and reading; its last values stay
            now = time.monotonic_ns()
            seen = self._seen.setdefault(tid, _Seen(name, now, now, running, ready, running, ready))
            seen.name, seen.last_ns, seen.running_ns, seen.ready_ns = name, now, running, ready
