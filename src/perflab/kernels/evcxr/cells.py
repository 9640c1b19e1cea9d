"""The cells of a notebook, one after the other."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

Message = dict[str, Any]

CELLS_FILE = "cells.json"
"""The sources of all cells, for labkits; in the kernel's workplace."""

_SETTLE_S = 0.05
_LATE_S = 0.5


class Cell:
    """The one that runs.

    It has ended when evcxr says so and what it has printed is through: its errors come on another way than its end, and
    may come later.

    Args:
        request: What Jupyter has asked.
        identity: Who has asked.
    """

    def __init__(self, request: Message, identity: list[bytes]) -> None:
        self.id: str = request["header"]["msg_id"]
        self.request = request
        self.identity = identity
        self.reply: Message | None = None
        self.end: Message | None = None
        self._ended_at = 0.0

    def take_end(self, status: Message) -> None:
        """Evcxr says that it has ended."""
        self.end = status
        self._ended_at = time.monotonic()

    def has_ended(self, *, is_more_expected: bool) -> bool:
        """Whether that, the reply and all that it has printed are here."""
        if self.end is None or self.reply is None:
            return False
        return time.monotonic() - self._ended_at >= (_LATE_S if is_more_expected else _SETTLE_S)


class Sources:
    """The sources of all cells.

    Args:
        place: The kernel's workplace.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self._all: list[str] = []

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self._all)

    def keep(self, code: str) -> None:
        """Add one, which is about to run."""
        self._all.append(code)
        (self._place / CELLS_FILE).write_text(json.dumps(self._all), encoding="utf-8")

    def line_of_cell(self, compiled: int) -> int | None:
        """The line of the last cell for one of what evcxr has compiled: there, statements have lines of their own."""
        try:
            line = (self._place / "src" / "lib.rs").read_text(encoding="utf-8").splitlines()[compiled - 1].strip()
        except (OSError, IndexError):
            return None
        lines = [own.strip() for own in self._all[-1].splitlines()] if self._all else []
        found = [number for number, own in enumerate(lines, 1) if own and line and (own in line or line in own)]
        return found[0] if len(found) == 1 else None
