"""The tree of call stacks, of one profile or of several side by side, and its pruning to what a notebook can hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from perflab.model.errors import UsageError
from perflab.profile.profile import charges, off_cpu

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from perflab.profile.profile import Mode, Profile


LEAST_SHARE = 0.001
"""Frames below this share of the whole are not worth a cell: one pixel in a thousand."""

ROOT_NAME = "all"

DEEPEST = 250
"""Frames of a path in a tree: a stack that goes deeper ends in `CUT`, as recursion without an end does."""
CUT = "(deeper frames, cut)"
_MOST_CALLS = 200_000
"""Frames of a tree, half a kilobyte each; of what comes after them only what is in it already is told apart."""


@dataclass(frozen=True)
class Node:
    """A frame, called on one path.

    Args:
        name: The frame.
        parent: Index of the caller in `Tree.nodes`, -1 for the root.
        depth: Zero for the root.
        totals: Weight of the frame and all it called, one number per profile.
        own: Weight of the frame itself.
        gathered: Number of frames pruned into this node, one if they were cut; zero for a real frame.
    """

    name: str
    parent: int
    depth: int
    totals: tuple[float, ...]
    own: tuple[float, ...]
    gathered: int = 0


@dataclass(frozen=True)
class PrunedTree:
    """Nodes in pre-order, callers before callees, heavier siblings first; `nodes[0]` is the root.

    For every node and profile: total = own + totals of the children. Pruning keeps that.

    Args:
        nodes: At least the root.
        least_share: Frames below this share of the whole were gathered; zero in an unpruned tree.
    """

    nodes: tuple[Node, ...]
    least_share: float = 0.0


class Calls:
    """A frame and what it called, by name, with one number per profile: `own` weight, and `totals` with the callees."""

    __slots__ = ("called", "own", "totals")

    def __init__(self, profiles: int) -> None:
        self.called: dict[str, Calls] = {}
        self.own = [0.0] * profiles
        self.totals = [0.0] * profiles

    def all(self, kept: Callable[[Calls], bool] = lambda _: True) -> Iterator[Calls]:
        """Yield this node and its descendants; `kept` selects which to descend into."""
        waiting = [self]
        while waiting:
            found = waiting.pop()
            yield found
            waiting.extend(filter(kept, found.called.values()))


def build(*profiles: Mapping[tuple[str, ...], float]) -> Calls:
    """Build the tree of all stacks of the profiles, from their common root.

    A stack is cut where it gets deeper than `DEEPEST`, and a light one where it would make the tree too large.
    """
    root = Calls(len(profiles))
    made = 0
    for which, stacks in enumerate(profiles):
        room = _MOST_CALLS * (which + 1) // len(profiles)
        for stack, weight in sorted(stacks.items(), key=lambda item: -item[1]):
            node = root
            node.totals[which] += weight
            for depth, frame in enumerate(stack):
                name = CUT if depth == DEEPEST or (made >= room and frame not in node.called) else frame
                if name not in node.called:
                    node.called[name] = Calls(len(profiles))
                    made += 1
                node = node.called[name]
                node.totals[which] += weight
                if name == CUT:
                    break
            node.own[which] += weight
    return root


def prune(root: Calls, least_share: float = LEAST_SHARE) -> PrunedTree:
    """Gather frames below a share of the whole into one visible node per caller; no weight is lost.

    A frame stays if it reaches the share in any of the profiles, so that what only one of two variants does is seen.
    """
    limits = [least_share * total for total in root.totals]

    def kept(calls: Calls) -> bool:
        return not least_share or any(total >= limit > 0 for total, limit in zip(calls.totals, limits, strict=True))

    nodes: list[Node] = []
    waiting = [(ROOT_NAME, -1, 0, root, 0)]
    while waiting:
        name, parent, depth, calls, gathered = waiting.pop()
        index = len(nodes)
        nodes.append(Node(name, parent, depth, tuple(calls.totals), tuple(calls.own), gathered))
        heaviest_last = sorted(calls.called.items(), key=lambda item: (sum(item[1].totals), item[0]))
        if small := [inner for _, inner in heaviest_last if not kept(inner)]:
            frames = sum(1 for inner in small for _ in inner.all())
            name = f"({frames} {'frame' if frames == 1 else 'frames'} below {100 * least_share:.2g} %)"
            waiting.append((name, index, depth + 1, _sum(small), frames))
        waiting.extend(
            (frame, index, depth + 1, inner, int(frame == CUT)) for frame, inner in heaviest_last if kept(inner)
        )
    return PrunedTree(tuple(nodes), least_share)


def _sum(many: Sequence[Calls]) -> Calls:
    found = Calls(0)
    found.totals = [sum(weights) for weights in zip(*(one.totals for one in many), strict=True)]
    found.own = found.totals
    return found


def prune_to_fit(root: Calls, most: int, least_share: float = LEAST_SHARE) -> PrunedTree:
    """Prune to a maximum number of nodes, including those that gather pruned frames.

    Returns:
        A tree with the `least_share` that this took.
    """

    def share(calls: Calls) -> float:
        return max((one / all_ for one, all_ in zip(calls.totals, root.totals, strict=True) if all_), default=0.0)

    # A frame that calls others may need a node for those of them that do not stay.
    every = root.all(lambda calls: share(calls) >= least_share)
    needed = sorted(((share(calls), 2 if calls.called else 1) for calls in every), reverse=True)
    nodes = 0
    for its_share, its_nodes in needed[1:]:
        nodes += its_nodes
        if nodes >= most:
            # No more than what is this light, however many frames there are of this share.
            return prune(root, max(least_share, its_share * (1 + 1e-9)))
    return prune(root, least_share)


@dataclass(frozen=True)
class FrameChange:
    """Change in what is charged to a frame of the program (see `perflab.profile.profile`), in the difference's unit."""

    frame: str
    before: float
    after: float

    @property
    def delta(self) -> float:
        """After minus before."""
        return self.after - self.before


@dataclass(frozen=True)
class Difference:
    """Two profiles on one tree: `totals[0]` of a node is before, `totals[1]` after.

    Args:
        root: Root of all stacks; weights in `unit`.
        per_operation: Whether weights are per operation; otherwise they are shares of each profile's own total, and a
            frame may shrink in share although it costs as much as before.
        unit: `ns/op`, `bytes/op`, `samples/op`, or `share` (1 is the whole).
        changes: By frame of the program, the largest first; their deltas add up to that of the whole, which is zero by
            construction when compared by share.
    """

    root: Calls
    per_operation: bool
    unit: str
    changes: tuple[FrameChange, ...]


def difference(before: Profile, after: Profile) -> Difference:
    """Compare two profiles of the same mode, per operation if both know how many they did, else by share."""
    if (before.mode, before.unit) != (after.mode, after.unit):
        raise UsageError(
            f"cannot compare a {before.mode} profile in {before.unit} with a {after.mode} profile in {after.unit}",
            "profile both variants in the same mode",
        )
    per_operation = bool(before.operations and after.operations)
    stacks_before = _scaled(before, before.operations if per_operation else before.total)
    stacks_after = _scaled(after, after.operations if per_operation else after.total)
    return Difference(
        root=build(stacks_before, stacks_after),
        per_operation=per_operation,
        unit=f"{before.unit}/op" if per_operation else "share",
        changes=_changes(stacks_before, stacks_after),
    )


def _scaled(profile: Profile, divisor: float | None) -> dict[tuple[str, ...], float]:
    if not divisor:
        raise UsageError(
            f"the {profile.mode} profile of {profile.title or 'a variant'} is empty: its shares have no meaning",
            "profile for longer, or in another mode",
        )
    return {stack: weight / divisor for stack, weight in profile.stacks.items()}


def _changes(
    before: Mapping[tuple[str, ...], float], after: Mapping[tuple[str, ...], float]
) -> tuple[FrameChange, ...]:
    old = {charge.frame: charge.weight for charge in charges(before)}
    new = {charge.frame: charge.weight for charge in charges(after)}
    changes = [FrameChange(frame, old.get(frame, 0.0), new.get(frame, 0.0)) for frame in old.keys() | new.keys()]
    return tuple(sorted(changes, key=lambda change: (-abs(change.delta), change.frame)))


EVERYTHING_ELSE = "everything else"


class CauseLike(Protocol):
    """A cause and how to recognise it, as a manifest has it."""

    @property
    def name(self) -> str:
        """Name in the report, such as "waiting for the lock"."""

    @property
    def mode(self) -> Mode:
        """Mode of the profiles that show it."""

    @property
    def frames(self) -> str:
        """Regular expression, searched in the cleaned stack joined with `;`, outermost frame first."""


@dataclass(frozen=True)
class CauseShare:
    """A cause's part of a profile.

    Args:
        name: The cause.
        weight: In the profile's unit.
        share: Share of the whole profile, 0 to 1.
        per_operation: Weight per operation, where the profile knows how many there were.
        off_cpu_share: Share of `weight` spent off-CPU, 0 to 1; only in `wall` mode.
    """

    name: str
    weight: float
    share: float
    per_operation: float | None = None
    off_cpu_share: float | None = None


@dataclass(frozen=True)
class RootCauses:
    """Rows in the order of the causes, what no cause explains last; their shares add up to one."""

    mode: Mode
    unit: str
    total: float
    rows: tuple[CauseShare, ...]


def root_causes(profile: Profile, causes: Sequence[CauseLike]) -> RootCauses:
    """Attribute every stack to the first cause that matches it.

    Causes of other modes are passed over, so that one list serves all profiles of a scenario. Of a stack that is deeper
    than twice `DEEPEST`, they are searched in so many of its outermost and of its innermost frames.
    """
    applicable = [cause for cause in causes if cause.mode == profile.mode]
    names = [cause.name for cause in applicable]
    if len(set(names)) < len(names) or EVERYTHING_ELSE in names:
        raise UsageError(f"root causes need names of their own, none of them {EVERYTHING_ELSE!r}: {', '.join(names)}")
    patterns = [(cause.name, _compiled(cause)) for cause in applicable]
    weights = dict.fromkeys([*names, EVERYTHING_ELSE], 0.0)
    slept = dict.fromkeys(weights, 0.0)
    for stack, weight in profile.stacks.items():
        # Patterns such as `offer;.*park` take quadratic time.
        joined = ";".join(stack if len(stack) <= 2 * DEEPEST else (*stack[:DEEPEST], *stack[-DEEPEST:]))
        name = next((name for name, pattern in patterns if pattern.search(joined)), EVERYTHING_ELSE)
        weights[name] += weight
        if off_cpu(stack):
            slept[name] += weight
    total = profile.total
    rows = tuple(
        CauseShare(
            name=name,
            weight=weight,
            share=weight / total if total else 0.0,
            per_operation=weight / profile.operations if profile.operations else None,
            off_cpu_share=(slept[name] / weight if weight else 0.0) if profile.mode == "wall" else None,
        )
        for name, weight in weights.items()
    )
    return RootCauses(profile.mode, profile.unit, total, rows)


def _compiled(cause: CauseLike) -> re.Pattern[str]:
    try:
        return re.compile(cause.frames)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"the frames of the root cause {cause.name!r} are no regular expression: {error}") from error
