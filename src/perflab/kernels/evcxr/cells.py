"""The cells of a notebook, one after the other."""

from __future__ import annotations

import itertools
import json
import re
import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


PROGRAM_VARIABLE = "PERFLAB_EVCXR"
"""The program of evcxr."""

TOOLS_VARIABLE = "PERFLAB_RUST_BIN"
"""The folder of Cargo and the compiler."""

RELEASE_VARIABLE = "PERFLAB_RUST_RELEASE"
"""The compiler's version."""

WORK_VARIABLE = "PERFLAB_RUST_WORK"
"""The folder of the workplaces."""

DISPLAY_VARIABLE = "PERFLAB_DISPLAY"
"""Set for cells: lines that begin with this text are displays, and none of the reader's business."""

CELLS_VARIABLE = "PERFLAB_CELLS"
"""Set for cells: the file that holds the source of all cells run until now."""

DISPLAY_MARK = f"\x02perflab {secrets.token_hex(8)} "
"""Begins with a control character, so that nothing a program prints by itself begins with it, and has what no text that
others wrote can know: a display may be a script."""


# Where a kernel compiles its cells: one folder per kernel that runs, kept for the next one.
#
# evcxr would take a new folder each time, and compile what the notebook depends on each time anew, which takes a
# minute. A folder that stays keeps those crates; Cargo notices what has changed since.


_OF_CELLS = ("libcode_*.so", "libctx*.so", "libctx*.rlib", "libctx*.rmeta")


@contextmanager
def workplace(folder: Path) -> Iterator[Path]:
    """The first that no other kernel is using: a second kernel at the same time has one of its own."""
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
            _clear(place)
            yield place
        finally:
            lock.release()
        return


def _clear(place: Path) -> None:
    # Of the cells of an earlier notebook; a new cell has the same names.
    for pattern in _OF_CELLS:
        for path in place.glob(f"target/*/debug/deps/{pattern}"):
            path.unlink(missing_ok=True)


DEPENDENCY = re.compile(r"^:dep ", re.MULTILINE)
"""A cell's command to compile a crate, which is what makes a session's first cell long."""

CELLS_FILE = "cells.json"
"""The sources of all cells, for labkits; in the kernel's workplace."""


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
