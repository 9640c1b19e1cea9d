"""What cells print and show, on its way from evcxr to Jupyter."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from perflab.kernels.evcxr.failures import Failures
from perflab.kernels.evcxr.panics import Panics
from perflab.kernels.evcxr.settings import DISPLAY_MARK
from perflab.kernels.roslyn.pace import Pace
from perflab.kernels.roslyn.textlimit import TextLimit

if TYPE_CHECKING:
    from collections.abc import Callable

Message = dict[str, Any]

_PIECE = 65_536
_FIRST_COUNT = 2
"""evcxr counts its cells from here; Jupyter, and whoever reads a notebook, from 1."""

_COUNTED = ("execute_input", "execute_result", "execute_reply")
# evcxr names no line here, but the first column of the first; the listing below it has the lines.
_COMMAND = re.compile(r"\bcommand_(\d+)(:1:1)?\b")


class Outputs:
    """Makes of evcxr's messages those that Jupyter gets.

    - Lines with a mark are displays of the labkit and failures that it reports.
    - Lines are put together: evcxr sends one message for each, and ZeroMQ drops what a frontend is too slow for.
    - Cells count from 1.

    Args:
        publish: Sends a message on to Jupyter: its type, content, and the message that it answers.
        locate: As of `Panics`.
    """

    def __init__(
        self, publish: Callable[[str, Message, Message], None], locate: Callable[[int], int | None] = lambda _: None
    ) -> None:
        self._publish = publish
        self._pace = Pace()
        self._limit = TextLimit()
        self._failures = Failures()
        self._panics = Panics(locate)
        self._stream = ""
        self._text: list[str] = []
        self._length = 0
        self._parent: Message = {}
        self.error: Message | None = None
        """The error of the present cell, once it has one."""

    @property
    def expects_more(self) -> bool:
        """Whether there must be more to come: the end of a panic, or whether a failure was handled."""
        return self.error is None and (self._panics.is_open or self._failures.is_open)

    def begin(self) -> None:
        """A cell begins."""
        self._limit.reset()
        self._failures.clear()
        self.error = None

    def take(self, message: Message) -> None:
        """Pass on a message of evcxr."""
        kind, content, parent = message["msg_type"], message["content"], message["parent_header"]
        if kind == "stream":
            self._take_text(content["name"], content["text"], parent)
            return
        self._end_panic(parent)
        self.flush()
        if kind == "error":
            self.fail(content, parent)
            return
        self._send(kind, count_from_one(kind, content), parent)

    def fail(self, error: Message, parent: Message) -> None:
        """The cell has failed: shown, and kept for the reply."""
        error = {**error, "traceback": [_COMMAND.sub(_count, line) for line in error.get("traceback", [])]}
        self.error = error
        self._send("error", error, parent)

    def flush(self) -> None:
        """Send the text that is waiting."""
        if self._text:
            text = self._limit.take("".join(self._text))
            self._text, self._length = [], 0
            if text:
                self._send("stream", {"name": self._stream, "text": text}, self._parent)

    def _take_text(self, name: str, text: str, parent: Message) -> None:
        if text.startswith(DISPLAY_MARK) and (said := _read(text.removeprefix(DISPLAY_MARK))):
            self.flush()
            self._take_marked(said, parent)
            return
        if name == "stderr":
            text, error = self._panics.filter(text)
            if text and error is None:
                text, error = self._filter_failures(text)
            if error is not None:
                self.flush()
                self.fail(error, parent)
        self._add(name, text, parent)

    def _filter_failures(self, text: str) -> tuple[str, Message | None]:
        kept = ""
        for line in text.splitlines(keepends=True):
            shown, error = self._failures.filter(line)
            kept += shown
            if error is not None:
                return kept, error
        return kept, None

    def _end_panic(self, parent: Message) -> None:
        text, error = self._panics.end()
        self._add("stderr", text, parent)
        if error is not None:
            self.flush()
            self.fail(error, parent)

    def _add(self, name: str, text: str, parent: Message) -> None:
        if not text:
            return
        if name != self._stream or self._length > _PIECE:
            self.flush()
        self._stream, self._parent = name, parent
        self._text.append(text)
        self._length += len(text)

    def _take_marked(self, said: Message, parent: Message) -> None:
        if said["kind"] == "failure":
            self._failures.announce(said["text"], said["name"])
            return
        if said["kind"] == "expect":
            self._failures.expect(said["text"])
            return
        content = {"data": said["data"], "metadata": said.get("metadata", {}), "transient": {}}
        if "id" in said:
            content["transient"] = {"display_id": said["id"]}
        self._send("update_display_data" if said["kind"] == "update" else "display_data", content, parent)

    def _send(self, kind: str, content: Message, parent: Message) -> None:
        self._pace.keep()
        self._publish(kind, content, parent)


def _read(text: str) -> Message | None:
    try:
        said = json.loads(text)
    except ValueError:
        return None
    return said if isinstance(said, dict) and "kind" in said else None


def count_from_one(kind: str, content: Message) -> Message:
    """A message's content with the number of the cell as Jupyter counts."""
    if kind not in _COUNTED or "execution_count" not in content:
        return content
    return {**content, "execution_count": content["execution_count"] - _FIRST_COUNT + 1}


def _count(match: re.Match[str]) -> str:
    return f"In [{int(match[1]) - _FIRST_COUNT + 1}]"
