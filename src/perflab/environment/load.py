"""How busy the machine is with other things: the run queue before a run, and steal while it runs."""

from __future__ import annotations

import os

import msgspec
import psutil

RUN_QUEUE_LIMIT = 0.5
"""Runnable threads per core, other than ours, above which a run is said to be disturbed."""

STEAL_LIMIT = 0.05
"""Share of the processors' time that the hypervisor gives to others, above which a run is said to be disturbed."""


class Load(msgspec.Struct, frozen=True):
    """Load while something ran: the one-minute load average before it, and the share of CPU time stolen."""

    run_queue: float
    steal: float

    def warning(self) -> str:
        """What to tell the user, or an empty string if the machine was quiet."""
        if self.steal > STEAL_LIMIT:
            return (
                f"the hypervisor took {self.steal:.0%} of the processors' time while this ran: intervals will be wide"
            )
        return busy_warning(self.run_queue)


def busy_warning(run_queue: float | None = None) -> str:
    """A warning if more runs on this machine than a measurement should share it with, else an empty string."""
    cores = os.cpu_count() or 1
    running = os.getloadavg()[0] if run_queue is None else run_queue
    if running > RUN_QUEUE_LIMIT * cores:
        return f"the machine was busy before this started (load {running:.1f} on {cores} cores): intervals will be wide"
    return ""


class LoadWatch:
    """Watches the load from its creation on."""

    def __init__(self) -> None:
        self._run_queue = os.getloadavg()[0]
        self._before = psutil.cpu_times()

    def so_far(self) -> Load:
        """The load between the creation of this watch and now."""
        before, now = self._before, psutil.cpu_times()
        total = sum(now) - sum(before)
        stolen = getattr(now, "steal", 0.0) - getattr(before, "steal", 0.0)
        return Load(run_queue=self._run_queue, steal=stolen / total if total > 0 else 0.0)
