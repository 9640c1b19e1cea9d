"""How busy the machine is with other things: before a run, which waits for a while, and while it runs."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import psutil

if TYPE_CHECKING:
    from collections.abc import Callable


RUN_QUEUE_LIMIT = 0.5
"""Runnable threads per core, other than ours, above which a run is said to be disturbed."""

STEAL_LIMIT = 0.05
"""Share of the processors' time that the hypervisor gives to others, above which a run is said to be disturbed."""

OTHERS_LIMIT = 0.1
"""The same of the time that other processes of this machine take."""

_SHORTEST_S = 0.5
"""Of all processors: in less, a tick more or less is a large part."""

_LOOKS = 5
_BETWEEN_LOOKS_S = 0.05
_BETWEEN_TRIES_S = 0.5


class Load(msgspec.Struct, frozen=True):
    """Other work on the machine.

    `run_queue` counts other runnable threads before the run, `waited_s` is how long it waited for them; `steal` and
    `others` are shares of the processors' time: what the hypervisor gave to others, and what other processes took.
    """

    run_queue: float
    steal: float
    others: float = 0.0
    waited_s: float = 0.0

    def warnings(self) -> list[str]:
        """Return warnings for the result's reader; none if the machine was quiet."""
        found = []
        if self.waited_s > 0:
            found.append(f"waited {self.waited_s:.0f} s for the machine to become quiet before this started")
        if busy := busy_warning(self.run_queue):
            found.append(busy)
        if self.steal > STEAL_LIMIT:
            found.append(
                f"the hypervisor took {self.steal:.0%} of the processors' time while this ran: intervals are wide"
            )
        if self.others > OTHERS_LIMIT:
            found.append(f"other processes took {self.others:.0%} of the processors' time while this ran")
        return found


def run_queue() -> float:
    """Return the mean number of other runnable threads over a quarter of a second.

    The load average looks back a minute and would count perflab's last run.
    """
    looks = []
    for look in range(_LOOKS):
        if look:
            time.sleep(_BETWEEN_LOOKS_S)
        try:
            running = int(Path("/proc/loadavg").read_text(encoding="ascii").split()[3].partition("/")[0])
        except (OSError, ValueError, IndexError):
            return 0.0
        looks.append(max(running - 1, 0))
    return sum(looks) / len(looks)


def busy_warning(queue: float) -> str:
    """A warning if more runs on this machine than a measurement should share it with, else an empty string."""
    if not _is_busy(queue):
        return ""
    cores = os.cpu_count() or 1
    return f"the machine was busy before this started ({queue:.1f} threads on {cores} cores): intervals are wide"


def _is_busy(queue: float) -> bool:
    return queue > RUN_QUEUE_LIMIT * (os.cpu_count() or 1)


class LoadWatch:
    """Watches the load from its creation on, or from the end of `wait`."""

    def __init__(self) -> None:
        self.run_queue = run_queue()
        self.waited_s = 0.0
        self._begin()

    def wait(self, patience_s: float, waiting: Callable[[float], None] | None = None) -> None:
        """Wait until the machine is quiet, at most `patience_s`; `waiting` is called once, with the run queue."""
        begun = time.monotonic()
        if patience_s > 0 and _is_busy(self.run_queue):
            if waiting is not None:
                waiting(self.run_queue)
            while _is_busy(self.run_queue) and time.monotonic() < begun + patience_s:
                time.sleep(min(_BETWEEN_TRIES_S, patience_s))
                self.run_queue = run_queue()
            self.waited_s = time.monotonic() - begun
        self._begin()

    def _begin(self) -> None:
        self._before = psutil.cpu_times(), ours_s()

    def so_far(self) -> Load:
        """The load between the begin of this watch and now."""
        (before, ours_before), now = self._before, psutil.cpu_times()
        total = sum(now) - sum(before)
        if total < _SHORTEST_S:
            return Load(run_queue=self.run_queue, steal=0.0, waited_s=self.waited_s)
        stolen = getattr(now, "steal", 0.0) - getattr(before, "steal", 0.0)
        others = _busy_s(now) - _busy_s(before) - (ours_s() - ours_before)
        return Load(
            run_queue=self.run_queue,
            steal=stolen / total,
            others=max(others, 0.0) / total,
            waited_s=self.waited_s,
        )


def _busy_s(times: object) -> float:
    """Sum the processor time of all processes; guests count as users."""
    return sum(getattr(times, name, 0.0) for name in ("user", "nice", "system"))


def ours_s() -> float:
    """Sum the processor time of this process and its children, ended or running."""
    return _with_ended_s(own := psutil.Process()) + sum(map(_with_ended_s, own.children(recursive=True)))


def _with_ended_s(process: psutil.Process) -> float:
    """Return the processor time of a process and its ended children; 0 if it ends meanwhile."""
    try:
        times = process.cpu_times()
    except psutil.Error:
        return 0.0
    return times.user + times.system + times.children_user + times.children_system
