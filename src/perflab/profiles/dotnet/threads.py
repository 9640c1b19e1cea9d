"""How long each thread of a process ran, was ready to, and slept: the operating system's own account, by name."""

from __future__ import annotations

import os
import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from perflab.profiles.profile import NO_STACKS, Profile
from perflab.profiles.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from perflab.profiles.profile import Stack

_PROC = Path("/proc")
RUNTIMES_OWN = ".NET runtime"
# Linux cuts a thread's name after 15 characters. Long Runni(ng) is the one that hands events to listeners.
_HOUSEKEEPING = re.compile(
    r"\.NET (SynchManag|EventPipe|DebugPipe|Debugger|SigHandler|Finalizer|Tiered Com|TP Gate|Timer|Long Runni)"
    r"|\.NET (BGC|Server GC|Sockets)|dotnet-diag"
)
_NUMBER = re.compile(r"[\s#-]*\d+$")

RUNNING = "(on a processor)"
READY = "(ready, no processor free)"
ASLEEP = "(asleep)"


def group(name: str) -> str:
    """A thread's name without its number: what the threads of a pool have in common."""
    return RUNTIMES_OWN if is_runtimes_own(name) else _NUMBER.sub("", name) or name


def is_runtimes_own(name: str) -> bool:
    """Whether every .NET program has this thread, to wait all its life: no worker of the runtime's pool is one."""
    return bool(_HOUSEKEEPING.match(name))


@dataclass
class _Seen:
    """A thread between two looks; times in ns."""

    name: str
    first_ns: int
    last_ns: int
    running_ns: int
    ready_ns: int
    running_before_ns: int
    ready_before_ns: int


class ThreadTimes:
    """Watches the threads of one process until `finish`, from a thread of its own.

    What a thread did before the first look at it, and after the last, is not in the account: up to one period each.
    Threads whose names differ by a number at the end are one group, as the workers of a pool are.

    Args:
        pid: The process.
        period_s: Between two looks, in seconds.
    """

    def __init__(self, pid: int, period_s: float = 0.02) -> None:
        self._folder = _PROC / str(pid) / "task"
        self._period_s = period_s
        self._seen: dict[int, _Seen] = {}
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="thread-times", daemon=True)

    def start(self) -> Self:
        """Begin to watch."""
        self._watcher.start()
        return self

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

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
        """In place of stacks: a frame for each group of threads, and one for what they did.

        Args:
            why: Why there are no stacks.
            title: What was profiled.
            operations: How many it did, where known.
        """
        stacks: dict[Stack, float] = {
            (group, state): ns for group, states in self.groups().items() for state, ns in states.items() if ns > 0
        }
        note = f"{NO_STACKS}{why}; only what the system knows of each thread"
        return Profile("wall", "ns", stacks, {}, title, operations, (note,))

    def groups(self) -> Mapping[str, Mapping[str, float]]:
        """Nanoseconds by group and state."""
        self._stop()
        found: dict[str, dict[str, float]] = {}
        for seen in self._seen.values():
            states = found.setdefault(group(seen.name), {RUNNING: 0.0, READY: 0.0, ASLEEP: 0.0})
            running = float(seen.running_ns - seen.running_before_ns)
            ready = float(seen.ready_ns - seen.ready_before_ns)
            states[RUNNING] += running
            states[READY] += ready
            # The account of a thread on a processor lags behind by up to a tick of the kernel.
            states[ASLEEP] += max(seen.last_ns - seen.first_ns - running - ready, 0.0)
        return dict(sorted(found.items()))

    def _stop(self) -> None:
        self._ended.set()
        if self._watcher.is_alive():
            self._watcher.join()

    def _watch(self) -> None:
        while not self._ended.is_set():
            try:
                tids = [int(name) for name in os.listdir(self._folder)]  # noqa: PTH208 - hot path
            except OSError:
                return  # the process has ended
            for tid in tids:
                self._look(tid)
            self._ended.wait(self._period_s)

    def _look(self, tid: int) -> None:
        try:
            name = (self._folder / str(tid) / "comm").read_text().strip()
            # ns on a processor, ns waiting for one, time slices (Documentation/scheduler/sched-stats.rst)
            running, ready = map(int, (self._folder / str(tid) / "schedstat").read_text().split()[:2])
        except (OSError, ValueError):
            return  # it ended between listing and reading; its last values stay
        now = time.monotonic_ns()
        seen = self._seen.setdefault(tid, _Seen(name, now, now, running, ready, running, ready))
        seen.name, seen.last_ns, seen.running_ns, seen.ready_ns = name, now, running, ready
