"""Frames as somebody sends them who does not have the key of a connection."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from jupyter_client.session import DELIM, Session

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# What would do harm: it ends the cell or the kernel, or is taken for the cell's own.
_HARMFUL: tuple[tuple[str, dict[str, Any]], ...] = (
    ("interrupt_request", {}),
    ("shutdown_request", {"restart": False}),
    ("execute_request", {"code": "forged", "silent": False}),
    ("status", {"execution_state": "idle"}),
    ("stream", {"name": "stdout", "text": "forged\n"}),
    ("execute_reply", {"status": "ok", "forged": True}),
)


def forged(parent: dict[str, Any], count: int, recorded: Sequence[list[bytes]] = ()) -> Iterator[list[bytes]]:
    """Random bytes, messages with another key's signature or none, with parts missing, and recorded ones once more."""
    chance = random.Random(0)  # noqa: S311 - the same frames each time
    session = Session(key=b"another")
    for number in range(count):
        kind, content = _HARMFUL[number % len(_HARMFUL)]
        message = session.serialize(session.msg(kind, content, parent={"header": parent} if parent else None))
        match chance.randrange(5 if recorded else 4):
            case 0:
                yield [chance.randbytes(chance.randrange(1, 200)) for _ in range(chance.randrange(1, 8))]
            case 1:
                yield message[: chance.randrange(1, len(message))]
            case 2:
                at = message.index(DELIM) + 1
                yield [*message[:at], b"", *message[at + 1 :]]
            case 3:
                yield message
            case _:
                yield recorded[number % len(recorded)]
