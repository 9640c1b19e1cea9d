"""Which frames weigh most, over all paths that lead to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Frame:
    """A frame's weight over all stacks.

    Args:
        name: The frame.
        own: Weight of stacks that end in it.
        total: Weight of stacks that hold it; a recursive frame counts once per stack.
    """

    name: str
    own: float
    total: float


def frames(stacks: Mapping[tuple[str, ...], float]) -> dict[str, Frame]:
    """All frames by name."""
    own: dict[str, float] = {}
    total: dict[str, float] = {}
    for stack, weight in stacks.items():
        own[stack[-1]] = own.get(stack[-1], 0.0) + weight
        for name in set(stack):
            total[name] = total.get(name, 0.0) + weight
    return {name: Frame(name, own.get(name, 0.0), weight) for name, weight in total.items()}


def hottest(stacks: Mapping[tuple[str, ...], float], count: int = 10) -> list[Frame]:
    """The frames with the largest weight of their own, heaviest first."""
    ordered = sorted(frames(stacks).values(), key=lambda frame: (-frame.own, -frame.total, frame.name))
    return [frame for frame in ordered[:count] if frame.own > 0]
