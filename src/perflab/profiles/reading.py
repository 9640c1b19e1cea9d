"""What a counter of the operating system hands over when the program has ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Reading:
    """Totals over a run, and what a reader has to know about them.

    Args:
        counters: Names carry their unit; a name that is not there could not be counted.
        notes: What is missing or approximate, and why.
    """

    counters: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __add__(self, other: Reading) -> Reading:
        """Both together; a name in both is taken from `other`."""
        return Reading({**self.counters, **other.counters}, self.notes + other.notes)
