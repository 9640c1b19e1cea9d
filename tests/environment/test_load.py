"""A machine with other work on it: a measurement waits for a while, watches, and says what it saw."""

from __future__ import annotations

import subprocess
import sys
from collections import namedtuple
from pathlib import Path

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


@pytest.mark.parametrize(
    ("found", "patience_s", "told", "said"),
    [
        ([QUIET], 10, [], []),
        ([BUSY, BUSY, QUIET], 60, [BUSY], ["waited"]),
        ([BUSY], 0.05, [BUSY], ["waited", "the"]),
        ([BUSY], 0, [], ["the"]),
    ],
    ids=["quiet", "quiet after a while", "busy for longer than its patience", "busy and no patience"],
)
def test_it_waits_until_the_machine_is_quiet_and_says_what_it_saw(
    queues: list[float], found: list[float], patience_s: float, told: list[float], said: list[str]
) -> None:
    queues[:] = found
    heard: list[float] = []
    watch = LoadWatch()
    watch.wait(patience_s, heard.append)
    assert heard == told
    assert watch.run_queue == found[-1]
    assert (watch.waited_s > 0) == ("waited" in said)
    warnings = Load(run_queue=watch.run_queue, steal=0.0, others=0.0, waited_s=watch.waited_s).warnings()
    assert [one.partition(" ")[0] for one in warnings] == said


Times = namedtuple("Times", "user nice system idle iowait steal")  # noqa: PYI024


def test_others_have_what_is_neither_ours_nor_idle_nor_the_hypervisors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "run_queue", lambda: QUIET)
    times = [Times(10, 0, 5, 100, 1, 2), Times(15, 1, 7, 110, 2, 3)]  # 20 seconds, 8 of them busy
    ours = [3.0, 8.0]
    monkeypatch.setattr(load.psutil, "cpu_times", lambda: times.pop(0))
    monkeypatch.setattr(load, "ours_s", lambda: ours.pop(0))
    seen = LoadWatch().so_far()
    assert seen.others == pytest.approx(3 / 20)
    assert seen.steal == pytest.approx(1 / 20)


def test_children_that_have_ended_and_what_a_spawner_runs_are_ours() -> None:
    before = load.ours_s()
    subprocess.run([sys.executable, "-c", SPIN], check=True)
    assert load.ours_s() - before > SPIN_S / 2  # it is counted in ticks
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
