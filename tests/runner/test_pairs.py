"""Pairs that run at once: who may, where they run, and that nothing of them is left behind."""

from __future__ import annotations

import _thread
import itertools
import os
import threading
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from labs import FIXTURES, Lab
from waiting import is_gone

from perflab.host.machine import this_machine
from perflab.host.processes import end_group, start
from perflab.measure.fork import DELAY, Fork
from perflab.measure.pairs import (
    Pairing,
    Process,
    _pinned_crews,
    _threads,
    _Trial,
    _try,
    _waits,
    at_once,
    cores_for_pairs,
)
from perflab.model.protocol import Sample
from perflab.store.runs import find_run

if TYPE_CHECKING:
    from collections.abc import Callable

WHERE = (
    'python3 -c "import os; sum(range(3_000_000)); '
    "print(len(os.sched_getaffinity(0)), *os.sched_getaffinity(0), file=open('{0}', 'a'))\""
)


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    found = Lab(tmp_path, PERFLAB_COMPONENTS=str(FIXTURES / "components"), PERFLAB_CLAIMS=str(FIXTURES / "claims"))
    found.place = tmp_path
    return found


def test_a_pair_shares_a_core_and_is_compared_by_its_cpu_time(lab: Lab, tmp_path: Path) -> None:
    found = lab.json("bench", WHERE.format("one"), WHERE.format("two"), "--pairs", "sliced", "--rounds", "6")
    run = find_run("latest", lab.results)
    assert (run.header.pairs, found["pairs"], found["metric"]["name"]) == ("sliced", "sliced", "cpu")
    assert set(found["others"]) == {"memory"}  # the wall time is that of both
    rounds = Counter(round_ for round_, _ in set(run.forks().cells("round", "variant")))
    assert len(rounds) >= 6
    assert set(rounds.values()) == {2}
    # The first lines are of the runs that do not count, which ran apart.
    where = [line for name in ("one", "two") for line in (tmp_path / name).read_text().splitlines()[-6:]]
    assert {line.split()[0] for line in where} == {"1"}
    assert {int(line.split()[1]) for line in where} <= set(cores_for_pairs())


@pytest.mark.skipif(this_machine().usable_cores < 2, reason="one processor has no room for two processes at once")
def test_at_once_without_a_core_of_its_own_the_wall_time_stays(lab: Lab) -> None:
    found = lab.json("bench", "sleep 0.05", "sleep 0.06", "--pairs", "parallel", "--rounds", "6")
    run = find_run("latest", lab.results)
    assert (run.header.pairs, found["metric"]["name"]) == ("parallel", "time")
    assert found["comparisons"][0]["rounds"] == 6


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["sleep 0.2", "sleep 0.2"], "waits for"),
        (["true", "false", "--ignore-failure", "--prepare", "true"], "what runs around commands"),
        (["true", "false", "--ignore-failure", "--metric", "time"], "compared by CPU time"),
        (["true", "false", "--ignore-failure", "--export-json", "-"], "no wall time to export"),
        (["echo 1 ns", "echo 2 ns", "--pattern", "([0-9]+) ns"], "does not tell the CPU time"),
    ],
)
def test_what_cannot_share_a_core_is_refused_with_the_reason(lab: Lab, arguments: list[str], why: str) -> None:
    assert why in lab("bench", *arguments, "--pairs", "sliced", "--rounds", "6", status=2).stderr


def test_what_waits_is_never_compared_by_its_cpu_time(lab: Lab) -> None:
    found = lab.json("bench", "sleep 0.02", "sleep 0.02", "--rounds", "6")
    assert found["metric"]["name"] == "time"
    assert find_run("latest", lab.results).header.pairs in {"parallel", "apart"}


def test_a_few_rounds_are_run_apart_and_nothing_is_run_that_was_not_asked_for(lab: Lab, tmp_path: Path) -> None:
    lab.json("bench", "sh -c 'echo >> one'", "true", "--runs", "3")
    assert len((tmp_path / "one").read_text()) == 4  # once before
    assert find_run("latest", lab.results).header.pairs == "apart"


def sampled(wall_s: float, cpu_s: float, delay_s: float = 0.0) -> Fork:
    one = Sample(0, 1, wall_s * 1e9, counters={"cpu-ns": cpu_s * 1e9})
    return Fork([one], wall_s=wall_s, usage={"os:user_s": cpu_s, "os:system_s": 0.0, DELAY: delay_s})


def test_waiting_for_a_processor_is_no_waiting() -> None:
    assert _waits(sampled(1, 0.4, 0.59), 0) == pytest.approx(0.01)
    assert _waits(sampled(1, 0.4), 0.1) == pytest.approx(0.5)
    assert _threads(sampled(2, 1, 1)) == pytest.approx(1)
    assert _threads(sampled(1, 1.9)) == pytest.approx(1.9)


def test_hardware_threads_of_one_core_are_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3, 9})
    for number, siblings in enumerate(("0,2", "1,3", "0,2", "1,3")):
        folder = tmp_path / f"cpu{number}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(f"{siblings}\n")
    assert cores_for_pairs(tmp_path)[:3] in ([0, 1, 9], [0, 1], [0])  # a quota may allow fewer


def test_where_pinning_is_forbidden_there_are_no_pairs_on_a_core(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = _Trial([{"a": sampled(1, 1), "b": sampled(1, 1)}], 2.0)
    assert [len(crew) for crew in _pinned_crews(trial)] == [2] * len(cores_for_pairs())

    def forbid(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setaffinity", forbid)
    assert _pinned_crews(trial) == []


def test_pairs_at_once_leave_half_of_the_memory_free() -> None:
    large = sampled(1, 1)
    large.usage["os:max_rss_bytes"] = this_machine().usable_memory
    assert len(_pinned_crews(_Trial([{"a": large, "b": large}], 2.0))) == 1


def test_programs_that_need_different_memory_do_not_share_a_core(lab: Lab) -> None:
    large = "python3 -c 'bytearray(range(256)) * 160_000; sum(range(3_000_000))'"
    lab.json("bench", "python3 -c 'sum(range(3_000_000))'", large, "--rounds", "6")
    assert find_run("latest", lab.results).header.pairs in {"parallel", "apart"}


@pytest.mark.parametrize(
    ("round_s", "least", "rounds"), [(0.1, 3, 8), (0.3, 3, 3), (0.5, 3, 1), (0.1, 8, 8), (0.2, 8, 1)]
)
def test_a_trial_that_can_tell_nothing_ends_after_a_round(
    monkeypatch: pytest.MonkeyPatch, round_s: float, least: int, rounds: int
) -> None:
    now = iter(itertools.count(step=round_s))
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    pairing = SimpleNamespace(round=lambda _plan, arms, number, _order: [Process(arm, number, 0) for arm in arms])
    plan = SimpleNamespace(preset=SimpleNamespace(budget_s=10), arms=[SimpleNamespace(label="a")])
    found = _try(plan, pairing, None, share=0.1, least=least)  # type: ignore[arg-type]
    assert len(found.rounds) == rounds


def test_a_pair_that_differs_beside_each_other_is_told() -> None:
    alone = {"b": [0.0, 0.01, -0.01, 0.0]}
    pairing = Pairing("sliced", beside=alone)
    assert pairing.differs({"b": [0.2, 0.21, 0.19, 0.2]})["b"] == pytest.approx((1, 1.221), abs=0.01)
    assert pairing.differs({"b": [0.015, 0.01, 0.02, 0.015]}) == {}
    assert pairing.differs({}) == {}


def job(started: list[int], begun: threading.Barrier) -> Callable[[Callable[[int], None]], None]:
    def run(on_start: Callable[[int], None]) -> None:
        process = start(["sleep", "100"])
        started.append(process.pid)
        on_start(process.pid)
        begun.wait()
        process.wait()
        end_group(process)

    return run


@pytest.mark.parametrize("number", [1, 2])
def test_ctrl_c_leaves_neither_of_a_pair_behind(tmp_path: Path, number: int) -> None:
    started: list[int] = []
    begun = threading.Barrier(number + 1)

    def interrupt() -> None:
        begun.wait()
        _thread.interrupt_main()

    code = threading.Thread(target=interrupt)
    code.start()
    with pytest.raises(KeyboardInterrupt):
        at_once([lambda _: None] * (2 - number) + [job(started, begun)] * number, tmp_path)
    code.join()
    assert len(started) == number
    assert all(map(is_gone, started))
    assert Path.cwd() != tmp_path


def test_the_error_of_a_job_is_raised_when_both_have_ended(tmp_path: Path) -> None:
    done: list[int] = []

    def fail(_: Callable[[int], None]) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        at_once([fail, lambda _: done.append(1)], tmp_path)
    assert done == [1]


def test_a_process_keeps_no_more_processors_busy_than_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perflab.measure.pairs.this_machine", lambda: SimpleNamespace(usable_cores=1))
    # Most of the delay was before the wall time of the process began.
    assert _threads(Fork(wall_s=0.002, usage={"os:user_s": 0.001, "os:system_s": 0.0, DELAY: 0.0019})) == 1
