"""Frames on the pipes to the C# process: four bytes of length, little-endian, then that many bytes of JSON."""

from __future__ import annotations

import json
import struct
from typing import IO, Any

_LENGTH = struct.Struct("<i")


def write_frame(pipe: IO[bytes], message: dict[str, Any]) -> None:
    """Write one.

    Raises:
        OSError: If the other side has closed the pipe.
    """
    body = json.dumps(message).encode()
    pipe.write(_LENGTH.pack(len(body)) + body)
    pipe.flush()


def read_frame(pipe: IO[bytes]) -> dict[str, Any] | None:
    """Read one; None if the other side has closed the pipe, be it in the middle of a frame."""
    header = pipe.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(header)
    body = pipe.read(length)
    if len(body) < length:
        return None
    message: dict[str, Any] = json.loads(body)
    return message
