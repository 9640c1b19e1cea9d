"""What a reader's variant becomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, repr=False)
class Plugin:
    """A variant of the reader's own that compiles and keeps its topic's contract; `lab.measure` takes it as a variant.

    Attributes:
        topic: Whose variant it is.
        variants: The names it is measured under, as in `my-buffers`.
        checks: The contract's checks that it passed.
        path: The plug-in.
    """

    topic: str
    variants: tuple[str, ...]
    checks: tuple[str, ...]
    path: Path

    def __repr__(self) -> str:
        passed = "".join(f"\n  ok  {check}" for check in self.checks)
        return f"{', '.join(self.variants)}: keeps the contract of {self.topic}{passed}"
