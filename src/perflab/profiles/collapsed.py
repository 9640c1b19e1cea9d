"""Collapsed stacks: the text form `outer;inner;leaf 123` that every flame graph tool reads and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def parse(text: str) -> dict[tuple[str, ...], float]:
    """Read collapsed stacks; a stack that stands on several lines is added up.

    Frame names may hold spaces (C++ does), so that the weight is what stands after the last one.

    Raises:
        ValueError: If a line has no weight, naming the line.
    """
    stacks: dict[tuple[str, ...], float] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        frames, _, weight = line.rstrip().rpartition(" ")
        try:
            value = float(weight)
        except ValueError:
            raise ValueError(f"line {number} of the collapsed stacks has no weight: {line[:120]!r}") from None
        stack = tuple(frames.split(";"))
        stacks[stack] = stacks.get(stack, 0.0) + value
    return stacks


def write(stacks: Mapping[tuple[str, ...], float]) -> str:
    """Write collapsed stacks, sorted, so that equal profiles are equal files.

    A `;` or a line break within a frame's name cannot be told from a separator and becomes a comma or a space.
    """
    lines = sorted(f"{';'.join(map(_plain, stack))} {_number(weight)}\n" for stack, weight in stacks.items())
    return "".join(lines)


def merge(many: Iterable[Mapping[tuple[str, ...], float]]) -> dict[tuple[str, ...], float]:
    """Add the weights of equal stacks up."""
    merged: dict[tuple[str, ...], float] = {}
    for stacks in many:
        for stack, weight in stacks.items():
            merged[stack] = merged.get(stack, 0.0) + weight
    return merged


def _plain(frame: str) -> str:
    return frame.replace(";", ",").replace("\n", " ")


def _number(weight: float) -> str:
    return str(int(weight)) if weight.is_integer() else repr(weight)
