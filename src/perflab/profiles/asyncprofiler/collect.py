"""From the files that async-profiler left to one profile."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perflab.errors import BenchError
from perflab.profiles import collapsed
from perflab.profiles.frames import VIRTUAL_THREAD, clean
from perflab.profiles.profile import Profile
from perflab.profiles.waiting import off_cpu

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perflab.profiles.asyncprofiler.session import Session

# Threads that every JVM has and that wait all their life, the launcher among them. They hold no frame of the program.
_HOUSEKEEPING = re.compile(
    r"(^|;)(java\.lang\.ref\.(Reference\$ReferenceHandler|Finalizer\$FinalizerThread)\.run"
    r"|jdk\.internal\.misc\.InnocuousThread\.run|java\.util\.concurrent\.DelayScheduler\.run|JLI_Launch"
    r"|(WorkerThread|WatcherThread|VMThread|ConcurrentGCThread|NonJavaThread|AttachListenerThread)::run"
    r"|JavaThread::thread_main_inner|JfrThread\w*::\w+|Profiler::\w+|WallClock::\w+)(;|$)"
)
# Waiting to acquire: what `lock` mode counts for platform threads. Waiting on a condition is no contention.
_ACQUIRING = re.compile(
    r"java\.util\.concurrent\.(locks\.(ReentrantLock|ReentrantReadWriteLock)|Semaphore)[$.].*"
    r"AbstractQueued(Long)?Synchronizer\.acquire"
)
_LIFETIME_COUNTER = "runtime_threads_idle_ns"


def collect(session: Session, title: str = "", operations: float | None = None) -> Profile:
    """The profile of all processes of a session together.

    In `wall` mode the idle time of the JVM's own threads is taken out and kept as a counter: a dozen threads that wait
    for garbage to collect would outweigh the program.

    Args:
        session: After the program has ended.
        title: What was profiled.
        operations: How many it did, where known.

    Raises:
        BenchError: If the profiler did not start or left nothing, with what it said.
    """
    files = sorted(session.folder.glob("*.collapsed"))
    said = session.log.read_text(errors="replace").strip() if session.log.is_file() else ""
    if not files:
        raise BenchError(
            f"async-profiler left no {session.mode} profile{': ' + said.splitlines()[-1] if said else ''}",
            "the program must end by itself, not by a kill, for the profile to be written",
        )
    stacks: dict[tuple[str, ...], float] = {}
    for file in files:
        for raw, weight in collapsed.parse(file.read_text(errors="replace")).items():
            stack = clean(raw)
            stacks[stack] = stacks.get(stack, 0.0) + weight * session.scale
    counters: dict[str, float] = {}
    notes = list(session.notes)
    if session.parks:
        stacks = _parks(stacks, acquiring_only=session.mode == "lock")
    elif session.mode == "wall":
        stacks, idle = _without_housekeeping(stacks)
        counters[_LIFETIME_COUNTER] = idle
    if len(files) > 1:
        notes.append(f"{len(files)} processes together")
    notes.extend(line for line in dict.fromkeys(said.splitlines()) if "[WARN]" in line or "[ERROR]" in line)
    return Profile(session.mode, session.unit, stacks, counters, title, operations, tuple(notes))


def _without_housekeeping(
    stacks: Mapping[tuple[str, ...], float],
) -> tuple[dict[tuple[str, ...], float], float]:
    kept, idle = {}, 0.0
    for stack, weight in stacks.items():
        if off_cpu(stack) and _HOUSEKEEPING.search(";".join(stack)):
            idle += weight
        else:
            kept[stack] = weight
    return kept, idle


def _parks(stacks: Mapping[tuple[str, ...], float], *, acquiring_only: bool) -> dict[tuple[str, ...], float]:
    # The traced methods also run on carriers, when a timer fires (`parkTimeoutExpired`): nobody waits there.
    waits = {stack: weight for stack, weight in stacks.items() if stack[0] == VIRTUAL_THREAD and off_cpu(stack)}
    if not acquiring_only:
        return waits
    return {stack: weight for stack, weight in waits.items() if _ACQUIRING.search(";".join(stack))}
