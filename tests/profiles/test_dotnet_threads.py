from __future__ import annotations

import subprocess
import sys
import time

from perflab.profile.threads import ASLEEP, READY, RUNNING, ThreadTimes

# Three threads: the main one joins, one spins, one sleeps. Names through prctl, as threads of other runtimes have them.
PROGRAM = """
import ctypes, threading, time
libc = ctypes.CDLL(None)
def named(name, body):
    def run():
        libc.prctl(15, name, 0, 0, 0)
        body()
    thread = threading.Thread(target=run)
    thread.start()
    return thread
def spin():
    end = time.monotonic() + 1
    while time.monotonic() < end:
        pass
for thread in [named(b"worker 1", spin), named(b"worker 12", lambda: time.sleep(1))]:
    thread.join()
"""


def test_running_and_sleeping_are_told_apart_and_numbered_threads_are_one_group() -> None:
    program = subprocess.Popen([sys.executable, "-c", PROGRAM])
    with ThreadTimes(program.pid) as times:
        program.wait()
        reading = times.finish()
    groups = times.groups()
    workers = groups["worker"]
    assert reading.counters["thread:worker:running_ns"] == workers[RUNNING]
    assert workers[RUNNING] > 0
    assert workers[ASLEEP] > 0
    # Two threads that lived for as long: one of them never slept, the other never did anything else.
    assert workers[ASLEEP] < 0.7 * (workers[RUNNING] + workers[READY] + workers[ASLEEP])
    waiting = next(states for name, states in groups.items() if name != "worker")
    assert waiting[ASLEEP] > waiting[RUNNING]


def test_in_place_of_stacks_a_profile_says_so() -> None:
    program = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.3)"])
    with ThreadTimes(program.pid) as times:
        program.wait()
        profile = times.profile("not allowed", "sleeping", 3)
    assert profile.mode == "wall"
    assert {stack[1] for stack in profile.stacks} >= {ASLEEP}
    assert profile.stackless == "no stacks here: not allowed; only what the system knows of each thread"
    assert profile.notes == (profile.stackless,)


def test_a_process_that_is_gone_leaves_a_note() -> None:
    program = subprocess.Popen([sys.executable, "-c", ""])
    program.wait()
    with ThreadTimes(program.pid) as times:
        time.sleep(0.01)
        reading = times.finish()
    assert reading.counters == {}
    assert reading.notes
