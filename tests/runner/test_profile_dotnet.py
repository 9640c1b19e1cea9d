"""A variant of the thread pools under the lab's .NET profiler, as `./lab profile` runs it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from claiming import make_claim
from silent import Silent

from perflab.claims.evidence import gather
from perflab.claims.ledger import Ledger
from perflab.claims.verdict import judge
from perflab.host.toolchains import provide
from perflab.measure.plan import Request
from perflab.measure.profiled import profile
from perflab.model.errors import MissingError
from perflab.model.lab import Lab
from perflab.profile import dotnet
from perflab.topics.catalogue import find_component

if TYPE_CHECKING:
    from perflab.profile.profile import Profile
    from perflab.store.records import ProfileRecord

LAB = Lab.from_environment()

pytestmark = pytest.mark.build

PARAMS = {"idle-sleep-ms": "15.6", "stamps": "true"}
MAPS = Path(dotnet.ENVIRONMENT["TMPDIR"])
NOT_ALLOWED = "perf is not allowed here"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else's measurement is disturbed by a test's, and nobody waits for it."""
    monkeypatch.setattr("perflab.measure.profiled.measurement_lock", lambda *_: nullcontext())


@pytest.fixture
def dotnet_lab(own_lab: Lab) -> Lab:
    """The checkout's topics, with results of the test's own."""
    return replace(LAB, results=own_lab.results)


def profiled(lab: Lab, mode: str) -> tuple[ProfileRecord, Profile]:
    (found,) = profile(
        Request(find_component(lab, "thread-pool"), "cpu-bound", ["catga-before"], PARAMS, reproduction=True),
        mode,
        Silent(),
        forks=1,
    )
    return found


@pytest.fixture
def no_perf(monkeypatch: pytest.MonkeyPatch) -> None:
    provide(find_component(LAB, "thread-pool").manifest.requires)  # without .NET the error would be another
    monkeypatch.setattr(dotnet, "unavailable_reason", lambda _: NOT_ALLOWED)


def test_sleep_waiting_and_work_are_told_apart(dotnet_lab: Lab, results: Path) -> None:
    if missing := dotnet.unavailable_reason("wall"):
        pytest.skip(missing)
    record, found = profiled(dotnet_lab, "wall")
    shares = {name: share for name, (share,) in record.shares.items()}
    assert shares["workers asleep in the idle loop"] > shares["the tasks' own work"] > 0
    assert shares["tasks queued while every thread sleeps"] > 0
    assert sum(shares.values()) == pytest.approx(1)
    assert record.ops == found.operations
    assert not record.stackless
    assert not list(results.rglob("gate")), "the gate is removed"


def test_beside_the_stacks_stand_the_programs_the_runtimes_and_the_systems_counters(
    dotnet_lab: Lab, results: Path
) -> None:
    if missing := dotnet.unavailable_reason("cpu"):
        pytest.skip(missing)
    record, _ = profiled(dotnet_lab, "cpu")
    program, runtime = ["queued_ns", "working_ns", "asleep_ns"], ["runtime_contentions", "runtime_gen0"]
    threads = ["thread:catga worker:asleep_ns", "thread:catga worker:running_ns"]
    assert {*program, *runtime, *threads, "voluntary_switches"} <= record.counters.keys()
    # Each task's completion is handed to .NET's pool, whose threads these tasks were to leave alone.
    # Not each one: who submits awaits nothing if the task has ended by then.
    assert record.counters["runtime_pool_items"] > 0
    assert results.is_dir()


@pytest.mark.usefixtures("no_perf", "results")
def test_without_perf_threads_stand_in_for_stacks_and_no_claim_is_judged_by_them(dotnet_lab: Lab) -> None:
    maps = set(MAPS.glob("perf*.map"))
    record, found = profiled(dotnet_lab, "wall")
    assert NOT_ALLOWED in record.stackless
    assert ("catga worker", "(asleep)") in found.stacks
    assert set(MAPS.glob("perf*.map")) <= maps, "nobody would remove what the runtime writes for perf"
    claim = make_claim(
        "share",
        "c",
        candidate="catga-before",
        scenario="cpu-bound",
        params={"idle-sleep-ms": 15.6, "stamps": True},
        mode="wall",
        cause="the tasks' own work",
        at_most=100,
    )
    evidence = gather(dotnet_lab, Ledger(report="r", title="t", component="thread-pool", claims=[claim]))["c"]
    assert (judge(claim, evidence).word, evidence.runs) == ("not run", [record.id])


@pytest.mark.usefixtures("no_perf", "results")
def test_without_perf_there_are_no_cpu_stacks_and_the_error_says_what_there_is(dotnet_lab: Lab) -> None:
    with pytest.raises(MissingError, match=NOT_ALLOWED) as caught:
        profiled(dotnet_lab, "cpu")
    assert "--mode wall" in caught.value.hint
