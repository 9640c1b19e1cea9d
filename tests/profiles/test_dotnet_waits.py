from __future__ import annotations

from perflab.profile.dotnet import PerfEvent, Wait, waits
from perflab.profile.profile import ALL_ASLEEP
from perflab.profile.threads import READY

SLEEP = ["Main", "Sleep", "schedule_[k]"]
WAIT = ["Main", "Wait", "schedule_[k]"]


def left(tid: int, ns: int, stack: list[str], state: str = "S", thread: str = "worker") -> PerfEvent:
    return PerfEvent("left", thread, tid, ns, state=state, stack=stack)


def got(tid: int, ns: int) -> PerfEvent:
    return PerfEvent("got", "worker", tid, ns)


def found(*events: PerfEvent, window: tuple[int, int] | None = None) -> list[Wait]:
    begin, end = window or (0, max((event.ns for event in events), default=0))
    return [wait for wait in waits(sorted(events, key=lambda event: event.ns), begin, end) if wait.ns]


def test_a_wait_lasts_until_the_thread_has_a_processor_again() -> None:
    events = got(2, 0), got(1, 0), left(1, 100, SLEEP), got(1, 350), left(2, 400, SLEEP, "X")
    assert found(*events) == [Wait(SLEEP, 250, of_runtime=False)]


def test_what_everybody_slept_through_is_told_apart() -> None:
    # One falls asleep at 100, the other at 200; the first wakes at 500.
    events = got(1, 0), got(2, 0), left(1, 100, SLEEP), left(2, 200, WAIT), got(1, 500), got(2, 600)
    assert found(*events) == [
        Wait(SLEEP, 100, of_runtime=False),
        Wait([*SLEEP, ALL_ASLEEP], 300, of_runtime=False),
        Wait(WAIT, 100, of_runtime=False),
        Wait([*WAIT, ALL_ASLEEP], 300, of_runtime=False),
    ]


def test_a_thread_that_could_go_on_is_ready_and_keeps_the_program_awake() -> None:
    events = got(1, 0), got(2, 0), left(1, 100, ["Main", "Spin", "irq_[k]"], "R"), left(2, 200, WAIT), got(1, 300)
    assert found(*events, got(2, 300)) == [
        Wait(["Main", "Spin", READY], 200, of_runtime=False),
        Wait(WAIT, 100, of_runtime=False),
    ]


def test_a_wait_without_an_end_ends_with_the_recording_and_that_of_a_thread_that_ends_never_was() -> None:
    events = got(1, 0), got(2, 0), left(1, 100, SLEEP), left(2, 200, [], "X"), got(3, 300), left(3, 900, [], "Z")
    assert sum(wait.ns for wait in found(*events)) == 800


def test_the_runtimes_own_threads_are_marked() -> None:
    events = got(1, 0), got(2, 0), left(1, 100, SLEEP, thread=".NET Tiered Com"), got(1, 200)
    assert [wait.of_runtime for wait in found(*events)] == [True]
    events = got(1, 0), got(2, 0), left(1, 100, SLEEP, thread=".NET TP Worker"), got(1, 200)
    assert [wait.of_runtime for wait in found(*events)] == [False]


def test_without_events_there_is_no_wait() -> None:
    assert found() == []


def test_a_window_cuts_waits_at_both_ends_and_still_knows_who_slept_when_it_began() -> None:
    events = got(1, 0), got(2, 0), left(1, 100, SLEEP), left(2, 200, WAIT), got(1, 500), got(2, 600)
    assert found(*events, window=(300, 550)) == [
        Wait([*SLEEP, ALL_ASLEEP], 200, of_runtime=False),
        Wait(WAIT, 50, of_runtime=False),
        Wait([*WAIT, ALL_ASLEEP], 200, of_runtime=False),
    ]
