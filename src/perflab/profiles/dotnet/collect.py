"""From what the kernel recorded to a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.errors import BenchError
from perflab.profiles.dotnet.script import parse
from perflab.profiles.dotnet.waits import RUNTIME_IDLE, waits
from perflab.profiles.frames import clean
from perflab.profiles.profile import Profile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perflab.profiles.profile import Mode, Stack

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

    Raises:
        BenchError: If nothing was recorded, or perf printed something else.
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
