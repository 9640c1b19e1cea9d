"""How much what others have made may come to: a small file can claim, or unfold to, more than a machine has."""

from __future__ import annotations

MOST_CELLS = 40_000_000
"""Rows times columns of a table: 320 MB of numbers, a million samples with forty figures each."""

MOST_OUTPUT = 32 << 20
"""Bytes that a benchmark harness may print in one process."""

MOST_FRAMES = 4_000_000
"""Of all stacks of a profile together: a thousand of the deepest that async-profiler keeps, and as many again."""


class TooMuchError(ValueError):
    """It is more than the lab reads."""


def limit(found: int, most: int, what: str) -> None:
    """Refuse what is too much, before it is made.

    Raises:
        TooMuchError: If it is.
    """
    if found > most:
        raise TooMuchError(f"{what}: {found:,} are too many, {most:,} is the most")
