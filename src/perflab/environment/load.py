"""How busy the machine is with other things: the run queue before a run, and steal while it runs."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec
import psutil

RUN_QUEUE_LIMIT = 0.5
"""Runnable threads per core, other than ours, above which a run is said to be disturbed."""

STEAL_LIMIT = 0.05
"""Share of the processors' time that the hypervisor gives to others, above which a run is said to be disturbed."""

_LOOKS = 5
_BETWEEN_LOOKS_S = 0.05


class Load(msgspec.Struct, frozen=True):
    """Other threads that wanted to run just before, and the share of CPU time stolen while it ran."""

    run_queue: float
    steal: float

    def warning(self) -> str:
        """What to tell the user, or an empty string if the machine was quiet."""
        if self.steal > STEAL_LIMIT:
            return f"the hypervisor took {self.steal:.0%} of the processors' time while this ran: intervals are wide"
        return busy_warning(self.run_queue)


def run_queue() -> float:
    """Mean number of runnable threads but our own, over a quarter of a second.

    The load average looks back a minute and would count the lab's own last run.
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
    cores = os.cpu_count() or 1
    if queue > RUN_QUEUE_LIMIT * cores:
        return f"the machine was busy before this started ({queue:.1f} threads on {cores} cores): intervals are wide"
    return ""


class LoadWatch:
    """Watches the load from its creation on."""

    def __init__(self) -> None:
        self.run_queue = run_queue()
        self._before = psutil.cpu_times()

    def so_far(self) -> Load:
        """The load between the creation of this watch and now."""
        before, now = self._before, psutil.cpu_times()
        total = sum(now) - sum(before)
        stolen = getattr(now, "steal", 0.0) - getattr(before, "steal", 0.0)
        return Load(run_queue=self.run_queue, steal=stolen / total if total > 0 else 0.0)
