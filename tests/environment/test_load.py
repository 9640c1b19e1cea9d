"""A machine with other work on it: a measurement waits for a while, watches, and says what it saw."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from perflab.host import machine as load
from perflab.host.machine import Load, LoadWatch
from perflab.host.processes import read
from perflab.host.spawner import Spawner

QUIET, BUSY = 0.0, 1e6
SPIN_S = 0.2
SPIN = f"import time\nwhile time.process_time() < {SPIN_S}: pass"


@pytest.fixture
def queues(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the next looks at the run queue find; the last one stays."""
    seen: list[float] = []
    monkeypatch.setattr(load, "run_queue", lambda: seen.pop(0) if len(seen) > 1 else seen[0])
    monkeypatch.setattr(load, "_BETWEEN_TRIES_S", 0.01)
    return seen


def test_on_a_quiet_machine_nobody_waits_and_nothing_is_said(queues: list[float]) -> None:
    queues[:] = [QUIET]
    told: list[float] = []
    watch = LoadWatch()
    watch.wait(10, told.append)
    assert (told, watch.waited_s) == ([], 0)
    assert Load(run_queue=watch.run_queue, steal=0.0, others=0.0, waited_s=watch.waited_s).warnings() == []


def test_it_waits_until_the_machine_is_quiet_and_says_that_it_waited(queues: list[float]) -> None:
    queues[:] = [BUSY, BUSY, QUIET]
    told: list[float] = []
    watch = LoadWatch()
    watch.wait(60, told.append)
    assert told == [BUSY]
    assert watch.run_queue == QUIET
    (said,) = Load(run_queue=watch.run_queue, steal=0.0, waited_s=watch.waited_s).warnings()
    assert said.startswith("waited ")


def test_when_its_patience_is_over_it_goes_on_and_says_that_the_machine_was_busy(queues: list[float]) -> None:
    queues[:] = [BUSY]
    watch = LoadWatch()
    watch.wait(0.05)
    assert watch.waited_s >= 0.05
    said = Load(run_queue=watch.run_queue, steal=0.0, waited_s=watch.waited_s).warnings()
    assert [one.partition(" ")[0] for one in said] == ["waited", "the"]


def test_without_patience_it_only_says_so(queues: list[float]) -> None:
    queues[:] = [BUSY]
    watch = LoadWatch()
    watch.wait(0)
    assert watch.waited_s == 0


class Times(NamedTuple):
    """Seconds of all processors since the machine started."""

    user: float
    nice: float
    system: float
    idle: float
    iowait: float
    steal: float


def test_others_have_what_is_neither_ours_nor_idle_nor_the_hypervisors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "run_queue", lambda: QUIET)
    times = [Times(10, 0, 5, 100, 1, 2), Times(15, 1, 7, 110, 2, 3)]  # 20 seconds, 8 of them busy
    ours = [3.0, 8.0]
    monkeypatch.setattr(load.psutil, "cpu_times", lambda: times.pop(0))
    monkeypatch.setattr(load, "ours_s", lambda: ours.pop(0))
    seen = LoadWatch().so_far()
    assert seen.others == pytest.approx(3 / 20)
    assert seen.steal == pytest.approx(1 / 20)


def test_children_that_have_ended_are_ours() -> None:
    before = load.ours_s()
    subprocess.run([sys.executable, "-c", SPIN], check=True)
    assert load.ours_s() - before > SPIN_S / 2  # it is counted in ticks


def test_what_a_spawner_started_is_ours_while_it_runs() -> None:
    with Spawner() as spawner:
        before = load.ours_s()
        process = spawner.start([sys.executable, "-c", SPIN], folder=Path("/"), environment={})
        read(process, lambda *_: None)
        process.wait()
        assert load.ours_s() - before > SPIN_S / 2


def test_much_work_of_others_is_said() -> None:
    (said,) = Load(run_queue=QUIET, steal=0.0, others=0.3).warnings()
    assert said.startswith("other processes took 30%")
    assert Load(run_queue=QUIET, steal=0.0, others=0.05).warnings() == []
