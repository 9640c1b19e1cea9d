"""The stream between a `./lab COMMAND --stream` and the labkit or the console; see docs/protocol.md."""

from __future__ import annotations

import json
from typing import Any

import msgspec


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    """How far the command is, 0 to 1; `seconds_left` is None if it does not know."""

    done: float
    text: str
    seconds_left: float | None = None


class Note(msgspec.Struct, frozen=True, tag="note"):
    """A line that stays."""

    text: str


class Shown(msgspec.Struct, frozen=True, tag="display"):
    """A MIME bundle."""

    data: dict[str, Any]
    metadata: dict[str, Any] = {}


class Result(msgspec.Struct, frozen=True, tag="result"):
    """What `--json` would print."""

    data: Any = None


class Problem(msgspec.Struct, frozen=True, tag="error"):
    """Why the command failed, and its exit status."""

    message: str
    hint: str = ""
    exit: int = 4


StreamMessage = Progress | Note | Shown | Result | Problem


def read_stream(line: str) -> StreamMessage:
    """Read one line of the stream.

    Returns:
        The message; a line that is none, as a library that prints on standard output writes it, is a note.
    """
    try:
        # Not msgspec's own decoder: it refuses lone surrogates, which file names can hold.
        message: StreamMessage = msgspec.convert(json.loads(line), StreamMessage)
    except (ValueError, RecursionError, msgspec.ValidationError):
        return Note(line.rstrip())
    return message
