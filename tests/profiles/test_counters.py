from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from waiting import wait_for

from perflab.profile import counters as futex
from perflab.profile.counters import CounterSampler, FutexCounter, tracepoint_allowed
from perflab.profile.profile import Reading

if TYPE_CHECKING:
    import resource

pytestmark = pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the kernel's /proc is not here")

# 40 sleeps are at least 40 voluntary switches; 64 MiB touched are thousands of minor faults; a child does it again.
WORK = """
import subprocess, sys, threading, time
def sleep():
    for _ in range(40): time.sleep(0.002)
thread = threading.Thread(target=sleep); thread.start(); thread.join()
touched = bytearray(64 << 20)
for i in range(0, len(touched), 4096): touched[i] = 1
end = time.process_time() + 0.3
while time.process_time() < end: pass
if sys.argv[1:] == ["again"]: subprocess.run([sys.executable, *sys.orig_argv[1:-1]], check=True)
"""


def start(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WORK, *arguments])


def waited(process: subprocess.Popen[bytes]) -> resource.struct_rusage:
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage


def test_the_kernels_own_totals_are_taken_with_the_exit_status() -> None:
    process = start()
    with CounterSampler(process.pid) as sampler:
        counters = sampler.finish(waited(process)).counters
    assert counters["voluntary_switches"] >= 40
    assert counters["minor_faults"] >= 64 * 256 * 0.9 / 512  # with huge pages one fault brings 512 pages
    assert counters["user_ns"] + counters["system_ns"] >= 0.3e9 * 0.9
    assert counters["threads_max"] >= 1
    assert counters["run_queue_wait_ns"] >= 0
    assert counters["machine_steal_ns"] >= 0


def test_children_are_counted() -> None:
    process = start("again")
    with CounterSampler(process.pid, period_s=0.01) as sampler:
        reading = sampler.finish(waited(process))
    # Each of the two processes uses 0.3 s.
    assert reading.counters["user_ns"] + reading.counters["system_ns"] > 0.45e9


def test_a_process_that_was_too_quick_has_no_run_queue_time_instead_of_zero() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    with CounterSampler(process.pid) as sampler:
        reading = sampler.finish()
    assert "run_queue_wait_ns" not in reading.counters
    assert any("before its first sample" in note for note in reading.notes)


def test_without_any_tool_futex_calls_are_a_note_and_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with FutexCounter(1) as counter:
        reading = counter.finish()
    assert reading == Reading(notes=(futex.NOT_AVAILABLE,))


def test_what_perf_prints_is_read(tmp_path: Path) -> None:
    output = tmp_path / "counts"
    output.write_text("# started on Sat Nov 21 2026\n\n7471,,syscalls:sys_enter_futex,2504502368,100.00,,\n")
    assert futex._calls(output) == 7471  # noqa: SLF001 - needs root otherwise
    output.write_text("<not counted>,,syscalls:sys_enter_futex,0,100.00,,\n")
    assert futex._calls(output) is None  # noqa: SLF001


def has_event(pid: int) -> bool:
    """Whether a process has opened an event that perf counts."""
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            if str(descriptor.readlink()) == "anon_inode:[perf_event]":
                return True
    return False


@pytest.mark.build
@pytest.mark.skipif(not tracepoint_allowed("syscalls:sys_enter_futex"), reason="perf is not here or not allowed")
def test_contention_on_a_mutex_shows_in_futex_calls() -> None:
    contended = (
        "import threading, time\n"
        "input()\n"
        "event = threading.Semaphore(0)\n"
        "def wait():\n"
        "    for _ in range(20000): event.acquire()\n"
        "thread = threading.Thread(target=wait); thread.start()\n"
        "for _ in range(20000): event.release(); time.sleep(0)\n"
        "thread.join()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", contended], stdin=subprocess.PIPE)
    with FutexCounter(process.pid) as counter:
        wait_for(lambda: has_event(counter._tool.pid))  # noqa: SLF001 - perf needs a moment to attach
        process.communicate(b"\n")
        reading = counter.finish()
    assert reading.counters["futex_calls"] > 100
