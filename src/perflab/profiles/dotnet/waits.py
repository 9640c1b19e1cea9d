"""How long threads were off their processors, where, and whether anything else of the program went on meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from perflab.profiles.dotnet.script import Event
from perflab.profiles.dotnet.threads import is_runtimes_own
from perflab.profiles.waiting import ALL_ASLEEP

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RUNTIME_IDLE = "runtime_threads_idle_ns"

READY = "(ready, no processor free)"
"""The innermost frame of a thread that had to leave its processor although it could have gone on."""

_RUNNABLE = "R"
_ENDED = {"X", "Z"}


class Wait(NamedTuple):
    """Time that a thread was off its processor, or the part of it in which no thread of the program could go on.

    Args:
        stack: That it left with, and in the second case `ALL_ASLEEP` on top of it.
        ns: How long.
        of_runtime: Whether the thread is one of the runtime's own.
    """

    stack: list[str]
    ns: float
    of_runtime: bool


def waits(events: Sequence[Event], begin_ns: float, end_ns: float) -> Iterator[Wait]:
    """All waits within a window of time; one that reaches beyond it is cut.

    Of a thread that slept when the recording began nothing is known until it wakes.

    Args:
        events: In the order of time, those before the window included: they tell who sleeps when it begins.
        begin_ns: Of the window.
        end_ns: Of the window.
    """
    sleep = _CommonSleep()
    away: dict[int, tuple[Event, float, float]] = {}
    inside = (event for event in events if event.ns <= end_ns)
    ends = (Event("got", "", tid, int(end_ns)) for tid in dict.fromkeys(event.tid for event in events))
    for event in (*inside, *ends):
        now_ns = max(event.ns, begin_ns)
        common_ns = sleep.until(now_ns)
        if event.tid in away:
            left, since_ns, common_before_ns = away.pop(event.tid)
            yield from _parts(left, now_ns - since_ns, common_ns - common_before_ns)
        if event.kind == "left":
            if event.state not in _ENDED:
                away[event.tid] = event, now_ns, common_ns
            if event.state != _RUNNABLE:
                sleep.falls_asleep(event.tid)
        else:
            sleep.wakes(event.tid)


def _parts(left: Event, ns: float, common_ns: float) -> Iterator[Wait]:
    of_runtime = is_runtimes_own(left.thread)
    if left.state == _RUNNABLE:
        # How the kernel took the processor away says nothing; what the thread was doing does.
        yield Wait([*(frame for frame in left.stack if not frame.endswith("_[k]")), READY], ns, of_runtime)
        return
    yield Wait(left.stack, ns - common_ns, of_runtime)
    yield Wait([*left.stack, ALL_ASLEEP], common_ns, of_runtime)


class _CommonSleep:
    """Adds up the time in which no thread runs or could run. Threads count as asleep until they are seen."""

    def __init__(self) -> None:
        self._awake: set[int] = set()
        self._total_ns = 0.0
        self._last_ns: float | None = None

    def until(self, ns: float) -> float:
        """The time so far, in ns; asked in the order of time."""
        if not self._awake and self._last_ns is not None:
            self._total_ns += ns - self._last_ns
        self._last_ns = ns
        return self._total_ns

    def falls_asleep(self, tid: int) -> None:
        self._awake.discard(tid)

    def wakes(self, tid: int) -> None:
        self._awake.add(tid)
