"""Machines: runs from different ones are never pooled."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import psutil

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


GIB = 2**30

CGROUPS = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")

SMALL_MEMORY = 2 * GIB
"""Maximum memory of a Binder session."""

_SMALL_CORES = 1.0

_BINDER = ("BINDER_LAUNCH_HOST", "BINDER_SERVICE_HOST", "BINDER_REPO_URL")
_NO_LIMIT = 2**60
_NO_CORES = 2**20


@dataclass(frozen=True)
class Limits:
    """Limits of memory, in bytes, and of CPU time, in cores; None if unlimited."""

    memory: int | None = None
    cores: float | None = None


@cache
def this_limits() -> Limits:
    """Return the limits of this process."""
    return find_limits(CGROUPS, OWN, os.environ)


def find_limits(cgroups: Path, own: Path, environment: Mapping[str, str]) -> Limits:
    """Return the tightest limits of this control group and its ancestors, of version 1 and 2.

    On Binder, whose groups are not always visible from inside, the variables MEM_LIMIT and CPU_LIMIT count too, or
    else the usual limits of a session there.
    """
    groups = list(_groups(cgroups, own))
    # Without a limit, version 2 has the word `max`, version 1 a number near the address space's size, or -1.
    memory = [_number(_text(group / name)) for group in groups for name in ("memory.max", "memory.limit_in_bytes")]
    cores = [quota / period for group in groups for quota, period in [_bandwidth(group)] if quota and period]
    on_binder = any(environment.get(name) for name in _BINDER)
    memory += [int(one) for one in _said(environment, "MEM_LIMIT", SMALL_MEMORY if on_binder else None)]
    cores += _said(environment, "CPU_LIMIT", _SMALL_CORES if on_binder else None)
    return Limits(
        min((one for one in memory if 0 < one < _NO_LIMIT), default=None),
        min((one for one in cores if 0 < one < _NO_CORES), default=None),
    )


def _groups(cgroups: Path, own: Path) -> Iterator[Path]:
    """Yield the folders of the process's groups and their ancestors."""
    # In a container with its own cgroup namespace the path may not exist: then use the mount's root.
    memberships = [("", "/"), ("memory", "/"), ("cpu", "/")]
    memberships += re.findall(r"^\d+:([^:]*):(/.*)$", _text(own), re.MULTILINE)
    for controllers, path in memberships:
        # The folder is named after one controller, or all that share it; one is a link to the other.
        for name in {controllers, *controllers.split(",")} if controllers else ("", "unified"):
            group = cgroups / name / path.lstrip("/")
            yield from (folder for folder in (group, *group.parents) if folder.is_relative_to(cgroups / name))


def _bandwidth(group: Path) -> tuple[int, int]:
    """Return quota and period in microseconds; zeros without a limit."""
    files = "cpu.cfs_quota_us", "cpu.cfs_period_us"
    quota, _, period = (_text(group / "cpu.max") or " ".join(_text(group / name) for name in files)).partition(" ")
    return _number(quota), _number(period)


def _said(environment: Mapping[str, str], name: str, otherwise: float | None) -> list[float]:
    try:
        return [float(environment[name])]
    except (KeyError, ValueError):
        return [] if otherwise is None else [otherwise]


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


# A machine sold with two gigabytes has slightly less.
_ABOUT = 1.05


_Bytes = Annotated[int, msgspec.Meta(ge=0, le=_NO_LIMIT)]
_Cores = Annotated[int, msgspec.Meta(ge=1, le=_NO_CORES)]


class Machine(msgspec.Struct, frozen=True):
    """The machine's properties that affect times. Memory in bytes, quota in cores.

    `quota` and `memory_limit` are the container's limits, `allowed` is the number of cores this process may run on;
    None if unlimited. `governor` is the CPU frequency governor.
    """

    cpu: str
    cores: _Cores
    memory: _Bytes
    kernel: str
    system: str
    virtualisation: str
    governor: str
    quota: Annotated[float, msgspec.Meta(gt=0, le=_NO_CORES)] | None = None
    memory_limit: _Bytes | None = None
    allowed: _Cores | None = None

    @property
    def id(self) -> str:
        """A short name, equal for machines whose runs are comparable."""
        key = (self.cpu, self.cores, self.quota, round(self.memory / GIB), self.kernel, self.virtualisation)
        # Without these limits, keep the id of runs made before perflab recorded them.
        more = (self.memory_limit, self.allowed)
        return hashlib.sha256(repr(key if more == (None, None) else key + more).encode()).hexdigest()[:10]

    @property
    def title(self) -> str:
        """A one-line description."""
        limits = f", limited to {self.share}" if (self.quota, self.memory_limit, self.allowed) != (None,) * 3 else ""
        return f"{self.cpu}, {self.cores} cores, {self.memory / GIB:.0f} GiB{limits}, {self.system}"

    @property
    def usable_cores(self) -> float:
        """Number of cores that a process may use, possibly a fraction."""
        return min(float(one) for one in (self.cores, self.quota, self.allowed) if one is not None)

    @property
    def usable_memory(self) -> int:
        """Memory that a process may use, in bytes."""
        return min(one for one in (self.memory, self.memory_limit) if one is not None)

    @property
    def share(self) -> str:
        """Usable cores and memory in words: one core with 2 GiB."""
        cores = "one core" if self.usable_cores == 1 else f"{self.usable_cores:g} cores"
        return f"{cores} with {self.usable_memory / GIB:.3g} GiB"

    @property
    def small(self) -> str:
        """The share, if small enough for perflab to choose a smaller scale; else empty."""
        return self.share if self.usable_cores <= 1 or self.usable_memory <= SMALL_MEMORY * _ABOUT else ""


@cache
def this_machine() -> Machine:
    """Return this machine."""
    limits, cores, memory = this_limits(), os.cpu_count() or 1, psutil.virtual_memory().total
    allowed = len(os.sched_getaffinity(0))
    return Machine(
        cpu=_cpu(),
        cores=cores,
        memory=memory,
        kernel=platform.release(),
        system=_system(),
        virtualisation=_virtualisation(),
        governor=_text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") or "not visible",
        quota=limits.cores,
        memory_limit=limits.memory if limits.memory is not None and limits.memory < memory else None,
        allowed=allowed if allowed < cores else None,
    )


def _cpu() -> str:
    match = re.search(r"^model name\s*:\s*(.+)$", _text("/proc/cpuinfo"), re.MULTILINE)
    return match[1] if match else platform.processor() or platform.machine()


def _system() -> str:
    match = re.search(r'^PRETTY_NAME="?([^"\n]+)', _text("/etc/os-release"), re.MULTILINE)
    return match[1] if match else platform.system()


def _virtualisation() -> str:
    if product := _text("/sys/class/dmi/id/product_name"):
        return product
    return (
        "virtual machine" if re.search(r"^flags\s*:.*\bhypervisor\b", _text("/proc/cpuinfo"), re.MULTILINE) else "none"
    )


RUN_QUEUE_LIMIT = 0.5
"""Other runnable threads per core, above which a run counts as disturbed."""

STEAL_LIMIT = 0.05
"""Share of CPU time that the hypervisor gives to others, above which a run counts as disturbed."""

OTHERS_LIMIT = 0.1
"""Share of CPU time that other processes take, above which a run counts as disturbed."""

_SHORTEST_S = 0.5
"""CPU time, summed over all processors, below which a tick is too large a share."""

_LOOKS = 5
_BETWEEN_LOOKS_S = 0.025
_BETWEEN_TRIES_S = 0.5


class Load(msgspec.Struct, frozen=True):
    """Other work on the machine.

    `run_queue` counts other runnable threads before the run, `waited_s` is the time spent waiting for them; `steal` and
    `others` are the shares of CPU time that the hypervisor gave to others, and that other processes took.
    """

    run_queue: float
    steal: float
    others: float = 0.0
    waited_s: float = 0.0

    @property
    def disturbs_threads(self) -> bool:
        """Others took so much time that threads which meet cannot be judged by what was measured."""
        return self.steal > STEAL_LIMIT or self.others > OTHERS_LIMIT

    def warnings(self) -> list[str]:
        """Return warnings about other work; none if the machine was quiet."""
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
    """Return the mean number of other runnable threads over a tenth of a second.

    The load average covers a minute and would include perflab's last run.
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
    """Return a warning if too much else runs on this machine, else an empty string."""
    if not _is_busy(queue):
        return ""
    cores = os.cpu_count() or 1
    return f"the machine was busy before this started ({queue:.1f} threads on {cores} cores): intervals are wide"


def _is_busy(queue: float) -> bool:
    return queue > RUN_QUEUE_LIMIT * (os.cpu_count() or 1)


class LoadWatch:
    """Watches the load since its creation, or since the end of `wait`."""

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
        """Return the load since the watch began."""
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
    """Sum the CPU time of all processes; guest time counts as user time."""
    return sum(getattr(times, name, 0.0) for name in ("user", "nice", "system"))


def ours_s() -> float:
    """Sum the CPU time of this process and its children, ended or running."""
    return _with_ended_s(own := psutil.Process()) + sum(map(_with_ended_s, own.children(recursive=True)))


def _with_ended_s(process: psutil.Process) -> float:
    """Return the CPU time of a process and its ended children; 0 if it ends meanwhile."""
    try:
        times = process.cpu_times()
    except psutil.Error:
        return 0.0
    return times.user + times.system + times.children_user + times.children_system
