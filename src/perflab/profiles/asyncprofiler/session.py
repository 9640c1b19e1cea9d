"""How a program is started so that async-profiler watches it from its first instruction to its exit.

What the profiler sees of virtual threads (version 4.6, JDK 25; its issues 802, 1275, 1691 and 1797):

- `cpu` and `alloc` see them while they are mounted; the outer frames of a remounted one are missing from `cpu` stacks.
- `wall` samples operating-system threads: a parked virtual thread has none and is invisible.
- `lock` times `Unsafe.park`, which a virtual thread that unmounts never calls, and loses most of its monitor entries.

The time they are parked is therefore measured in a second pass, by tracing `VirtualThread.park` and its timed form.
Output in collapsed stacks allows one event per pass. Their wait for a *monitor* calls no Java method and stays unseen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from perflab.errors import UsageError
from perflab.profiles.perf_events import perf_events_allowed
from perflab.profiles.profile import MODES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perflab.profiles.profile import Mode, Unit

CPU_INTERVAL_NS = 1_000_000
CPU_TIMER_INTERVAL_NS = 10_000_000
"""Of the timer that stands in for perf events. CPU timers fire on the kernel's tick, every 1 to 10 ms: a shorter
interval is not kept, and a sample would stand for less time than has passed (a quarter of it, at 1 ms and 250 Hz)."""
WALL_INTERVAL_NS = 5_000_000
ALLOC_INTERVAL_BYTES = 65_536
LOCK_THRESHOLD_NS = 1_000
PARK_THRESHOLD_NS = 1_000

_LOG = "profiler.log"

BLIND_TO_VIRTUAL_MONITORS = (
    "virtual threads' waits for monitors are incomplete in this profile: the profiler loses most of them"
)
BLIND_TO_KERNEL = "perf events are not allowed here: sampled with a timer, every 10 ms and without kernel frames"
BLIND_TO_FUTEX = "locks that are no pthread locks are not in this profile"
BLIND_TO_PARKED = "should the program have virtual threads: the time they are parked is not in this profile"


@dataclass(frozen=True)
class Session:
    """One run of a program under the profiler.

    Args:
        mode: What the profile shows.
        unit: Of the profile's weights.
        scale: From what the profiler counts to `unit`: a sample of a timer stands for an interval.
        folder: Where the processes leave their stacks, one file each.
        environment: Variables to add to the program's.
        parks: Whether this pass traces the parking of virtual threads.
        notes: What a reader of the profile has to know.
    """

    mode: Mode
    unit: Unit
    scale: float
    folder: Path
    environment: Mapping[str, str]
    parks: bool = False
    notes: tuple[str, ...] = ()

    @property
    def log(self) -> Path:
        """What the profiler had to say; not on standard output, which belongs to the protocol."""
        return self.folder / _LOG


def sessions(
    mode: Mode, library: Path, folder: Path, environment: Mapping[str, str], *, virtual_threads: bool = False
) -> list[Session]:
    """The passes that profile a JVM program; run it once for each, then `collect` each and `complement` the first.

    Args:
        mode: What to profile.
        library: As `provide` returns it.
        folder: Where to put the stacks; its own for each profile.
        environment: What the program would be started with; `JAVA_TOOL_OPTIONS` in it are kept.
        virtual_threads: Whether the program has some: the time they are parked is a second pass in `wall` and `lock`.

    Raises:
        UsageError: If the folder's name has a character that the profiler's options cannot hold.
    """
    waits = mode in {"wall", "lock"}
    blind = BLIND_TO_VIRTUAL_MONITORS if virtual_threads else BLIND_TO_PARKED
    threads = _jvm_session(mode, _jvm_event(mode), library, folder / "threads", environment)
    passes = [replace(threads, notes=(*threads.notes, blind)) if waits else threads]
    if waits and virtual_threads:
        trace = _Event(f"trace=java.lang.VirtualThread.park*:{PARK_THRESHOLD_NS}ns,total", "ns")
        passes.append(replace(_jvm_session(mode, trace, library, folder / "parks", environment), parks=True))
    return passes


def native_session(mode: Mode, library: Path, folder: Path, environment: Mapping[str, str]) -> Session:
    """How a native program (Rust, C++, an interpreter's extension) is profiled: the library is preloaded into it.

    Lock mode sees pthread mutexes and read-write locks only; a lock built on futexes shows in `wall` mode.

    Raises:
        UsageError: If the folder's name has a character that the profiler's options cannot hold.
    """
    events = {
        "cpu": _cpu_event(),
        "wall": _WALL,
        "lock": _Event(f"event=nativelock,nativelock={LOCK_THRESHOLD_NS}ns,total", "ns", notes=(BLIND_TO_FUTEX,)),
        # Every allocation, a microsecond each. Sampled ones weigh what they are and not what they stand for: at an
        # interval of 64 KiB, small allocations would lose 99.8 % of their bytes, and large ones next to none.
        "alloc": _Event("event=nativemem,nativemem=0,total", "bytes"),
    }
    event = events[_known(mode)]
    options = _options(f"{event.options},cstack=dwarf", folder)
    preload = " ".join(filter(None, [str(library), environment.get("LD_PRELOAD", "")]))
    variables = {"LD_PRELOAD": preload, "ASPROF_COMMAND": options}
    return Session(mode, event.unit, event.scale, folder, variables, notes=event.notes)


class _Event(NamedTuple):
    options: str
    unit: Unit
    scale: float = 1.0
    notes: tuple[str, ...] = ()


_WALL = _Event(f"event=wall,interval={WALL_INTERVAL_NS}", "ns", float(WALL_INTERVAL_NS))


def _cpu_event() -> _Event:
    if perf_events_allowed():
        return _Event(f"event=cpu,interval={CPU_INTERVAL_NS}", "ns", float(CPU_INTERVAL_NS))
    interval_ns = CPU_TIMER_INTERVAL_NS
    return _Event(f"event=ctimer,interval={interval_ns}", "ns", float(interval_ns), (BLIND_TO_KERNEL,))


def _jvm_event(mode: Mode) -> _Event:
    events = {
        "cpu": _cpu_event(),
        "wall": _WALL,
        "lock": _Event(f"event=lock,lock={LOCK_THRESHOLD_NS}ns,total", "ns"),
        "alloc": _Event(f"event=alloc,alloc={ALLOC_INTERVAL_BYTES},total", "bytes"),
    }
    return events[_known(mode)]


def _jvm_session(mode: Mode, event: _Event, library: Path, folder: Path, environment: Mapping[str, str]) -> Session:
    agent = f"-agentpath:{library}={_options(event.options, folder)}"
    # Without non-safepoint debug information, time in inlined methods is booked on a neighbour.
    ours = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints", f'"{agent}"' if " " in agent else agent]
    options = " ".join(filter(None, [environment.get("JAVA_TOOL_OPTIONS", ""), *ours]))
    return Session(mode, event.unit, event.scale, folder, {"JAVA_TOOL_OPTIONS": options}, notes=event.notes)


def _options(event: str, folder: Path) -> str:
    if any(character in str(folder) for character in ',"%'):
        raise UsageError(f"the profiler cannot write to {folder}: its options hold no comma, quote or percent sign")
    folder.mkdir(parents=True, exist_ok=True)
    # The stacks of an earlier run in the same folder would be added to those of this one.
    for left_over in (*folder.glob("*.collapsed"), folder / _LOG):
        left_over.unlink(missing_ok=True)
    absolute = folder.resolve()
    return f"start,{event},collapsed,file={absolute}/%p.collapsed,log={absolute}/{_LOG},loglevel=warn"


def _known(mode: Mode) -> Mode:
    if mode not in MODES:
        raise UsageError(f"no profiling mode {mode!r}", f"there are: {', '.join(MODES)}")
    return mode
