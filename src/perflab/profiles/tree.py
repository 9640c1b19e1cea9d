"""The tree of call stacks, of one profile or of several side by side, and its pruning to what a notebook can hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LEAST_SHARE = 0.001
"""Frames below this share of the whole are not worth a cell: one pixel in a thousand."""

ROOT_NAME = "all"


@dataclass(frozen=True)
class Node:
    """A frame, called on one path.

    Args:
        name: The frame.
        parent: Index of the caller in `Tree.nodes`, -1 for the root.
        depth: Zero for the root.
        totals: Weight of the frame and all it called, one number per profile.
        own: Weight of the frame itself.
        gathered: How many frames were pruned into this node; zero for a real frame.
    """

    name: str
    parent: int
    depth: int
    totals: tuple[float, ...]
    own: tuple[float, ...]
    gathered: int = 0


@dataclass(frozen=True)
class Tree:
    """Nodes in pre-order, callers before callees, heavier siblings first; `nodes[0]` is the root.

    For every node and profile: total = own + totals of the children. Pruning keeps that.

    Args:
        nodes: At least the root.
        least_share: Frames below this share of the whole were gathered; zero in an unpruned tree.
    """

    nodes: tuple[Node, ...]
    least_share: float = 0.0

    @property
    def totals(self) -> tuple[float, ...]:
        """The weight of everything, one number per profile."""
        return self.nodes[0].totals

    @property
    def depth(self) -> int:
        """Length of the longest stack, the root not counted."""
        return max(node.depth for node in self.nodes)

    def children(self) -> dict[int, list[int]]:
        """Indices of the nodes that each node calls."""
        called: dict[int, list[int]] = {}
        for index, node in enumerate(self.nodes):
            called.setdefault(node.parent, []).append(index)
        return called


class _Growing:
    __slots__ = ("called", "own", "totals")

    def __init__(self, profiles: int) -> None:
        self.called: dict[str, _Growing] = {}
        self.own = [0.0] * profiles
        self.totals = [0.0] * profiles


def build(*profiles: Mapping[tuple[str, ...], float]) -> Tree:
    """The tree of all stacks in any of the profiles."""
    root = _Growing(len(profiles))
    for which, stacks in enumerate(profiles):
        for stack, weight in stacks.items():
            node = root
            node.totals[which] += weight
            for frame in stack:
                node = node.called.setdefault(frame, _Growing(len(profiles)))
                node.totals[which] += weight
            node.own[which] += weight
    nodes: list[Node] = []
    # A stack of its own instead of recursion: profiled programs recurse deeper than Python does.
    waiting = [(ROOT_NAME, -1, 0, root)]
    while waiting:
        name, parent, depth, growing = waiting.pop()
        index = len(nodes)
        nodes.append(Node(name, parent, depth, tuple(growing.totals), tuple(growing.own)))
        heaviest_last = sorted(growing.called.items(), key=lambda item: (sum(item[1].totals), item[0]))
        waiting.extend((frame, index, depth + 1, inner) for frame, inner in heaviest_last)
    return Tree(tuple(nodes))


def prune(tree: Tree, least_share: float = LEAST_SHARE) -> Tree:
    """Gather frames below a share of the whole into one visible node per caller; no weight is lost.

    A frame stays if it reaches the share in any of the profiles, so that what only one of two variants does is seen.

    Args:
        tree: An unpruned tree: gathering what was gathered before would count wrongly.
        least_share: As a fraction of the whole.
    """
    called = tree.children()
    frames_below = _descendants(tree, called)
    limits = [least_share * total for total in tree.totals]
    nodes: list[Node] = []
    waiting: list[tuple[Node, int | None, int]] = [(tree.nodes[0], 0, -1)]
    while waiting:
        node, index, parent = waiting.pop()
        place = len(nodes)
        nodes.append(replace(node, parent=parent))
        if index is None:
            continue
        kept: list[int] = []
        small: list[int] = []
        for child in called.get(index, []):
            heavy = any(total >= limit > 0 for total, limit in zip(tree.nodes[child].totals, limits, strict=True))
            (kept if heavy else small).append(child)
        if small:
            waiting.append((_gathered(tree, small, frames_below, least_share), None, place))
        waiting.extend((tree.nodes[child], child, place) for child in reversed(kept))
    return Tree(tuple(nodes), least_share)


def prune_to_fit(tree: Tree, size: Callable[[Tree], int], limit: int, least_share: float = LEAST_SHARE) -> Tree:
    """Prune further and further until what is drawn of it fits.

    Args:
        tree: An unpruned tree.
        size: What a pruned tree comes to, as in the bytes of its figure.
        limit: What it may come to.
        least_share: Where to start.

    Returns:
        A tree whose `least_share` says how far it went.
    """
    pruned = prune(tree, least_share)
    while size(pruned) > limit and least_share < 1:
        least_share *= 1.5
        pruned = prune(tree, least_share)
    return pruned


def _gathered(tree: Tree, small: Sequence[int], frames_below: Sequence[int], least_share: float) -> Node:
    frames = sum(1 + frames_below[child] for child in small)
    totals = tuple(map(sum, zip(*(tree.nodes[child].totals for child in small), strict=True)))
    plural = "frame" if frames == 1 else "frames"
    name = f"({frames} {plural} below {100 * least_share:.2g} %)"
    return Node(name, -1, tree.nodes[small[0]].depth, totals, totals, frames)


def _descendants(tree: Tree, called: Mapping[int, Sequence[int]]) -> list[int]:
    counts = [0] * len(tree.nodes)
    for index in range(len(tree.nodes) - 1, -1, -1):  # pre-order, so that callees are counted before their callers
        counts[index] = sum(1 + counts[child] for child in called.get(index, []))
    return counts
