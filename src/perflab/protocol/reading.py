"""Reading what a bench program prints, and saying what is wrong with it where something is."""

from __future__ import annotations

import math

import msgspec

from perflab.errors import BenchError
from perflab.protocol.messages import PROTOCOL_VERSION, Description, Message, Sample, Start

_SHOWN = 120

_message_decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)
_description_decoder = msgspec.json.Decoder(Description)


def read_message(line: bytes) -> Message:
    """Read one line of `bench run`.

    Raises:
        BenchError: If the line is no message of protocol version 1.
    """
    try:
        message = _message_decoder.decode(line)
    except msgspec.MsgspecError as error:
        raise BenchError(
            f"the bench program printed a line that is no protocol message: {_shown(line)} [{error}]",
            "standard output is for the protocol only, logs go to standard error; see docs/protocol.md",
        ) from None
    if isinstance(message, Start):
        _check_version(message.protocol)
    if isinstance(message, Sample) and not (
        math.isfinite(message.ops) and math.isfinite(message.ns) and message.ops > 0 and message.ns > 0
    ):
        raise BenchError(f"sample {message.i} has ops {message.ops:g} and ns {message.ns:g}; both must be above zero")
    return message


def read_description(output: bytes) -> Description:
    """Read the answer to `bench describe`.

    Raises:
        BenchError: If it is not one, or of another protocol version.
    """
    try:
        # The version is looked at first, so that a newer shape is reported as such and not as a missing key.
        version = msgspec.json.decode(output, type=_Version)
        _check_version(version.protocol)
        return _description_decoder.decode(output)
    except msgspec.MsgspecError as error:
        raise BenchError(
            f"`bench describe` did not print a description: {_shown(output)} [{error}]", "see docs/protocol.md"
        ) from None


class _Version(msgspec.Struct):
    protocol: int


def _check_version(version: int) -> None:
    if version != PROTOCOL_VERSION:
        raise BenchError(
            f"the bench program speaks protocol version {version}, this lab version {PROTOCOL_VERSION}",
            "rebuild the component with this checkout's labkit",
        )


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "replace").strip()
    if not text:
        return "(nothing)"
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
