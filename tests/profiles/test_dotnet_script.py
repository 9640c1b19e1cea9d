"""What perf printed of some milliseconds of Catga's pool between two batches, with an idle sleep of 15.6 ms.

Of frames without a name that follow each other in one library, the recording keeps the first.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from perflab.model.errors import BenchError
from perflab.profile.dotnet import PerfEvent, collect, parse
from perflab.profile.profile import ALL_ASLEEP, Profile, off_cpu
from perflab.profile.threads import READY
from perflab.profile.tree import root_causes
from perflab.topics.manifest import Cause

RECORDED = Path(__file__).parents[1] / "fixtures" / "profiles" / "idle-sleep.perf-script"
LOOP = "Perflab.ThreadPools.Catga.CatgaPool.Loop"
SLEEP = "clock_nanosleep"


@pytest.fixture
def lines() -> list[str]:
    return RECORDED.read_text().splitlines()


@pytest.fixture
def wall(lines: list[str]) -> Profile:
    return collect("wall", lines)


def ms(profile: Profile, *frames: str) -> float:
    return sum(ns for stack, ns in profile.stacks.items() if set(frames) <= set(stack)) / 1e6


def test_events_are_samples_and_the_two_ends_of_waits(lines: list[str]) -> None:
    events = list(parse(lines))
    assert {event.kind for event in events} == {"sample", "left", "got"}
    assert {event.thread for event in events} == {"dotnet", "catga worker 1", "catga worker 2", ".NET TP Worker"}
    first = events[0]
    assert (first.kind, first.thread, first.tid, first.state) == ("left", "catga worker 1", 30248, "R")
    assert first.ns == 30288_224509459
    assert all(event.weight == 1_001_001 for event in events if event.kind == "sample")


def test_stacks_have_managed_names_outermost_first(lines: list[str]) -> None:
    asleep = next(event for event in parse(lines) if event.kind == "left" and "do_nanosleep_[k]" in event.stack)
    names = asleep.stack
    assert names.index("System.Threading.Thread.StartCallback") < names.index(LOOP) < names.index("do_nanosleep_[k]")
    assert names[-1] == "schedule_[k]"
    assert not any("[QuickJitted]" in name or "::" in name for name in names)


def test_a_loop_whose_code_was_replaced_is_one_frame(lines: list[str]) -> None:
    assert "[OptimizedTier1OSR]" in RECORDED.read_text()
    assert max(event.stack.count(LOOP) for event in parse(lines)) == 1


def test_where_the_c_library_hides_the_callers_the_thread_stands_for_them(lines: list[str]) -> None:
    waiting = [event for event in parse(lines) if "futex_do_wait_[k]" in event.stack]
    assert {event.stack[0] for event in waiting} == {"(main thread)", "(thread .NET TP Worker)"}


def test_the_workers_sleep_is_seen_in_full_and_what_everybody_slept_through_is_told_apart(wall: Profile) -> None:
    # Two workers that slept for 15.7 and 15.9 ms, and the thread that submits for 9.6 ms of it.
    assert ms(wall, SLEEP) == pytest.approx(31.6, abs=1.5)
    assert ms(wall, SLEEP, ALL_ASLEEP) == pytest.approx(2 * ms(wall, "(main thread)", ALL_ASLEEP), rel=0.01)
    assert ms(wall, "(main thread)", ALL_ASLEEP) == pytest.approx(9.56, abs=0.01)
    assert all(off_cpu(stack) for stack in wall.stacks if stack[-1] == ALL_ASLEEP)


def test_a_thread_that_was_put_off_its_processor_was_ready(wall: Profile) -> None:
    ready = [stack for stack in wall.stacks if stack[-1] == READY]
    assert ready
    assert not any(off_cpu(stack) for stack in ready)
    assert not any(frame.endswith("[kernel]") for stack in ready for frame in stack)


def test_cpu_mode_has_only_what_was_sampled(lines: list[str]) -> None:
    cpu = collect("cpu", lines, "title", 7, ("a note",))
    assert cpu.total == sum(event.weight for event in parse(lines) if event.kind == "sample")
    assert (cpu.mode, cpu.unit, cpu.title, cpu.operations, cpu.notes) == ("cpu", "ns", "title", 7, ("a note",))
    assert cpu.counters == {}


def test_root_causes_work_on_it_as_on_any_profile(wall: Profile) -> None:
    table = root_causes(wall, [Cause("asleep", "wall", r"CatgaPool\.Loop;.*nanosleep")])
    asleep, _ = table.rows
    assert asleep.share > 0.5
    assert asleep.off_cpu_share == pytest.approx(1, abs=0.05)


def test_what_is_no_output_of_perf_is_told_with_its_line() -> None:
    with pytest.raises(BenchError, match=r"line 1 .* 'nonsense'"):
        collect("cpu", ["nonsense"])


def test_an_empty_recording_is_an_error_and_not_an_empty_profile() -> None:
    with pytest.raises(BenchError, match="no samples"):
        collect("wall", [])


def test_names_of_threads_may_hold_what_separates_fields() -> None:
    (event,) = parse(["a b: 1/2 c 10/20 5.000000001:  1000 cpu-clock: "])
    assert event == PerfEvent("sample", "a b: 1/2 c", 20, 5_000_000_001, weight=1000.0)
