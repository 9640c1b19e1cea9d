"""Forward the output of cells from evcxr to Jupyter."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perflab_kernels.proxy import TextLimit
from perflab_kernels.rust.cells import DISPLAY_MARK

if TYPE_CHECKING:
    from collections.abc import Callable


Message = dict[str, Any]

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
    """Panics that have ended a cell.

    evcxr shows a panic as text on standard error, thirty lines of backtrace among it, and calls the cell a success. A
    panic on the thread that runs cells has a frame of evcxr's in its backtrace and has ended the cell; one on another
    thread has not, and an actor that panics to be restarted is no failure of the cell that watches it.

    Args:
        locate: Finds the line of the cell for a line of the file that was compiled of it.
    """

    def __init__(self, locate: Callable[[int], int | None]) -> None:
        self._locate = locate
        self._panic: _Panic | None = None
        # The message of a panic begins with an empty line, which is the panic's.
        self._blank = ""

    @property
    def is_open(self) -> bool:
        """Return whether a panic message has begun and not ended."""
        return self._panic is not None

    def filter(self, line: str) -> tuple[str, Message | None]:
        """Return what of a line of standard error is to be shown, and the cell's error if this line completes it."""
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
            # A backtrace ends with a note on how to get a longer one.
            return ("" if error else text) + ("" if error and bare.startswith("note: ") else line), error
        panic.text.append(line)
        if bare == _FRAMES:
            panic.is_in_frames = True
        elif panic.is_in_frames:
            panic.is_of_the_cell |= _OF_THE_CELL.search(bare) is not None
        else:
            panic.message.append(bare)
        return "", None

    def end(self) -> tuple[str, Message | None]:
        """Return what is to be shown of lines that were kept back, or the cell's error: no more lines come."""
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


class Failures:
    """Failures that a cell has not handled.

    evcxr prints the error that a cell ends with by `?`, and calls the cell a success: a notebook that is run by a
    program would go on after it. The labkit announces each failure before it returns it; if evcxr then prints the same
    text, nobody has handled it.
    """

    def __init__(self) -> None:
        self._announced: dict[str, tuple[str, str]] = {}
        self._skipped: list[str] = []
        self._waiting: tuple[str, str] | None = None
        self._expected: set[str] = set()

    @property
    def is_open(self) -> bool:
        """Return whether a failure is still to be handled or printed."""
        return self._waiting is not None or bool(self._expected) or bool(self._announced)

    def clear(self) -> None:
        """Begin a cell."""
        self._announced.clear()
        self._expected.clear()
        self._skipped, self._waiting = [], None

    def expect(self, text: str) -> None:
        """Expect an announcement on standard error, which at times comes later than the end of the cell."""
        self._expected.add(text)

    def announce(self, text: str, name: str) -> None:
        """Note an error that the labkit is about to return."""
        self._expected.discard(text)
        self._announced[text.partition("\n")[0] + "\n"] = (text, name)

    def filter(self, line: str) -> tuple[str, Message | None]:
        """Return what of a line of standard error is to be shown, and the cell's error if this line completes it."""
        if self._waiting is None:
            if line not in self._announced:
                return line, None
            self._waiting = self._announced.pop(line)
            self._skipped = []
        self._skipped.append(line)
        text, name = self._waiting
        said = "".join(self._skipped)
        if said == text + "\n":
            self._waiting = None
            return "", {"ename": name, "evalue": text, "traceback": text.split("\n")}
        if not (text + "\n").startswith(said):
            self._waiting = None
            return said, None
        return "", None


_PIECE = 65_536
_FIRST_COUNT = 2
"""evcxr counts its cells from here; Jupyter, and whoever reads a notebook, from 1."""

# evcxr gives no line here, only the first column; the listing below has the lines.
_COMMAND = re.compile(r"\bcommand_(\d+)(:1:1)?\b")


class Outputs:
    """Turns evcxr's messages into those that Jupyter gets.

    - Lines with a mark are displays of the labkit and failures that it reports.
    - Lines are put together: evcxr sends one message for each, and ZeroMQ drops what a frontend is too slow for.
    - Errors name cells by the notebook's count, which is not evcxr's.

    Args:
        publish: Sends a message on to Jupyter: its type and content.
        locate: See `Panics`.
    """

    def __init__(
        self, publish: Callable[[str, Message], None], locate: Callable[[int], int | None] = lambda _: None
    ) -> None:
        self._publish = publish
        self._limit = TextLimit()
        self._failures = Failures()
        self._panics = Panics(locate)
        self._stream = ""
        self._text: list[str] = []
        self._length = 0
        self._shift = 0
        self.error: Message | None = None
        """The error of the present cell, once it has one."""

    @property
    def expects_more(self) -> bool:
        """Return whether the end of a panic or the handling of a failure is still to come."""
        return self.error is None and (self._panics.is_open or self._failures.is_open)

    def begin(self, shift: int = 0) -> None:
        """Begin a cell; `shift` is how far the notebook's count of cells is ahead of evcxr's."""
        self._shift = shift
        self._limit.reset()
        self._failures.clear()
        self.error = None

    def take(self, message: Message) -> None:
        """Pass on a message of evcxr."""
        kind, content = message["msg_type"], message["content"]
        if kind == "stream":
            self._take_text(content["name"], content["text"])
            return
        self.end()
        if kind == "error":
            self.fail(content)
            return
        self._publish(kind, content)

    def end(self) -> None:
        """Show what was kept back: no more text comes for now."""
        text, error = self._panics.end()
        self._add("stderr", text)
        if error is not None:
            self.flush()
            self.fail(error)
        self.flush()

    def fail(self, error: Message) -> None:
        """Show an error, and keep it for the reply."""
        error = {**error, "traceback": [_COMMAND.sub(self._count, line) for line in error.get("traceback", [])]}
        self.error = error
        self._publish("error", error)

    def flush(self) -> None:
        """Send the text that is waiting."""
        if self._text:
            text = self._limit.take("".join(self._text))
            self._text, self._length = [], 0
            if text:
                self._publish("stream", {"name": self._stream, "text": text})

    def _take_text(self, name: str, text: str) -> None:
        if text.startswith(DISPLAY_MARK) and (said := _read(text.removeprefix(DISPLAY_MARK))):
            self.flush()
            self._take_marked(said)
            return
        if name == "stderr":
            text, error = self._panics.filter(text)
            if text and error is None:
                text, error = self._filter_failures(text)
            if error is not None:
                self.flush()
                self.fail(error)
        self._add(name, text)

    def _filter_failures(self, text: str) -> tuple[str, Message | None]:
        kept = ""
        for line in text.splitlines(keepends=True):
            shown, error = self._failures.filter(line)
            kept += shown
            if error is not None:
                return kept, error
        return kept, None

    def _add(self, name: str, text: str) -> None:
        if not text:
            return
        if name != self._stream or self._length > _PIECE:
            self.flush()
        self._stream = name
        self._text.append(text)
        self._length += len(text)

    def _take_marked(self, said: Message) -> None:
        if said["kind"] == "failure":
            self._failures.announce(said["text"], said["name"])
            return
        if said["kind"] == "expect":
            self._failures.expect(said["text"])
            return
        content = {"data": said["data"], "metadata": said.get("metadata", {}), "transient": {}}
        if "id" in said:
            content["transient"] = {"display_id": said["id"]}
        self._publish("update_display_data" if said["kind"] == "update" else "display_data", content)

    def _count(self, match: re.Match[str]) -> str:
        return f"In [{int(match[1]) - _FIRST_COUNT + 1 + self._shift}]"


def _read(text: str) -> Message | None:
    try:
        said = json.loads(text)
    except ValueError:
        return None
    return said if isinstance(said, dict) and "kind" in said else None
