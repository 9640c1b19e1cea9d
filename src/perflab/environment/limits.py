"""What a process may use of its machine: limits of memory and processors that a container sets by control groups."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_Number = TypeVar("_Number", bound=float)

GIB = 2**30

CGROUPS = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")

SMALL_MEMORY = 2 * GIB
"""What a session on Binder has at most."""

_SMALL_CORES = 1.0

_BINDER = ("BINDER_LAUNCH_HOST", "BINDER_SERVICE_HOST", "BINDER_REPO_URL")
# Version 1 has no word for "no limit", only a number near that of all addresses.
_NO_LIMIT = 2**60


@dataclass(frozen=True)
class Limits:
    """Limits, as far as there are any.

    Attributes:
        memory: In bytes.
        cores: Of processor time in each second of the clock.
    """

    memory: int | None = None
    cores: float | None = None


@cache
def this_limits() -> Limits:
    """Those of this process."""
    return find_limits(CGROUPS, OWN, os.environ)


def find_limits(cgroups: Path, own: Path, environment: Mapping[str, str]) -> Limits:
    """Read the limits of version 1 and 2, of this control group and all that it is in: the tightest holds.

    On Binder, whose groups are not always visible from inside, what the hub says in the environment is a limit, too;
    where it says nothing, it is what a session there usually has.

    Args:
        cgroups: Where control groups are mounted.
        own: What says in which of them the process is.
        environment: The process's environment.
    """
    memory: list[int] = []
    cores: list[float] = []
    for controllers, path in _memberships(own):
        if not controllers:
            for folder in (cgroups, cgroups / "unified"):
                memory += _found(folder, path, _memory_v2)
                cores += _found(folder, path, _cores_v2)
        if "memory" in controllers:
            memory += _found(cgroups / "memory", path, _memory_v1)
        if "cpu" in controllers:
            # The folder has the name of one controller, or of all that share it; the one is a link to the other.
            cores += _found(cgroups / "cpu", path, _cores_v1) or _found(
                cgroups / ",".join(controllers), path, _cores_v1
            )
    on_binder = any(environment.get(name) for name in _BINDER)
    memory += [int(one) for one in _said(environment, "MEM_LIMIT", SMALL_MEMORY if on_binder else None)]
    cores += _said(environment, "CPU_LIMIT", _SMALL_CORES if on_binder else None)
    return Limits(min((one for one in memory if 0 < one < _NO_LIMIT), default=None), min(cores, default=None))


def _memberships(own: Path) -> Iterator[tuple[list[str], str]]:
    """The controllers, none for version 2, and the group's path."""
    # In a container whose groups have a namespace of their own, the path may lead nowhere: then the mount's root holds.
    yield from (([], "/"), (["memory"], "/"), (["cpu"], "/"))
    for line in _text(own).splitlines():
        if match := re.fullmatch(r"\d+:([^:]*):(/.*)", line):
            yield match[1].split(",") if match[1] else [], match[2]


def _said(environment: Mapping[str, str], name: str, otherwise: float | None) -> list[float]:
    try:
        return [float(environment[name])]
    except (KeyError, ValueError):
        return [] if otherwise is None else [otherwise]


def _found(root: Path, path: str, read: Callable[[Path], _Number | None]) -> list[_Number]:
    group = root / path.lstrip("/")
    folders = [group, *(above for above in group.parents if above.is_relative_to(root))]
    values = (read(folder) for folder in folders)
    return [value for value in values if value is not None]


def _memory_v2(group: Path) -> int | None:
    return _number(_text(group / "memory.max"))


def _memory_v1(group: Path) -> int | None:
    return _number(_text(group / "memory.limit_in_bytes"))


def _cores_v2(group: Path) -> float | None:
    """`cpu.max` holds quota and period in microseconds."""
    quota, _, period = _text(group / "cpu.max").partition(" ")
    return _share(_number(quota), _number(period))


def _cores_v1(group: Path) -> float | None:
    """A quota of -1 is none."""
    return _share(_number(_text(group / "cpu.cfs_quota_us")), _number(_text(group / "cpu.cfs_period_us")))


def _share(quota: int | None, period: int | None) -> float | None:
    return quota / period if quota and period else None


def _number(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
