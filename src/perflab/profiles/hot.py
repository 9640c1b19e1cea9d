"""Which frames of the program a profile charges, whatever the library and kernel functions below them are called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflab.profiles.frames import is_managed, kind

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Charge:
    """What is charged to a frame.

    Args:
        frame: The program's innermost frame in the stacks that are charged to it.
        weight: Of those stacks.
        mostly_in: The frame in which most of that weight was spent, often deep in a library.
    """

    frame: str
    weight: float
    mostly_in: str


def is_managed_program(stacks: Mapping[tuple[str, ...], float]) -> bool:
    """Whether a runtime with managed methods (JVM, .NET) was profiled: its native frames are then not the program."""
    return any(is_managed(frame) for stack in stacks for frame in stack)


def responsible(stack: tuple[str, ...], *, managed: bool) -> str:
    """The innermost frame that is the program's own; else the innermost one of a library; else the innermost one.

    That a thread waits in `futex` says little, and which of the program's functions waits there says it.
    """
    kinds = [kind(frame, managed=managed) for frame in stack]
    for wanted in ("program", "library"):
        if wanted in kinds:
            return stack[len(kinds) - 1 - kinds[::-1].index(wanted)]
    return stack[-1]


def charges(stacks: Mapping[tuple[str, ...], float]) -> list[Charge]:
    """Each stack's weight charged to one frame, heaviest first; they add up to the whole."""
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
