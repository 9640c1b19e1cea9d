"""What a machine is: runs from different machines are never pooled."""

from __future__ import annotations

import hashlib
import os
import platform
import re
from functools import cache
from pathlib import Path

import msgspec
import psutil

_CGROUP = Path("/sys/fs/cgroup")


class Machine(msgspec.Struct, frozen=True):
    """The machine, as far as it decides about times. Memory in bytes, quota in cores."""

    cpu: str
    cores: int
    memory: int
    kernel: str
    system: str
    virtualisation: str
    governor: str
    quota: float | None = None

    @property
    def id(self) -> str:
        """A short name for machines that may be compared; says nothing about who runs them."""
        key = (self.cpu, self.cores, self.quota, round(self.memory / 2**30), self.kernel, self.virtualisation)
        return hashlib.sha256(repr(key).encode()).hexdigest()[:10]

    @property
    def title(self) -> str:
        """One line for people."""
        quota = "" if self.quota is None else f", limited to {self.quota:g}"
        return f"{self.cpu}, {self.cores} cores{quota}, {self.memory / 2**30:.0f} GiB, {self.system}"


@cache
def this_machine() -> Machine:
    """The machine that this runs on."""
    return Machine(
        cpu=_cpu(),
        cores=os.cpu_count() or 1,
        memory=psutil.virtual_memory().total,
        kernel=platform.release(),
        system=_system(),
        virtualisation=_virtualisation(),
        governor=_text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") or "not visible",
        quota=_quota(),
    )


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


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


def _quota() -> float | None:
    """The cgroup's CPU limit in cores, where there is one (version 2: `cpu.max` holds quota and period in us)."""
    quota, _, period = _text(_CGROUP / "cpu.max").partition(" ")
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() else None
