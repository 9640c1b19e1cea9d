"""What `perf script` prints: events of threads, and from them how long each was off its processor, and where."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from perflab.profile.frames import method
from perflab.profile.profile import ALL_ASLEEP
from perflab.profile.threads import READY, group, is_runtimes_own

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


FIELDS = "comm,pid,tid,time,period,event,ip,sym,dso,trace"
"""What `parse` expects, by `perf script --ns --show-switch-events -F`."""

MAIN_THREAD = "(main thread)"

Kind = Literal["sample", "left", "got"]

_HEAD = re.compile(r"(?P<thread>.+?)\s+(?P<pid>-?\d+)/(?P<tid>\d+)\s+(?P<s>\d+)\.(?P<ns>\d{9}):\s+(?P<what>.*)$")
_FRAME = re.compile(r"\s+[0-9a-f]+ (?P<symbol>.*) \((?P<file>.*)\)$")
# The way into the kernel, and its innermost function whoever sleeps: on every stack, and so worth nothing.
_PLUMBING = {"entry_SYSCALL_64_after_hwframe_[k]", "do_syscall_64_[k]", "__schedule_[k]"}
_STATE = re.compile(r"prev_state=(?P<state>\w)")
_PERIOD = re.compile(r"(?P<period>\d+)\s")
_KERNEL_FILES = re.compile(r"\[(kernel|guest\.kernel|vdso)|\.ko(\.\w+)?$")
_NS_PER_S = 1_000_000_000


@dataclass
class PerfEvent:
    """One event of one thread.

    Args:
        kind: `sample`: it ran, and this is where; `left`: it left its processor here, to sleep or because it had to;
            `got`: it has one again.
        thread: Its name.
        tid: Its number.
        ns: When, on the kernel's clock.
        weight: Of a sample, in ns: what it stands for.
        state: Of a thread that left: `R` if it could go on, `S` or `D` if it sleeps, `X` or `Z` if it has ended.
        stack: Outermost frame first, names as async-profiler gives them: `_[k]` marks the kernel's. Where no managed
            frame is on it, as below a C library without frame pointers, the thread stands in for them.
    """

    kind: Kind
    thread: str
    tid: int
    ns: int
    weight: float = 0.0
    state: str = ""
    stack: list[str] = field(default_factory=list)
    _is_managed: bool = False
    _replaced: bool = False

    def add(self, symbol: str, file: str) -> None:
        """Put a frame on the stack, which perf prints innermost first."""
        name = file.rpartition("/")[2]
        if symbol == "[unknown]":
            # Of a stripped library the file is all that is known.
            known = f"[{name.strip('[]')}]" if name not in {"[unknown]", ""} else ""
        elif name.endswith(".map"):
            known = method(symbol)
            self._is_managed = True
        else:
            known = f"{symbol}_[k]" if _KERNEL_FILES.search(file) else symbol
        # A library's nameless frames in a row are one. So are those of a method whose code was replaced while it ran.
        again = self.stack and self.stack[-1] == known and (symbol == "[unknown]" or self._replaced)
        self._replaced = symbol.endswith("OSR]")
        if known and not again and known not in _PLUMBING:
            self.stack.append(known)

    def finished(self, *, main: bool) -> PerfEvent:
        """The event with its whole stack."""
        if self.stack and not self._is_managed:
            self.stack.append(MAIN_THREAD if main else f"(thread {group(self.thread)})")
        self.stack.reverse()
        return self


def parse(lines: Iterable[str]) -> Iterator[PerfEvent]:
    """Read the events in the order in which they stand."""
    event: PerfEvent | None = None
    main = False
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip("\n")
        if not line.strip():
            continue
        if line[0].isspace() and (frame := _FRAME.match(line)):
            if event is not None:
                event.add(frame["symbol"], frame["file"])
            continue
        head = _HEAD.match(line.strip())
        if head is None:
            raise ValueError(f"line {number} of perf's output is no event: {line[:120]!r}")
        if event is not None:
            yield event.finished(main=main)
        event, main = _event(head), head["pid"] == head["tid"]
    if event is not None:
        yield event.finished(main=main)


def _event(head: re.Match[str]) -> PerfEvent | None:
    what, ns = head["what"], int(head["s"]) * _NS_PER_S + int(head["ns"])
    thread, tid = head["thread"], int(head["tid"])
    if what.startswith("PERF_RECORD_SWITCH"):
        return PerfEvent("got", thread, tid, ns) if " IN" in what else None
    if "sched_switch:" in what:
        state = _STATE.search(what)
        return PerfEvent("left", thread, tid, ns, state=state["state"] if state else "S")
    period = _PERIOD.match(what)
    return PerfEvent("sample", thread, tid, ns, weight=float(period["period"]) if period else 0.0)


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


def waits(events: Sequence[PerfEvent], begin_ns: float, end_ns: float) -> Iterator[Wait]:
    """All waits within a window of time; one that reaches beyond it is cut.

    Of a thread that slept when the recording began nothing is known until it wakes.

    Args:
        events: In the order of time, those before the window included: they tell who sleeps when it begins.
        begin_ns: Of the window.
        end_ns: Of the window.
    """
    sleep = _CommonSleep()
    away: dict[int, tuple[PerfEvent, float, float]] = {}
    inside = (event for event in events if event.ns <= end_ns)
    ends = (PerfEvent("got", "", tid, int(end_ns)) for tid in dict.fromkeys(event.tid for event in events))
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


def _parts(left: PerfEvent, ns: float, common_ns: float) -> Iterator[Wait]:
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
