"""Where a kernel compiles its cells, and what they are."""

from __future__ import annotations

import itertools
import json
import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


DISPLAY_MARK = f"\x02perflab {secrets.token_hex(8)} "
"""Begins the lines that are displays of the labkit. No program prints it by chance, and no text that others wrote can
know it: a display may be a script."""

_OF_CELLS = ("libcode_*.so", "libctx*.so", "libctx*.rlib", "libctx*.rmeta")


@contextmanager
def workplace(folder: Path) -> Iterator[Path]:
    """Yield the first folder that no other kernel is using.

    evcxr would take a new one each time, and compile a notebook's dependencies anew, which takes a minute. In a folder
    that stays, Cargo compiles only what has changed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for number in itertools.count():
        lock = FileLock(folder / f"{number}.lock")
        try:
            lock.acquire(blocking=False)
        except Timeout:
            continue
        try:
            place = folder / str(number)
            place.mkdir(exist_ok=True)
            # Cells of an earlier notebook have the same names.
            for pattern in _OF_CELLS:
                for path in place.glob(f"target/*/debug/deps/{pattern}"):
                    path.unlink(missing_ok=True)
            yield place
        finally:
            lock.release()
        return


class Sources:
    """The sources of all cells run until now; labkits read them from `file`."""

    def __init__(self, place: Path) -> None:
        self.file = place / "cells.json"
        self._compiled = place / "src" / "lib.rs"
        self._all: list[str] = []

    @property
    def number(self) -> int:
        """Number of cells."""
        return len(self._all)

    def keep(self, code: str) -> None:
        """Add one that is about to run."""
        self._all.append(code)
        self.file.write_text(json.dumps(self._all), encoding="utf-8")

    def line_of_cell(self, compiled: int) -> int | None:
        """Find the line of the last cell that became this line of what evcxr has compiled."""
        try:
            line = self._compiled.read_text(encoding="utf-8").splitlines()[compiled - 1].strip()
        except (OSError, IndexError):
            return None
        lines = [own.strip() for own in self._all[-1].splitlines()] if self._all else []
        found = [number for number, own in enumerate(lines, 1) if own and line and (own in line or line in own)]
        return found[0] if len(found) == 1 else None
