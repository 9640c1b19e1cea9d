"""A profile, whatever made it: weighted call stacks and a table of counters."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, get_args

import msgspec

from perflab.errors import BenchError, UsageError
from perflab.profiles import collapsed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Mode = Literal["cpu", "wall", "lock", "alloc"]
Unit = Literal["ns", "bytes", "samples"]
Stack = tuple[str, ...]

MODES: tuple[Mode, ...] = get_args(Mode)

NO_STACKS = "no stacks here: "
"""How the note begins of a profile that knows threads only, because the machine does not allow more."""

_FORMAT_VERSION = 1
_STACKS_FILE = "stacks.collapsed"
_PROFILE_FILE = "profile.json"


@dataclass(frozen=True)
class Profile:
    """Where a program's time or memory went.

    Args:
        mode: What was sampled: `cpu` time, `wall` time (off-CPU included), time waiting for a `lock`, or
            bytes `alloc`ated.
        unit: Of the weights. In `wall` mode the time of all threads is added up, so that it exceeds the clock's.
        stacks: Weight of each call stack, outermost frame first.
        counters: Totals over the same run, from the operating system or the runtime; names carry their unit.
        title: What was profiled, for the head of a chart.
        operations: Operations done while profiling, where known: two profiles are then compared per operation.
        notes: What a reader has to know to not misread the profile.
    """

    mode: Mode
    unit: Unit
    stacks: Mapping[Stack, float]
    counters: Mapping[str, float] = field(default_factory=dict)
    title: str = ""
    operations: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """Weight of all stacks together."""
        return sum(self.stacks.values())

    def save(self, folder: Path) -> None:
        """Write `stacks.collapsed`, which any flame graph tool reads, and `profile.json` with the rest."""
        folder.mkdir(parents=True, exist_ok=True)
        rest = _Rest(
            version=_FORMAT_VERSION,
            mode=self.mode,
            unit=self.unit,
            counters=dict(self.counters),
            title=self.title,
            operations=self.operations,
            notes=self.notes,
        )
        _replace(folder / _STACKS_FILE, collapsed.write(self.stacks).encode())
        # Written last: a folder with a profile.json is complete.
        _replace(folder / _PROFILE_FILE, msgspec.json.format(msgspec.json.encode(rest)))

    @classmethod
    def load(cls, folder: Path) -> Profile:
        """Read what `save` wrote.

        Raises:
            UsageError: If there is no profile in the folder.
            BenchError: If there is one, but this version of the lab cannot read it.
        """
        try:
            encoded = (folder / _PROFILE_FILE).read_bytes()
            text = (folder / _STACKS_FILE).read_text()
        except FileNotFoundError as missing:
            raise UsageError(f"no profile in {folder}", "make one with: lab profile") from missing
        try:
            rest = msgspec.json.decode(encoded, type=_Rest)
            stacks = collapsed.parse(text)
        except (msgspec.DecodeError, ValueError) as broken:
            raise BenchError(f"cannot read the profile in {folder}: {broken}", "profile again") from broken
        if rest.version != _FORMAT_VERSION:
            raise BenchError(
                f"the profile in {folder} has format {rest.version}, not {_FORMAT_VERSION}", "profile again"
            )
        return cls(rest.mode, rest.unit, stacks, rest.counters, rest.title, rest.operations, rest.notes)


class _Rest(msgspec.Struct, frozen=True):
    version: int
    mode: Mode
    unit: Unit
    counters: dict[str, float]
    title: str
    operations: float | None
    notes: tuple[str, ...]


def merge(profiles: Sequence[Profile]) -> Profile:
    """One profile of several of the same kind, as of several processes: weights, counters and operations add up.

    Of counters whose names end in `_max` the largest is kept.

    Passes that show different parts of the same work are no such thing: see `complement`.

    Raises:
        UsageError: If there is none, or if their modes or units differ: samples and bytes have no sum.
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
        stacks=collapsed.merge(profile.stacks for profile in profiles),
        counters=counters,
        title=next((profile.title for profile in profiles if profile.title), ""),
        # A sum over some of the profiles would make each operation look dearer than it is.
        operations=sum(operations) if len(operations) == len(profiles) else None,
        notes=tuple(dict.fromkeys(note for profile in profiles for note in profile.notes)),
    )


def complement(profile: Profile, other: Profile) -> Profile:
    """A profile and what another pass over the same work showed in addition: the weights add up, the work does not.

    Where both know their operations, the other pass is scaled to those of the first; else both count as equally long.

    Raises:
        UsageError: If their modes or units differ.
    """
    factor = profile.operations / other.operations if profile.operations and other.operations else 1.0
    scaled = replace(
        other,
        stacks={stack: weight * factor for stack, weight in other.stacks.items()},
        counters={},
    )
    return replace(merge([profile, scaled]), operations=profile.operations)


def _replace(path: Path, content: bytes) -> None:
    # A rename is atomic within a folder, so that a reader sees the old file or the new one.
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)  # noqa: PTH105 - Path.replace says the same less clearly
