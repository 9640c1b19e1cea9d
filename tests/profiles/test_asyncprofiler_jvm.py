from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perflab.host.jdk import find_jdk
from perflab.profile.asyncprofiler import collect, provide, sessions
from perflab.profile.frames import VIRTUAL_THREAD
from perflab.profile.profile import Profile, complement
from perflab.profile.tree import root_causes
from perflab.topics.manifest import Cause

if TYPE_CHECKING:
    from perflab.host.jdk import Jdk
    from perflab.profile.profile import Mode

pytestmark = pytest.mark.build

RUN_MS = 1500
SOURCE = Path(__file__).parent / "programs" / "Contention.java"


@pytest.fixture(scope="module")
def jdk() -> Jdk:
    return find_jdk(21)


@pytest.fixture(scope="module")
def classes(jdk: Jdk, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classes")
    subprocess.run([jdk.home / "bin" / "javac", "-d", folder, SOURCE], check=True)
    return folder


def profiled(jdk: Jdk, classes: Path, folder: Path, mode: Mode, threads: str) -> Profile:
    parts = []
    for session in sessions(mode, provide(), folder, os.environ, virtual_threads=threads == "virtual"):
        environment = {**os.environ, **session.environment}
        command = [jdk.java, "-cp", classes, "Contention", threads, str(RUN_MS)]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert run.stdout == '{"type": "end"}\n', "standard output belongs to the bench protocol"
        parts.append(collect(session, title=threads))
    whole = parts[0]
    for part in parts[1:]:
        whole = complement(whole, part)
    return whole


def weight(profile: Profile, frame: str) -> float:
    return sum(weight for stack, weight in profile.stacks.items() if any(frame in name for name in stack))


def test_cpu_time_is_that_of_the_spinning_methods_and_never_of_the_sleep(
    jdk: Jdk, classes: Path, tmp_path: Path
) -> None:
    profile = profiled(jdk, classes, tmp_path, "cpu", "platform")
    assert profile.unit == "ns"
    assert weight(profile, "Contention.spin") > 0.3 * profile.total
    assert weight(profile, "Contention.nap") < 0.2 * weight(profile, "Contention.spin")


def test_wall_time_shows_sleeping_and_blocking_and_leaves_the_idle_runtime_out(
    jdk: Jdk, classes: Path, tmp_path: Path
) -> None:
    profile = profiled(jdk, classes, tmp_path, "wall", "platform")
    causes = [
        Cause("sleeping", "wall", r"Contention\.nap"),
        Cause("waiting for a lock", "wall", r"Contention\.hold(Lock|Monitor)"),
    ]
    table = root_causes(profile, causes)
    sleeping, waiting, _ = table.rows
    assert sleeping.share > 0.05
    assert sleeping.off_cpu_share is not None
    assert sleeping.off_cpu_share > 0.8
    assert waiting.share > 0.05
    assert sum(row.share for row in table.rows) == pytest.approx(1)
    assert profile.counters["runtime_threads_idle_ns"] > 0
    assert weight(profile, "Reference$ReferenceHandler") < 0.02 * profile.total
    # Four workers and the main thread, no more: the JVM's own threads would make it a dozen.
    assert profile.total < 8 * RUN_MS * 1e6 * 1.5


def test_lock_time_is_that_of_both_kinds_of_locks_in_nanoseconds(jdk: Jdk, classes: Path, tmp_path: Path) -> None:
    profile = profiled(jdk, classes, tmp_path, "lock", "platform")
    assert profile.unit == "ns"
    assert weight(profile, "Contention.holdLock") > 1e6
    assert weight(profile, "Contention.holdMonitor") > 1e6
    # The first sleep may wait for a class to be initialised, which is a lock; sleeping itself is none.
    assert weight(profile, "Contention.nap") < 0.2 * profile.total
    assert profile.total < 4 * RUN_MS * 1e6 * 1.5


def test_allocation_is_in_bytes_and_ends_in_the_class(jdk: Jdk, classes: Path, tmp_path: Path) -> None:
    profile = profiled(jdk, classes, tmp_path, "alloc", "platform")
    assert profile.unit == "bytes"
    arrays = sum(w for s, w in profile.stacks.items() if s[-1] == "byte[]" and "Contention.allocate" in s)
    assert arrays > 0.8 * profile.total
    assert arrays > 100 * 4096


def test_parked_virtual_threads_show_in_wall_mode(jdk: Jdk, classes: Path, tmp_path: Path) -> None:
    profile = profiled(jdk, classes, tmp_path, "wall", "virtual")
    naps = {
        s: w for s, w in profile.stacks.items() if "Contention.nap" in s and s[-1].startswith("java.lang.VirtualTh")
    }
    assert naps
    assert all(stack[0] == VIRTUAL_THREAD for stack in naps)
    assert sum(naps.values()) > 0.1 * RUN_MS * 1e6
    assert any("monitor" in note for note in profile.notes)


def test_virtual_threads_that_sleep_are_no_lock_contention(jdk: Jdk, classes: Path, tmp_path: Path) -> None:
    profile = profiled(jdk, classes, tmp_path, "lock", "virtual")
    assert weight(profile, "Contention.holdLock") > 0
    assert weight(profile, "Contention.nap") == 0


def test_the_notes_say_what_is_missing_when_virtual_threads_were_not_asked_for(tmp_path: Path) -> None:
    (session,) = sessions("wall", Path("lib.so"), tmp_path, {})
    assert any("virtual" in note for note in session.notes)
