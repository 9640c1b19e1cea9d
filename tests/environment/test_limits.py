"""Limits of control groups of both versions, as containers show them, and what follows from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from runs import MACHINE

from perflab.host.machine import GIB, Limits, find_limits

if TYPE_CHECKING:
    from pathlib import Path

NONE = 2**63 - 4096
"""What version 1 says where there is no limit."""


def limits(folder: Path, files: dict[str, object], own: str, **environment: str) -> Limits:
    for name, content in files.items():
        file = folder / "cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{content}\n")
    (folder / "own").write_text(own)
    return find_limits(folder / "cgroup", folder / "own", environment)


@pytest.mark.parametrize(
    ("files", "own", "expected"),
    [
        # Version 2: a container with a namespace of its own sees its group as the root.
        ({"memory.max": 2 * GIB, "cpu.max": "100000 100000"}, "0::/\n", Limits(2 * GIB, 1.0)),
        ({"memory.max": "max", "cpu.max": "max 100000"}, "0::/\n", Limits()),
        ({"cpu.max": "150000 100000"}, "0::/\n", Limits(None, 1.5)),
        # Without one it sees where it is, and what holds above holds here.
        (
            {"pods/a/memory.max": "max", "pods/memory.max": GIB, "pods/a/cpu.max": "50000 100000", "memory.max": "max"},
            "0::/pods/a\n",
            Limits(GIB, 0.5),
        ),
        ({"a/memory.max": 3 * GIB, "memory.max": 4 * GIB}, "0::/a\n", Limits(3 * GIB)),
        # A sibling's limit is not ours.
        ({"a/memory.max": GIB, "b/memory.max": "max"}, "0::/b\n", Limits()),
        # The path is the host's and leads nowhere in here: the mount's root is our group.
        ({"memory.max": GIB}, "0::/../../kubepods/a\n", Limits(GIB)),
        # Version 1, with its controllers together or alone.
        (
            {
                "memory/a/memory.limit_in_bytes": 2 * GIB,
                "cpu,cpuacct/a/cpu.cfs_quota_us": 100_000,
                "cpu,cpuacct/a/cpu.cfs_period_us": 100_000,
            },
            "5:memory:/a\n3:cpu,cpuacct:/a\n1:name=systemd:/a\n",
            Limits(2 * GIB, 1.0),
        ),
        (
            {"memory/memory.limit_in_bytes": NONE, "cpu/cpu.cfs_quota_us": -1, "cpu/cpu.cfs_period_us": 100_000},
            "5:memory:/\n3:cpu:/\n",
            Limits(),
        ),
        ({"memory/memory.limit_in_bytes": GIB}, "5:memory:/docker/0123\n", Limits(GIB)),
        # Both at once: version 2 for order, version 1 for limits.
        (
            {"memory/a/memory.limit_in_bytes": GIB, "unified/a/cgroup.procs": ""},
            "4:memory:/a\n0::/a\n",
            Limits(GIB),
        ),
        ({}, "", Limits()),
        ({"memory.max": "nonsense", "cpu.max": "100000 0"}, "nonsense\n::\n", Limits()),
    ],
)
def test_the_tightest_limit_is_found(tmp_path: Path, files: dict[str, object], own: str, expected: Limits) -> None:
    assert limits(tmp_path, files, own) == expected


def test_on_binder_the_hubs_word_is_a_limit_and_else_the_usual(tmp_path: Path) -> None:
    assert find_limits(tmp_path / "nothing", tmp_path / "none", {}) == Limits()
    binder = {"BINDER_LAUNCH_HOST": "https://mybinder.org/"}
    assert limits(tmp_path, {}, "", **binder) == Limits(2 * GIB, 1.0)
    assert limits(tmp_path, {}, "", **binder, MEM_LIMIT=str(4 * GIB), CPU_LIMIT="2.0") == Limits(4 * GIB, 2.0)
    assert limits(tmp_path, {}, "", **binder, MEM_LIMIT="two", CPU_LIMIT="") == Limits(2 * GIB, 1.0)
    assert limits(tmp_path, {"memory.max": GIB}, "0::/", **binder) == Limits(GIB, 1.0)


@pytest.mark.parametrize(
    ("changes", "small"),
    [
        ({}, ""),
        ({"cores": 1}, "one core with 16 GiB"),
        ({"quota": 1.0, "memory_limit": 2 * GIB}, "one core with 2 GiB"),
        ({"quota": 0.5}, "0.5 cores with 16 GiB"),
        ({"allowed": 1}, "one core with 16 GiB"),
        ({"memory_limit": 2 * GIB}, "2 cores with 2 GiB"),
        ({"memory": 2_080_000_000}, "2 cores with 1.94 GiB"),
        ({"memory_limit": 3 * GIB}, ""),
        ({"quota": 1.5}, ""),
    ],
)
def test_a_small_machine_says_what_it_may_use(changes: dict[str, float], small: str) -> None:
    machine = msgspec.structs.replace(MACHINE, **changes)
    assert machine.small == small
    assert ("limited to" in machine.title) == bool({"quota", "memory_limit", "allowed"} & set(changes))


def test_limits_are_part_of_a_machines_name_and_without_any_it_is_that_of_earlier_runs() -> None:
    changes: list[dict[str, float]] = [{}, {"quota": 1.0}, {"memory_limit": 2 * GIB}, {"allowed": 1}]
    assert len({msgspec.structs.replace(MACHINE, **one).id for one in changes}) == len(changes)
    old = msgspec.json.decode(msgspec.json.encode(MACHINE), type=dict)
    del old["memory_limit"], old["allowed"]
    assert msgspec.convert(old, type(MACHINE)).id == MACHINE.id == "41095a2829"
