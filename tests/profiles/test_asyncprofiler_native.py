from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perflab.profile import asyncprofiler as session
from perflab.profile.asyncprofiler import collect, native_session, provide

if TYPE_CHECKING:
    from perflab.profile.profile import Mode, Profile

pytestmark = [pytest.mark.build, pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")]

SOURCE = Path(__file__).parent / "programs" / "contention.c"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    binary = tmp_path_factory.mktemp("native") / "contention"
    subprocess.run([shutil.which("cc") or "cc", "-O1", "-g", "-pthread", "-o", binary, SOURCE], check=True)
    return binary


def profiled(program: Path, folder: Path, mode: Mode) -> Profile:
    session = native_session(mode, provide(), folder, os.environ)
    environment = {**os.environ, **session.environment}
    run = subprocess.run([program, "1000"], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout == '{"type": "end"}\n', "standard output belongs to the bench protocol"
    return collect(session)


@pytest.mark.parametrize("mode", ["cpu", "wall", "lock"])
def test_the_critical_section_is_found_in_every_mode_a_native_program_has(
    program: Path, tmp_path: Path, mode: Mode
) -> None:
    profile = profiled(program, tmp_path, mode)
    assert profile.unit == "ns"
    found = sum(w for s, w in profile.stacks.items() if "critical_section" in s)
    assert found > 0.3 * profile.total


def test_native_allocation_is_in_bytes(program: Path, tmp_path: Path) -> None:
    profile = profiled(program, tmp_path, "alloc")
    assert profile.unit == "bytes"
    assert profile.total > 0


def test_small_allocations_weigh_as_many_bytes_as_large_ones_if_they_are(tmp_path: Path) -> None:
    binary = tmp_path / "allocation"
    # Without optimisation: an allocation whose result nobody needs would be left out.
    command = [shutil.which("cc") or "cc", "-O0", "-o", str(binary), str(SOURCE.with_name("allocation.c"))]
    subprocess.run(command, check=True)
    session = native_session("alloc", provide(), tmp_path, os.environ)
    subprocess.run([binary], env={**os.environ, **session.environment}, check=True)
    profile = collect(session)
    for function in ("in_small_pieces", "in_large_pieces", "in_one_piece"):
        assert sum(w for s, w in profile.stacks.items() if function in s) == pytest.approx(10_000_000, rel=0.01)


@pytest.mark.parametrize("allowed", [True, False])
def test_cpu_samples_add_up_to_the_cpu_time_that_the_kernel_counted(
    allowed: bool, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if allowed and not session.perf_events_allowed():
        pytest.skip("perf events are not allowed here")
    monkeypatch.setattr(session, "perf_events_allowed", lambda: allowed)
    watched = native_session("cpu", provide(), tmp_path, os.environ)
    with subprocess.Popen(
        [program, "1000"], env={**os.environ, **watched.environment}, stdout=subprocess.DEVNULL
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    counted_ns = 1e9 * (usage.ru_utime + usage.ru_stime)
    # Wide, because the kernel counts the profiler's own work too; an interval that is not kept is off by four.
    assert 0.6 < collect(watched).total / counted_ns < 1.4
