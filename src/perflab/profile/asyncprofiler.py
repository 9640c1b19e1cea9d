"""Start programs under async-profiler, from their first instruction to their exit.

What the profiler sees of virtual threads (version 4.6, JDK 25; its issues 802, 1275, 1691 and 1797):

- `cpu` and `alloc` see them while they are mounted; the outer frames of a remounted one are missing from `cpu` stacks.
- `wall` samples operating-system threads: a parked virtual thread has none and is invisible.
- `lock` times `Unsafe.park`, which a virtual thread that unmounts never calls, and loses most of its monitor entries.

The time they are parked is therefore measured in a second pass, by tracing `VirtualThread.park` and its timed form.
Output in collapsed stacks allows one event per pass. Their wait for a *monitor* calls no Java method and stays unseen.
"""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
import zipfile
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from perflab.host.fetch import fetch, fetching
from perflab.model.errors import BenchError, MissingError, UsageError, one_line
from perflab.model.lab import user_cache
from perflab.profile.counters import perf_events_allowed
from perflab.profile.frames import VIRTUAL_THREAD, clean
from perflab.profile.profile import MODES, RUNTIME_IDLE, Profile, merge_stacks, off_cpu, parse_collapsed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perflab.profile.profile import Mode, Unit


VERSION = "4.6"

_ARTIFACT = f"tools.profiler:async-profiler:{VERSION}"
_JAR = f"async-profiler-{VERSION}.jar"
_JAR_SHA256 = "a5d3d9f4582c2033fa9db518046e73ef97219801f3e7542b82e3e09261ebe493"
_LIBRARY = "libasyncProfiler.so"
_FOLDERS = {
    ("Linux", "x86_64"): "linux-x64",
    ("Linux", "aarch64"): "linux-arm64",
    ("Darwin", "x86_64"): "macos",
    ("Darwin", "arm64"): "macos",
}
_FETCH_TIMEOUT_S = 300


def cache_folder() -> Path:
    """Return the per-user folder of this version of the profiler."""
    return user_cache() / "async-profiler" / VERSION


def find() -> Path | None:
    """Return the native library if it is already here, without network access."""
    library = cache_folder() / _LIBRARY
    return library if library.is_file() else None


def provide() -> Path:
    """Return the native library, fetched with the machine's Maven if needed.

    The jar is checked against the hash that this version of the lab was tested with before anything of it is unpacked.
    """
    library = find()
    if library is not None:
        return library
    folder = _FOLDERS.get((platform.system(), platform.machine()))
    if folder is None:
        raise MissingError(f"async-profiler has no library for {platform.system()} on {platform.machine()}")
    library = cache_folder() / _LIBRARY
    with fetching(cache_folder(), "async-profiler") as scratch:
        if not library.is_file():  # another process may have fetched it
            jar = _fetch(scratch)
            _check(jar)
            draft = scratch / _LIBRARY
            with zipfile.ZipFile(jar) as archive:
                draft.write_bytes(archive.read(f"{folder}/{_LIBRARY}"))
            draft.chmod(0o755)
            draft.rename(library)
    return library


def _fetch(folder: Path) -> Path:
    maven = shutil.which("mvn")
    if maven is None:
        raise MissingError(
            f"async-profiler {VERSION} is not in the cache and Maven, which would fetch it, is not on the PATH",
            "Debian: apt install maven; conda: conda install maven",
        )
    # Resolving plug-ins by their prefix reads the settings of the user, mirrors included: no address stands here.
    command = [maven, "-q", "-B", "-C", "dependency:copy", f"-Dartifact={_ARTIFACT}", f"-DoutputDirectory={folder}"]
    fetch(command, f"async-profiler {VERSION}", _FETCH_TIMEOUT_S, "check the network and Maven's settings")
    jar = folder / _JAR
    if not jar.is_file():
        raise MissingError(f"Maven has fetched no {_JAR}", "check Maven's settings: mirrors, and how it names files")
    return jar


def _check(jar: Path) -> None:
    found = hashlib.sha256(jar.read_bytes()).hexdigest()
    if found != _JAR_SHA256:
        raise BenchError(
            f"{_ARTIFACT} has the SHA-256 {found}, not {_JAR_SHA256}",
            "do not use it: remove it from Maven's repository and fetch it again from another network",
        )


# Threads that wait in every JVM, including the launcher. They have no frames of the program.
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


def collect(session: Session, title: str = "", operations: float | None = None) -> Profile:
    """Return one profile of all processes of a session.

    In `wall` mode the idle time of the JVM's own threads is taken out and kept as a counter: a dozen threads that wait
    for garbage to collect would outweigh the program.

    Args:
        session: After the program has ended.
        title: Name of what was profiled.
        operations: Number of operations, if known.
    """
    files = sorted(session.folder.glob(session.files))
    said = session.log.read_text(errors="replace").strip() if session.log.is_file() else ""
    if not files:
        raise BenchError(
            f"async-profiler left no {session.mode} profile{': ' + said.splitlines()[-1] if said else ''}",
            "the program must end by itself, not by a kill, for the profile to be written",
        )
    try:
        stacks = merge_stacks(
            {clean(raw): weight * session.scale}
            for file in files
            for raw, weight in parse_collapsed(file.read_text(errors="replace")).items()
        )
    except ValueError as error:
        raise BenchError(f"cannot read async-profiler's stacks: {one_line(error)}", "profile for less long") from None
    counters: dict[str, float] = {}
    notes = list(session.notes)
    if session.parks:
        stacks = _parks(stacks, acquiring_only=session.mode == "lock")
    elif session.mode == "wall":
        stacks, idle = _without_housekeeping(stacks)
        counters[RUNTIME_IDLE] = idle
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
    # The traced methods also run on carriers, when a timer fires (`parkTimeoutExpired`): no thread waits there.
    waits = {stack: weight for stack, weight in stacks.items() if stack[0] == VIRTUAL_THREAD and off_cpu(stack)}
    if not acquiring_only:
        return waits
    return {stack: weight for stack, weight in waits.items() if _ACQUIRING.search(";".join(stack))}


CPU_INTERVAL_NS = 1_000_000
CPU_TIMER_INTERVAL_NS = 10_000_000
"""Interval of the timer that replaces perf events. CPU timers fire on the kernel's tick, every 1 to 10 ms: a shorter
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


TIMED_NATIVE = "perflab_timed_begin", "perflab_timed_end"
"""Native functions at which a program begins and ends a timed sample."""
_TIMED_JVM = "JVM_HoldsLock", "JVM_MaxMemory"  # hardly any program calls them


def _between(functions: tuple[str, str]) -> str:
    return f",begin={functions[0]},end={functions[1]}"


@dataclass(frozen=True)
class Session:
    """One run of a program under the profiler.

    Args:
        mode: The profile's mode.
        unit: Unit of the profile's weights.
        scale: From what the profiler counts to `unit`: a sample of a timer stands for an interval.
        folder: Output folder of the processes, one file of stacks each.
        environment: Variables to add to the program's.
        arguments: Words to add to its command.
        files: Which of the folder's hold stacks.
        parks: This pass traces the parking of virtual threads.
        timed: Only timed samples are recorded.
        notes: Caveats for readers.
    """

    mode: Mode
    unit: Unit
    scale: float
    folder: Path
    environment: Mapping[str, str]
    arguments: tuple[str, ...] = ()
    files: str = "*.collapsed"
    parks: bool = False
    timed: bool = False
    notes: tuple[str, ...] = ()

    def with_arguments(self, command: list[str]) -> list[str]:
        """Add the profiler's arguments to a command."""
        return [*command, *self.arguments]

    @property
    def log(self) -> Path:
        """The profiler's log, kept off standard output, which the protocol uses."""
        return self.folder / _LOG


def sessions(
    mode: Mode,
    library: Path,
    folder: Path,
    environment: Mapping[str, str],
    *,
    virtual_threads: bool = False,
    timed_regions: bool = False,
) -> list[Session]:
    """Return the passes that profile a JVM program: run it once for each, `collect` each and `complement` the first.

    Args:
        mode: Event to profile.
        library: The result of `provide`.
        folder: Output folder of the stacks, one per profile.
        environment: Environment of the program; its `JAVA_TOOL_OPTIONS` are kept.
        virtual_threads: Record parked virtual threads in a second pass in `wall` and `lock` modes.
        timed_regions: The program marks timed samples; the rest is left out.
    """
    event = _event(mode, native=False)
    timed = _between(_TIMED_JVM) if timed_regions else ""
    threads = _jvm_session(mode, event, library, folder / "threads", environment, timed=timed)
    if mode not in {"wall", "lock"}:
        return [threads]
    blind = BLIND_TO_VIRTUAL_MONITORS if virtual_threads else BLIND_TO_PARKED
    passes = [replace(threads, notes=(*threads.notes, blind))]
    if virtual_threads:
        trace = _Event(f"trace=java.lang.VirtualThread.park*:{PARK_THRESHOLD_NS}ns,total", "ns")
        passes.append(
            replace(_jvm_session(mode, trace, library, folder / "parks", environment, timed=timed), parks=True)
        )
    return passes


def jmh_session(mode: Mode, library: Path, folder: Path) -> Session:
    """Profile only the measured iterations through JMH (1.23 or later)."""
    event = _event(mode, native=False)
    if any(character in f"{library}{folder}" for character in ';,"%'):
        raise UsageError(f"JMH's profiler cannot write to {folder}: its options hold no semicolon, comma, quote or %")
    folder.mkdir(parents=True, exist_ok=True)
    first, _, others = event.options.partition(",")
    raw = f"{others},log={folder.resolve() / _LOG},loglevel=warn"
    how = f"async:libPath={library};output=collapsed;dir={folder.resolve()};{first};rawCommand={raw}"
    notes = event.notes if mode in {"cpu", "alloc"} else (*event.notes, BLIND_TO_PARKED)
    return Session(mode, event.unit, event.scale, folder, {}, ("-prof", how), "*/*.csv", timed=True, notes=notes)


def native_session(
    mode: Mode,
    library: Path,
    folder: Path,
    environment: Mapping[str, str],
    *,
    between: tuple[str, str] | None = None,
) -> Session:
    """Profile a native program (Rust, C++, an interpreter's extension) by preloading the library.

    Lock mode sees pthread mutexes and read-write locks only; a lock built on futexes shows in `wall` mode.

    Args:
        mode: Event to profile.
        library: The result of `provide`.
        folder: Output folder of the stacks, one per profile.
        environment: Environment of the program; libraries preloaded in it are kept.
        between: Functions at which a timed sample begins and ends: what is outside is left out.
    """
    event = _event(mode, native=True)
    # Events based on C library hooks are counted from start to end.
    timed = between if mode in {"cpu", "wall"} else None
    options = f"{event.options},cstack=dwarf{_between(timed) if timed else ''}"
    variables = {**_preload(library, environment), "ASPROF_COMMAND": _options(options, folder)}
    return Session(mode, event.unit, event.scale, folder, variables, timed=bool(timed), notes=event.notes)


def _preload(library: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return variables that preload a library; ld.so(8) splits LD_PRELOAD at spaces and colons, without escapes."""
    found = {}
    named = str(library)
    if any(character.isspace() for character in named):
        # A bare name is searched in LD_LIBRARY_PATH, which is split at colons and semicolons only.
        named = library.name
        folders = [str(library.parent), environment.get("LD_LIBRARY_PATH", "")]
        found["LD_LIBRARY_PATH"] = ":".join(filter(None, folders))
    if any(character in str(library) for character in ":;"):
        raise UsageError(f"the profiler cannot be loaded from {library}: its path has a colon or a semicolon")
    return {**found, "LD_PRELOAD": " ".join(filter(None, [named, environment.get("LD_PRELOAD", "")]))}


class _Event(NamedTuple):
    options: str
    unit: Unit
    scale: float = 1.0
    notes: tuple[str, ...] = ()


def _event(mode: Mode, *, native: bool) -> _Event:
    allowed = perf_events_allowed()
    timer, interval_ns = ("cpu", CPU_INTERVAL_NS) if allowed else ("ctimer", CPU_TIMER_INTERVAL_NS)
    blind = () if allowed else (BLIND_TO_KERNEL,)
    events = {
        "cpu": _Event(f"event={timer},interval={interval_ns}", "ns", float(interval_ns), blind),
        "wall": _Event(f"event=wall,interval={WALL_INTERVAL_NS}", "ns", float(WALL_INTERVAL_NS)),
        "lock": _Event(f"event=lock,lock={LOCK_THRESHOLD_NS}ns,total", "ns"),
        "alloc": _Event(f"event=alloc,alloc={ALLOC_INTERVAL_BYTES},total", "bytes"),
    }
    if native:
        lock = f"event=nativelock,nativelock={LOCK_THRESHOLD_NS}ns,total"
        events["lock"] = _Event(lock, "ns", notes=(BLIND_TO_FUTEX,))
        # Every allocation, a microsecond each. Sampled ones weigh what they are and not what they stand for: at an
        # interval of 64 KiB, small allocations would lose 99.8 % of their bytes, and large ones next to none.
        events["alloc"] = _Event("event=nativemem,nativemem=0,total", "bytes")
    if mode not in events:
        raise UsageError(f"no profiling mode {mode!r}", f"there are: {', '.join(MODES)}")
    return events[mode]


def _jvm_session(
    mode: Mode, event: _Event, library: Path, folder: Path, environment: Mapping[str, str], *, timed: str
) -> Session:
    agent = f"-agentpath:{library}={_options(event.options + timed, folder)}"
    # Without non-safepoint debug information, time in inlined methods is booked on a neighbour.
    ours = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints", f'"{agent}"' if " " in agent else agent]
    options = " ".join(filter(None, [environment.get("JAVA_TOOL_OPTIONS", ""), *ours]))
    variables = {"JAVA_TOOL_OPTIONS": options}
    return Session(mode, event.unit, event.scale, folder, variables, timed=bool(timed), notes=event.notes)


def _options(event: str, folder: Path) -> str:
    if any(character in str(folder) for character in ',"%'):
        raise UsageError(f"the profiler cannot write to {folder}: its options hold no comma, quote or percent sign")
    folder.mkdir(parents=True, exist_ok=True)
    # Otherwise stacks of an earlier run in the same folder would be added.
    for left_over in (*folder.glob("*.collapsed"), folder / _LOG):
        left_over.unlink(missing_ok=True)
    absolute = folder.resolve()
    return f"start,{event},collapsed,file={absolute}/%p.collapsed,log={absolute}/{_LOG},loglevel=warn"
