"""Where a kernel compiles its cells: one folder per kernel that runs, kept for the next one.

evcxr would take a new folder each time, and compile what the notebook depends on each time anew, which takes a minute.
A folder that stays keeps those crates; Cargo notices what has changed since.
"""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
