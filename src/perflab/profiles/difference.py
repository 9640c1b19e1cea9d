"""What changed between two profiles, frame by frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflab.errors import UsageError
from perflab.profiles import hot, tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perflab.profiles.profile import Mode, Profile, Unit


@dataclass(frozen=True)
class Change:
    """What is charged to a frame of the program (see `perflab.profiles.hot`), in the difference's unit."""

    frame: str
    before: float
    after: float

    @property
    def delta(self) -> float:
        """After less before."""
        return self.after - self.before


@dataclass(frozen=True)
class Difference:
    """Two profiles on one tree: `totals[0]` of a node is before, `totals[1]` after.

    Args:
        tree: Unpruned; weights in `unit`.
        per_operation: Whether weights are per operation; otherwise they are shares of each profile's own total, and a
            frame may shrink in share although it costs as much as before.
        unit: `ns/op`, `bytes/op`, `samples/op`, or `share` (1 is the whole).
        mode: Of both profiles.
        before_title: Title of the first profile.
        after_title: Title of the second one.
        changes: By frame of the program, the largest first; their deltas add up to `delta`.
    """

    tree: tree.Tree
    per_operation: bool
    unit: str
    mode: Mode
    before_title: str
    after_title: str
    changes: tuple[Change, ...]

    @property
    def delta(self) -> float:
        """Weight of the whole, after less before; zero by construction when compared by share."""
        before, after = self.tree.totals
        return after - before


def difference(before: Profile, after: Profile) -> Difference:
    """Compare two profiles of the same mode, per operation if both know how many they did, else by share.

    Raises:
        UsageError: If their modes or units differ, or if one of them is empty, so that shares have no meaning.
    """
    if (before.mode, before.unit) != (after.mode, after.unit):
        raise UsageError(
            f"cannot compare a {before.mode} profile in {before.unit} with a {after.mode} profile in {after.unit}",
            "profile both variants in the same mode",
        )
    per_operation = bool(before.operations and after.operations)
    stacks_before = _scaled(before, before.operations if per_operation else before.total)
    stacks_after = _scaled(after, after.operations if per_operation else after.total)
    return Difference(
        tree=tree.build(stacks_before, stacks_after),
        per_operation=per_operation,
        unit=_unit(before.unit) if per_operation else "share",
        mode=before.mode,
        before_title=before.title or "before",
        after_title=after.title or "after",
        changes=_changes(stacks_before, stacks_after),
    )


def _scaled(profile: Profile, divisor: float | None) -> dict[tuple[str, ...], float]:
    if not divisor:
        raise UsageError(
            f"the {profile.mode} profile of {profile.title or 'a variant'} is empty: its shares have no meaning",
            "profile for longer, or in another mode",
        )
    return {stack: weight / divisor for stack, weight in profile.stacks.items()}


def _unit(unit: Unit) -> str:
    return f"{unit}/op"


def _changes(before: Mapping[tuple[str, ...], float], after: Mapping[tuple[str, ...], float]) -> tuple[Change, ...]:
    old = {charge.frame: charge.weight for charge in hot.charges(before)}
    new = {charge.frame: charge.weight for charge in hot.charges(after)}
    changes = [Change(frame, old.get(frame, 0.0), new.get(frame, 0.0)) for frame in old.keys() | new.keys()]
    return tuple(sorted(changes, key=lambda change: (-abs(change.delta), change.frame)))
