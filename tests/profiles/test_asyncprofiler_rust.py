"""Rust under the profiler: names as they stand in the source, whichever of its two manglings the compiler used."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perflab.profile.asyncprofiler import collect, native_session, provide
from perflab.profile.profile import charges

if TYPE_CHECKING:
    from perflab.profile.profile import Mode, Profile

RUSTC = shutil.which("rustc") or shutil.which("rustc", path=str(Path.home() / ".cargo" / "bin"))
SOURCE = Path(__file__).parent / "programs" / "contention.rs"
SECTION = "contention::critical_section"

pytestmark = [pytest.mark.build, pytest.mark.skipif(RUSTC is None, reason="no Rust compiler")]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    binary = tmp_path_factory.mktemp("rust") / "contention"
    command = [str(RUSTC), "--edition", "2024", "-O", "-C", "debuginfo=line-tables-only", "-o", str(binary)]
    subprocess.run([*command, str(SOURCE)], check=True)
    return binary


def profiled(program: Path, folder: Path, mode: Mode, asleep_ms: int = 0) -> Profile:
    session = native_session(mode, provide(), folder, os.environ)
    environment = {**os.environ, **session.environment}
    run = subprocess.run([program, "1000", str(asleep_ms)], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout == '{"type": "end"}\n', "standard output belongs to the bench protocol"
    return collect(session)


def share(profile: Profile, frame: str) -> float:
    return sum(weight for stack, weight in profile.stacks.items() if frame in stack) / profile.total


@pytest.mark.parametrize("mode", ["cpu", "wall"])
def test_the_critical_section_is_found(program: Path, tmp_path: Path, mode: Mode) -> None:
    profile = profiled(program, tmp_path, mode)
    assert profile.unit == "ns"
    assert share(profile, SECTION) > 0.3


def test_who_waits_for_a_mutex_of_rusts_own_shows_in_wall(program: Path, tmp_path: Path) -> None:
    # Whoever sleeps with the mutex keeps the others waiting, however few of them get a processor.
    profile = profiled(program, tmp_path, "wall", asleep_ms=5)
    waiting = {stack: weight for stack, weight in profile.stacks.items() if SECTION in stack and stack[-1] != SECTION}
    assert waiting, "four threads take turns at one mutex"
    charged = charges(profile.stacks)
    assert SECTION in [one.frame for one in charged[:2]]


def test_bytes_are_charged_to_who_allocates(program: Path, tmp_path: Path) -> None:
    profile = profiled(program, tmp_path, "alloc")
    assert profile.unit == "bytes"
    deliver = "<contention::broker::Inbox<alloc::vec::Vec<u8>> as contention::broker::Subscriber>::deliver"
    assert share(profile, deliver) > 0.5
    assert charges(profile.stacks)[0].frame == deliver


def test_names_are_the_same_in_every_build_and_plumbing_is_left_out(program: Path, tmp_path: Path) -> None:
    frames = {frame for stack in profiled(program, tmp_path, "alloc").stacks for frame in stack}
    assert not [frame for frame in frames if "{{" in frame or "#" in frame or "backtrace" in frame]
    assert not [frame for frame in frames if frame.endswith("_hook")]
    assert "contention::broker::publish" in frames
