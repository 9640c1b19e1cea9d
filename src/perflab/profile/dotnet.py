"""Recording a .NET program with perf: what it needs, how it is attached, and what is left behind."""

from __future__ import annotations

import io
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

from perflab.host.processes import end_group, start
from perflab.model.errors import BenchError
from perflab.profile.counters import end_perf, perf_events_allowed, tracepoint_allowed
from perflab.profile.frames import clean
from perflab.profile.perf_script import FIELDS, parse, waits
from perflab.profile.profile import RUNTIME_IDLE, Profile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from perflab.profile.profile import Mode, Stack


# The shell becomes the program: same process, and nothing of the shell is left.
_WAIT_THEN_BECOME = 'read -r _ < "$0"; exec "$@"'


class StartGate:
    """Holds a program until `open`.

    Args:
        folder: Where the gate's named pipe stands.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._pipe = folder.resolve() / "gate"
        self._pipe.unlink(missing_ok=True)
        os.mkfifo(self._pipe)
        # For reading too, so that neither this nor writing waits for the other side, and nothing written is lost.
        self._end = os.open(self._pipe, os.O_RDWR | os.O_CLOEXEC)

    def hold(self, command: Sequence[str]) -> list[str]:
        """The command that waits at the gate and then becomes the given one."""
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
    """The profile of one process.

    Time on a processor is sampled. In `wall` mode the time that threads were off it is added, each with the stack that
    it left with; what the runtime's own threads wait is taken out and kept as a counter, as it is on the JVM.

    Args:
        mode: `cpu` or `wall`.
        lines: What `perf script` printed.
        title: What was profiled.
        operations: How many it did, where known.
        notes: What a reader has to know.
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
    # 3: the perf map and nothing else (clrconfignames.h). Written where perf looks, and only there.
    "DOTNET_PerfMapEnabled": "3",
    "TMPDIR": "/tmp",  # noqa: S108 - perf has this path compiled in
    # Otherwise code is written through a second mapping, and perf finds no name for the first.
    "DOTNET_EnableWriteXorExecute": "0",
    # Methods that were compiled ahead of time are in no map. They are the framework's, its thread pool among them.
    "DOTNET_ReadyToRun": "0",
}
"""What the program has to be started with for its methods to have names."""

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
    # Every switch, and not so many per second: the frequency is the clock's alone.
    "wall": ["-e", _CLOCK, "-e", _SWITCH, "--switch-events"],
}


def why_not(mode: Mode) -> str:
    """Why stacks of a .NET program cannot be recorded here in this mode; empty if they can."""
    if shutil.which("perf") is None:
        return "stacks of .NET programs take perf, which is not on the PATH"
    if not perf_events_allowed():
        return "stacks of .NET programs take perf events, which the kernel does not allow here"
    if mode == "wall" and not tracepoint_allowed(_SWITCH):
        return f"where a .NET program sleeps takes the tracepoint {_SWITCH}, which only root may use"
    return ""


class Recording:
    """Records one process from `start` until it has ended.

    perf is attached to the process and not put in front of it, so that the lab's own counters still see the program
    and nothing else. When `start` returns it records; hold the program at a `StartGate` until then.

    Args:
        mode: `cpu` or `wall`.
        pid: The process, started with `ENVIRONMENT`.
        folder: Where what perf records is put, for as long as it takes to read it.
    """

    def __init__(self, mode: Mode, pid: int, folder: Path) -> None:
        self._pid = pid
        folder.mkdir(parents=True, exist_ok=True)
        self._data = folder / "perf.data"
        self._log = folder / "perf.log"
        self._command = ["perf", "record", "--quiet", "--no-buildid", "--no-buildid-cache", "-g"]
        self._command += ["-m", _BUFFER_PAGES, *_EVENTS[mode]]
        # The clock of time.monotonic_ns(). Disabled at first: perf then says when it has begun.
        self._command += ["--clockid", "CLOCK_MONOTONIC", "--delay", "-1"]
        self._pipes = folder / "perf-control", folder / "perf-answer"
        self._command += ["--control", f"fifo:{self._pipes[0]},{self._pipes[1]}"]
        self._command += ["-o", str(self._data), "-p", str(pid)]
        self._perf: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        """Attach, and return once it records; or once it is certain that it will not, and `lines` says why."""
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
        """What was recorded, as `perf script` prints it. Call it when the program has ended."""
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
