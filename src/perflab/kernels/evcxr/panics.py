"""Panics that have ended a cell.

evcxr shows a panic as text on standard error, thirty lines of backtrace among it, and calls the cell a success. A panic
on the thread that runs cells has a frame of evcxr's in its backtrace and has ended the cell, unless the cell has caught
it; one on another thread has not, and an actor that panics to be restarted is no failure of the cell that watches it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_BEGIN = re.compile(r"thread '.*' (?:\(\d+\) )?panicked at (?P<file>.+):(?P<line>\d+):\d+:$")
_FRAMES = "stack backtrace:"
_FRAME = re.compile(r"\s+(?:\d+: |at )")
# Not the cell's own frame, whose name Rust finds for the first panic only: it looks for loaded libraries once.
_OF_THE_CELL = re.compile(r"\d+: evcxr::runtime::")
_CELL_FILE = "src/lib.rs"


@dataclass
class _Panic:
    file: str
    line: int
    text: list[str] = field(default_factory=list)
    message: list[str] = field(default_factory=list)
    is_in_frames: bool = False
    is_of_the_cell: bool = False


class Panics:
    """Those of one kernel.

    Args:
        locate: The line of the cell for a line of the file that was compiled of it, if there is one.
    """

    def __init__(self, locate: Callable[[int], int | None]) -> None:
        self._locate = locate
        self._panic: _Panic | None = None
        # The message of a panic begins with an empty line, which is the panic's.
        self._blank = ""

    @property
    def is_open(self) -> bool:
        """Whether one has begun that has not ended."""
        return self._panic is not None

    def filter(self, line: str) -> tuple[str, dict[str, Any] | None]:
        """What of a line of standard error is to be shown as text, and the cell's error, if this line completes it."""
        bare = line.rstrip("\n")
        if self._panic is None:
            before, self._blank = self._blank, ""
            if match := _BEGIN.match(bare):
                self._panic = _Panic(match["file"], int(match["line"]), [before, line])
                return "", None
            if bare:
                return before + line, None
            self._blank = line
            return before, None
        panic = self._panic
        if panic.is_in_frames and not _FRAME.match(bare):
            text, error = self.end()
            # The note that ends a backtrace says how to have a longer one.
            return ("" if error else text) + ("" if error and bare.startswith("note: ") else line), error
        panic.text.append(line)
        if bare == _FRAMES:
            panic.is_in_frames = True
        elif panic.is_in_frames:
            panic.is_of_the_cell |= _OF_THE_CELL.search(bare) is not None
        else:
            panic.message.append(bare)
        return "", None

    def end(self) -> tuple[str, dict[str, Any] | None]:
        """No more lines come: what is to be shown of those that were kept back, or the cell's error."""
        panic, self._panic = self._panic, None
        if panic is None:
            blank, self._blank = self._blank, ""
            return blank, None
        if not panic.is_of_the_cell:
            return "".join(panic.text), None
        message = "\n".join(panic.message)
        place = f"{panic.file}:{panic.line}"
        if panic.file == _CELL_FILE:
            line = self._locate(panic.line)
            place = f"line {line} of the cell" if line else "the cell"
        return "", {"ename": "Panic", "evalue": message, "traceback": [*panic.message, f"  panicked in {place}"]}
