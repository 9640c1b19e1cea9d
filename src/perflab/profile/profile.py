"""A profile, whatever made it: weighted call stacks and a table of counters."""

from __future__ import annotations

import re
from collections.abc import Mapping  # noqa: TC003 - msgspec reads the annotations
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from perflab.model.errors import BenchError, UsageError, one_line
from perflab.model.files import UNREADABLE, atomic, write_json
from perflab.profile.frames import cut, is_managed, kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


@dataclass(frozen=True)
class Reading:
    """Totals over a run, and what a reader has to know about them.

    Args:
        counters: Names carry their unit; a name that is not there could not be counted.
        notes: Missing or approximate data, and the reasons.
    """

    counters: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


_MOST = 1e30
"""Maximum weight or number of operations, so that sums and quotients stay finite."""


def parse_collapsed(text: str) -> dict[tuple[str, ...], float]:
    """Read collapsed stacks; a stack that stands on several lines is added up.

    Frame names may hold spaces (C++ does), so that the weight is what stands after the last one.
    """
    stacks: dict[tuple[str, ...], float] = {}
    names: dict[str, str] = {}  # interned: names occur in many stacks
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        frames, _, weight = line.rstrip().rpartition(" ")
        try:
            value = float(weight)
        except ValueError:
            raise ValueError(f"line {number} of the collapsed stacks has no weight: {line[:120]!r}") from None
        if not 0 <= value <= _MOST:
            raise ValueError(f"line {number} of the collapsed stacks weighs {weight}")
        stack = tuple(names.setdefault(name, name) for name in map(cut, frames.split(";")))
        stacks[stack] = stacks.get(stack, 0.0) + value
    return stacks


def write_collapsed(stacks: Mapping[tuple[str, ...], float]) -> str:
    """Write collapsed stacks, sorted, so that equal profiles are equal files.

    A `;` or a line break within a frame's name cannot be told from a separator and becomes a comma or a space.
    """
    lines = sorted(f"{';'.join(map(_plain, stack))} {_number(weight)}\n" for stack, weight in stacks.items())
    return "".join(lines)


def merge_stacks(many: Iterable[Mapping[tuple[str, ...], float]]) -> dict[tuple[str, ...], float]:
    """Add the weights of equal stacks up."""
    merged: dict[tuple[str, ...], float] = {}
    for stacks in many:
        for stack, weight in stacks.items():
            merged[stack] = merged.get(stack, 0.0) + weight
    return merged


HARNESS_LOOP = "(the harness's loop, and what is compiled into it)"


def of_benchmark(
    stacks: Mapping[tuple[str, ...], float], own_frames: str, calling_frames: str
) -> dict[tuple[str, ...], float]:
    """Cut stacks so that they start at the benchmark; those of threads that it started stay whole.

    What else the harness did is left out: start-up, set-up, its own waiting.

    Args:
        stacks: Cleaned.
        own_frames: A regular expression of the harness's frames.
        calling_frames: A regular expression of those that call a benchmark.
    """
    own, calling = re.compile(own_frames), re.compile(calling_frames)
    found: list[dict[tuple[str, ...], float]] = []
    for stack, weight in stacks.items():
        first = next((depth for depth, frame in enumerate(stack) if calling.match(frame)), None)
        if first is None:
            if not any(map(own.match, stack)):
                found.append({stack: weight})
            continue
        called = stack[next((at for at in range(first, len(stack)) if not calling.match(stack[at])), len(stack)) :]
        found.append({called if called and not own.match(called[0]) else (HARNESS_LOOP,): weight})
    return merge_stacks(found)


def _plain(frame: str) -> str:
    return frame.replace(";", ",").replace("\n", " ")


def _number(weight: float) -> str:
    return str(int(weight)) if weight.is_integer() else repr(weight)


SampledMode = Literal["cpu", "wall", "lock", "alloc"]
Mode = SampledMode | Literal["counts"]
Unit = Literal["ns", "bytes", "samples", "instructions"]
Stack = tuple[str, ...]

MODES: tuple[SampledMode, ...] = get_args(SampledMode)
"""Those of profilers, which sample; `counts` are complete, see `profile.callgrind`."""

RUNTIME_IDLE = "runtime_threads_idle_ns"
"""The counter of the time that the runtime's own threads wait."""

_FORMAT_VERSION = 1
STACKS_FILE = "stacks.collapsed"
REST_FILE = "profile.json"


@dataclass(frozen=True)
class Profile:
    """Where a program's time or memory went.

    Args:
        mode: What was sampled: `cpu` time, `wall` time (off-CPU included), time waiting for a `lock`, or
            bytes `alloc`ated; `counts` are of instructions executed.
        unit: Unit of weights. In `wall` mode they sum over threads, and so exceed elapsed time.
        stacks: Weight of each call stack, outermost frame first.
        counters: Totals over the same run, from the operating system or the runtime; names carry their unit.
        title: Title of the chart.
        operations: Operations done while profiling, where known: two profiles are then compared per operation.
        notes: Caveats for readers.
        stackless: Why it knows threads only and no claim is judged by it; empty if it has stacks.
    """

    mode: Mode
    unit: Unit
    stacks: Mapping[Stack, float]
    counters: Mapping[str, float] = field(default_factory=dict)
    title: str = ""
    operations: float | None = None
    notes: tuple[str, ...] = ()
    stackless: str = ""

    @property
    def total(self) -> float:
        """Weight of all stacks together."""
        return sum(self.stacks.values())

    def save(self, folder: Path) -> None:
        """Write `stacks.collapsed`, which any flame graph tool reads, and `profile.json` with the rest."""
        with atomic(folder / STACKS_FILE) as draft:
            draft.write_text(write_collapsed(self.stacks), encoding="utf-8")
        # Written last: a folder with a profile.json is complete.
        write_json(folder / REST_FILE, self.without_stacks())

    def without_stacks(self) -> dict[str, Any]:
        """Return the contents of `profile.json`."""
        rest: dict[str, Any] = {"version": _FORMAT_VERSION} | msgspec.to_builtins(replace(self, stacks={}))
        del rest["stacks"]
        return rest

    @classmethod
    def load(cls, folder: Path) -> Profile:
        """Read what `save` wrote."""
        try:
            own = {path.name: path for path in folder.iterdir()}
            encoded, text = own[REST_FILE].read_bytes(), own[STACKS_FILE].read_bytes()
        except (FileNotFoundError, KeyError) as missing:
            raise UsageError(f"no profile in {folder}", "make one with: lab profile") from missing
        except OSError as error:
            raise BenchError(f"cannot read the profile in {folder}: {error}", "profile again") from None
        try:
            rest = msgspec.json.decode(encoded, type=dict[str, Any])
            version = rest.pop("version", None)
            found = msgspec.convert({**rest, "stacks": {}}, cls)
            stacks = parse_collapsed(text.decode())
        except (OverflowError, ValueError, *UNREADABLE) as broken:
            raise BenchError(f"cannot read the profile in {folder}: {one_line(broken)}", "profile again") from broken
        if version != _FORMAT_VERSION:
            raise BenchError(f"the profile in {folder} has format {version!r}, not {_FORMAT_VERSION}", "profile again")
        return replace(found, stacks=stacks)


def merge(profiles: Sequence[Profile]) -> Profile:
    """Merge profiles of several processes: weights, counters and operations add up.

    Of counters whose names end in `_max` the largest is kept.

    Passes that show different parts of the same work are no such thing: see `complement`.
    """
    if not profiles:
        raise UsageError("no profiles to merge")
    first = profiles[0]
    for other in profiles[1:]:
        if (other.mode, other.unit) != (first.mode, first.unit):
            raise UsageError(
                f"cannot merge a {first.mode} profile in {first.unit} with a {other.mode} profile in {other.unit}"
            )
    counters: dict[str, float] = {}
    for profile in profiles:
        for name, value in profile.counters.items():
            counters[name] = (
                max(counters.get(name, value), value) if name.endswith("_max") else counters.get(name, 0.0) + value
            )
    operations = [profile.operations for profile in profiles if profile.operations is not None]
    return Profile(
        mode=first.mode,
        unit=first.unit,
        stacks=merge_stacks(profile.stacks for profile in profiles),
        counters=counters,
        title=next((profile.title for profile in profiles if profile.title), ""),
        # A sum over only some profiles would overstate the cost per operation.
        operations=sum(operations) if len(operations) == len(profiles) else None,
        notes=tuple(dict.fromkeys(note for profile in profiles for note in profile.notes)),
        stackless=next((profile.stackless for profile in profiles if profile.stackless), ""),
    )


def complement(profile: Profile, other: Profile) -> Profile:
    """Add another pass over the same work to a profile: weights add up, operations do not.

    Where both know their operations, the other pass is scaled to those of the first; else both count as equally long.
    """
    factor = profile.operations / other.operations if profile.operations and other.operations else 1.0
    scaled = replace(other, stacks={stack: weight * factor for stack, weight in other.stacks.items()}, counters={})
    return replace(merge([profile, scaled]), operations=profile.operations)


@dataclass(frozen=True)
class Charge:
    """Cost charged to a frame.

    Args:
        frame: The program's innermost frame in the stacks that are charged to it.
        weight: Weight of those stacks.
        mostly_in: The frame in which most of that weight was spent, often deep in a library.
    """

    frame: str
    weight: float
    mostly_in: str


def is_managed_program(stacks: Mapping[tuple[str, ...], float]) -> bool:
    """Return whether a managed runtime (JVM, .NET) was profiled; its native frames are then not the program's."""
    return any(is_managed(frame) for stack in stacks for frame in stack)


def responsible(stack: tuple[str, ...], *, managed: bool) -> str:
    """Return the innermost frame of the program, else of a library, else the innermost of all.

    That a thread waits in `futex` says little, and which of the program's functions waits there says it.
    """
    kinds = [kind(frame, managed=managed) for frame in stack]
    for wanted in ("program", "library"):
        if wanted in kinds:
            return stack[len(kinds) - 1 - kinds[::-1].index(wanted)]
    return stack[-1]


def charges(stacks: Mapping[tuple[str, ...], float]) -> list[Charge]:
    """Charge each stack's weight to one frame; return the charges, heaviest first, which add up to the total."""
    managed = is_managed_program(stacks)
    inner: dict[str, dict[str, float]] = {}
    for stack, weight in stacks.items():
        leaves = inner.setdefault(responsible(stack, managed=managed), {})
        leaves[stack[-1]] = leaves.get(stack[-1], 0.0) + weight
    found = [
        Charge(frame, sum(leaves.values()), max(leaves, key=lambda leaf: (leaves[leaf], leaf)))
        for frame, leaves in inner.items()
    ]
    return sorted(found, key=lambda charge: (-charge.weight, charge.frame))


# Distinguish waiting from running threads by their innermost frames.
#
# A `wall` sample holds no thread state, but a thread that the kernel has put to sleep stands in one of few functions.


ALL_ASLEEP = "(while every thread sleeps)"
"""Stands innermost in a wait during which no thread of the program ran or could have run."""

# The C library's and the kernel's ways to sleep, HotSpot's own parking, and the names that Java's waiting methods have.
# A thread that yields or wakes another one runs.
_SLEEPING = re.compile(
    r"(__)?futex(_\w+)?_wait\w*|__lll_lock_wait\w*|_*pthread_cond_(timed|clock)?wait\w*|_*pthread_(clock|timed)?join\w*"
    r"|__new_sem_wait\w*|sem_(timed|clock)?wait|(__)?(clock_)?nanosleep|usleep"
    r"|(__)?(epoll_p?wait2?|p?poll|p?select|accept4?|recv(from|msg)?|read|wait4|waitpid|sigtimedwait|sigwait)"
    r"|Platform(Event|Monitor|Mutex|Parker)::(park|wait)\w*|Parker::park"
    r"|jdk\.internal\.misc\.Unsafe\.park|java\.lang\.(Object\.wait0?|Thread\.sleep(Nanos)?0?)"
    r"|java\.lang\.VirtualThread\.(park\w*|yieldContinuation)"
    r"|(schedule|__schedule|futex_\w*wait\w*|do_nanosleep|schedule_hrtimeout_range) \[kernel\]"
)


def off_cpu(stack: tuple[str, ...]) -> bool:
    """Return whether a thread with this (cleaned) stack is off-CPU: its innermost frame is a blocking function."""
    return stack[-1] == ALL_ASLEEP or bool(_SLEEPING.fullmatch(stack[-1]))
