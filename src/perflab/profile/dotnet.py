"""Profiles of .NET programs: recording with perf, the events that `perf script` prints, and where threads waited."""

from __future__ import annotations

import io
import os
import re
import select
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from perflab.host.processes import end_group, start
from perflab.model.errors import BenchError
from perflab.profile.counters import end_perf, perf_events_allowed, tracepoint_allowed
from perflab.profile.frames import clean, method
from perflab.profile.profile import ALL_ASLEEP, RUNTIME_IDLE, Profile
from perflab.profile.threads import READY, group, is_runtimes_own

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from perflab.profile.profile import Mode, Stack


# The shell execs the program in the same process.
_WAIT_THEN_BECOME = 'read -r _ < "$0"; exec "$@"'


class StartGate:
    """Holds a program until `open`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._pipe = folder.resolve() / "gate"
        self._pipe.unlink(missing_ok=True)
        os.mkfifo(self._pipe)
        # Read-write, so that neither opening nor writing blocks, and nothing written is lost.
        self._end = os.open(self._pipe, os.O_RDWR | os.O_CLOEXEC)

    def hold(self, command: Sequence[str]) -> list[str]:
        """Return a command that waits at the gate and then execs the given one."""
        return ["/bin/sh", "-c", _WAIT_THEN_BECOME, str(self._pipe), *command]

    def open(self) -> None:
        """Let the program begin."""
        os.write(self._end, b"\n")

    def close(self) -> None:
        """Remove the gate."""
        os.close(self._end)
        self._pipe.unlink(missing_ok=True)


_NO_STACK = "(no stack)"


def collect(
    mode: Mode,
    lines: Iterable[str],
    title: str = "",
    operations: float | None = None,
    notes: tuple[str, ...] = (),
    *,
    window_ns: tuple[float, float] | None = None,
) -> Profile:
    """Return the profile of one process.

    Time on a processor is sampled. In `wall` mode the time that threads were off it is added, each with the stack that
    it left with; what the runtime's own threads wait is taken out and kept as a counter, as it is on the JVM.

    Args:
        mode: `cpu` or `wall`.
        lines: Output of `perf script`.
        title: Name of what was profiled.
        operations: Number of operations, if known.
        notes: Caveats for readers.
        window_ns: From when to when, on the clock of `time.monotonic_ns`; all that was recorded without it.
    """
    try:
        events = sorted(parse(lines), key=lambda event: event.ns)
    except ValueError as strange:
        raise BenchError(f"cannot read what perf recorded: {strange}") from None
    if not any(event.kind == "sample" for event in events):
        raise BenchError("perf recorded no samples", "the program has to run for longer than perf takes to attach")
    begin_ns, end_ns = window_ns or (events[0].ns, events[-1].ns)
    stacks: dict[Stack, float] = {}
    for event in events:
        if event.kind == "sample" and begin_ns <= event.ns <= end_ns:
            _add(stacks, event.stack, event.weight)
    counters = {}
    if mode == "wall":
        counters[RUNTIME_IDLE] = 0.0
        for wait in waits(events, begin_ns, end_ns):
            if wait.of_runtime:
                counters[RUNTIME_IDLE] += wait.ns
            else:
                _add(stacks, wait.stack, wait.ns)
    return Profile(mode, "ns", stacks, counters, title, operations, notes)


def _add(stacks: dict[Stack, float], raw: list[str], weight: float) -> None:
    if weight > 0:
        stack = clean(tuple(raw) or (_NO_STACK,))
        stacks[stack] = stacks.get(stack, 0.0) + weight


ENVIRONMENT: Mapping[str, str] = {
    # 3: only the perf map (clrconfignames.h), written where perf looks for it.
    "DOTNET_PerfMapEnabled": "3",
    "TMPDIR": "/tmp",  # noqa: S108 - perf has this path compiled in
    # Otherwise code is double-mapped, and perf finds no symbols for the executable mapping.
    "DOTNET_EnableWriteXorExecute": "0",
    # Precompiled framework methods, such as the thread pool's, are missing from the map.
    "DOTNET_ReadyToRun": "0",
}
"""Environment variables that make the runtime write symbols for its methods."""

FREQUENCY_HZ = 999
"""Not a divisor of the kernel's tick: what happens on the tick would be seen always or never."""

NOT_PRECOMPILED = (
    "all code was compiled in the process, the framework's too: start-up takes longer than in a measurement"
)
_CLOCK = f"cpu-clock/freq={FREQUENCY_HZ}/"
_BUFFER_PAGES = "1024"
_ATTACH_TIMEOUT_S = 20
_POLL_S = 0.1
_SWITCH = "sched:sched_switch"
_EVENTS = {
    "cpu": ["-e", _CLOCK],
    # Record every switch; the frequency applies to the clock event only.
    "wall": ["-e", _CLOCK, "-e", _SWITCH, "--switch-events"],
}


def unavailable_reason(mode: Mode) -> str:
    """Return why this mode cannot record stacks of .NET programs here; empty if it can."""
    if shutil.which("perf") is None:
        return "stacks of .NET programs need perf, which is not on the PATH"
    if not perf_events_allowed():
        return "stacks of .NET programs need perf events, which the kernel does not allow here"
    if mode == "wall" and not tracepoint_allowed(_SWITCH):
        return f"off-CPU stacks of .NET programs need the tracepoint {_SWITCH}, which only root may use"
    return ""


class Recording:
    """Records one process from `start` until it has ended.

    perf is attached to the process and not put in front of it, so that the lab's own counters still see the program
    and nothing else. When `start` returns it records; hold the program at a `StartGate` until then.

    Args:
        mode: `cpu` or `wall`.
        pid: The process, started with `ENVIRONMENT`.
        folder: Temporary place of perf's recording.
    """

    def __init__(self, mode: Mode, pid: int, folder: Path) -> None:
        self._pid = pid
        folder.mkdir(parents=True, exist_ok=True)
        self._data = folder / "perf.data"
        self._log = folder / "perf.log"
        self._command = ["perf", "record", "--quiet", "--no-buildid", "--no-buildid-cache", "-g"]
        self._command += ["-m", _BUFFER_PAGES, *_EVENTS[mode]]
        # The clock of time.monotonic_ns(). Start disabled: perf acknowledges when enabled.
        self._command += ["--clockid", "CLOCK_MONOTONIC", "--delay", "-1"]
        self._pipes = folder / "perf-control", folder / "perf-answer"
        self._command += ["--control", f"fifo:{self._pipes[0]},{self._pipes[1]}"]
        self._command += ["-o", str(self._data), "-p", str(pid)]
        self._perf: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        """Attach, and return once perf records, or has failed; `lines` then says why."""
        for pipe in self._pipes:
            pipe.unlink(missing_ok=True)
            os.mkfifo(pipe)
        control, answer = (os.open(pipe, os.O_RDWR | os.O_CLOEXEC) for pipe in self._pipes)
        try:
            with self._log.open("wb") as log:
                self._perf = start(self._command, stdout=log, stderr=subprocess.STDOUT)
            os.write(control, b"enable\n")
            deadline = time.monotonic() + _ATTACH_TIMEOUT_S
            while self._perf.poll() is None and time.monotonic() < deadline:
                if select.select([answer], [], [], _POLL_S)[0]:
                    break
        finally:
            os.close(control)
            os.close(answer)
        return self

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def lines(self) -> Iterator[str]:
        """Yield the lines of `perf script`. Call this after the program has ended."""
        self._end()
        if not self._data.is_file():
            raise BenchError(f"perf recorded nothing: {self._said()}", "see `perf record` by hand")
        command = ["perf", "script", "-i", str(self._data), "--ns", "--show-switch-events", "-F", FIELDS]
        script = start(command, stderr=subprocess.DEVNULL)
        try:
            assert script.stdout is not None  # noqa: S101 - it is a pipe
            yield from io.TextIOWrapper(script.stdout, encoding="utf-8", errors="replace")
            script.wait()
        finally:
            end_group(script)
        if script.returncode != 0:
            raise BenchError(f"`perf script` failed with status {script.returncode}")

    def close(self) -> None:
        """End perf if it still runs, and remove what it and the runtime left behind."""
        self._end()
        maps = Path(ENVIRONMENT["TMPDIR"])
        written_by_runtime = maps / f"perf-{self._pid}.map", maps / f"perfinfo-{self._pid}.map"
        for left in (self._data, self._data.with_name("perf.data.old"), *self._pipes, *written_by_runtime):
            left.unlink(missing_ok=True)

    def _said(self) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines() if self._log.is_file() else []
        return lines[-1] if lines else "it said nothing"

    def _end(self) -> None:
        perf, self._perf = self._perf, None
        if perf is not None:
            end_perf(perf)


FIELDS = "comm,pid,tid,time,period,event,ip,sym,dso,trace"
"""Fields that `parse` expects from `perf script --ns --show-switch-events -F`."""

MAIN_THREAD = "(main thread)"

Kind = Literal["sample", "left", "got"]

_HEAD = re.compile(r"(?P<thread>.+?)\s+(?P<pid>-?\d+)/(?P<tid>\d+)\s+(?P<s>\d+)\.(?P<ns>\d{9}):\s+(?P<what>.*)$")
_FRAME = re.compile(r"\s+[0-9a-f]+ (?P<symbol>.*) \((?P<file>.*)\)$")
# Kernel entry and the scheduler's innermost function: on every sleeping stack, so they carry no information.
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
        thread: Thread name.
        tid: Thread id.
        ns: When, on the kernel's clock.
        weight: Weight of a sample in ns.
        state: State of a thread switched out: `R` runnable, `S` or `D` asleep, `X` or `Z` ended.
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
            # A stripped library has only its file name.
            known = f"[{name.strip('[]')}]" if name not in {"[unknown]", ""} else ""
        elif name.endswith(".map"):
            known = method(symbol)
            self._is_managed = True
        else:
            known = f"{symbol}_[k]" if _KERNEL_FILES.search(file) else symbol
        # Merge adjacent unnamed frames of a library, and those of a method recompiled while it ran.
        again = self.stack and self.stack[-1] == known and (symbol == "[unknown]" or self._replaced)
        self._replaced = symbol.endswith("OSR]")
        if known and not again and known not in _PLUMBING:
            self.stack.append(known)

    def finished(self, *, main: bool) -> PerfEvent:
        """Return the event with its whole stack."""
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
        ns: Duration.
        of_runtime: The thread is one of the runtime's own.
    """

    stack: list[str]
    ns: float
    of_runtime: bool


def waits(events: Sequence[PerfEvent], begin_ns: float, end_ns: float) -> Iterator[Wait]:
    """Return all waits within a window of time, clipped to it.

    Of a thread that slept when the recording began nothing is known until it wakes.

    Args:
        events: In the order of time, those before the window included: they tell who sleeps when it begins.
        begin_ns: Start of the window.
        end_ns: End of the window.
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
        # Drop the kernel's preemption path, keep what the thread was doing.
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
        """Return the common sleep up to a time, in ns; call with increasing times."""
        if not self._awake and self._last_ns is not None:
            self._total_ns += ns - self._last_ns
        self._last_ns = ns
        return self._total_ns

    def falls_asleep(self, tid: int) -> None:
        self._awake.discard(tid)

    def wakes(self, tid: int) -> None:
        self._awake.add(tid)
