"""What travels between the one who sweeps and the machines: plain bytes, which any version of either can refuse."""

from __future__ import annotations

from typing import Literal

import msgspec

from perflab.protocol import ParameterValue
from perflab.store import SweepHeader

Outcome = Literal["measured", "failed", "busy", "refused", "stopped"]
"""What came of an order.

`measured`: the run's files are there. `failed`: nothing can be measured at this point. `busy`: something else is being
measured on that machine. `refused`: the machine cannot take part. `stopped`: nobody waits for it any longer.
"""


class Order(msgspec.Struct, frozen=True):
    """A point that is to be measured.

    `perflab`, `commit` and `sources` say what the one who asks has: the lab's version, its commit, and the print of the
    component's sources. A machine that has something else would measure something else.
    """

    header: SweepHeader
    point: dict[str, ParameterValue]
    perflab: str
    commit: str
    sources: str


class Answer(msgspec.Struct, frozen=True):
    """What a machine says to an order.

    `machine` is the key that tells machines apart, `host` its name in the cluster, `title` a line for people.
    """

    outcome: Outcome
    machine: str
    host: str
    title: str
    why: str = ""
    notes: list[str] = []
    files: dict[str, bytes] = {}


def pack_order(order: Order) -> bytes:
    """As bytes."""
    return msgspec.msgpack.encode(order)


def read_order(content: bytes) -> Order:
    """The order.

    Raises:
        msgspec.MsgspecError: If it is one of another version.
    """
    return msgspec.msgpack.decode(content, type=Order)


def pack_answer(answer: Answer) -> bytes:
    """As bytes."""
    return msgspec.msgpack.encode(answer)


def read_answer(content: bytes) -> Answer:
    """The answer.

    Raises:
        msgspec.MsgspecError: If it is one of another version.
    """
    return msgspec.msgpack.decode(content, type=Answer)
