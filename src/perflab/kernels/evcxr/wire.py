"""Jupyter's sockets and those to evcxr, and the messages on them."""

from __future__ import annotations

import json
import threading
from typing import Any

import zmq
from jupyter_client.session import Session

Message = dict[str, Any]
Socket = zmq.Socket[bytes]

_DELIMITER = b"<IDS|MSG>"
_IDENTITY = b"perflab"
_FRONT = {"shell": zmq.ROUTER, "control": zmq.ROUTER, "stdin": zmq.ROUTER, "iopub": zmq.PUB}
_BACK = {"shell": zmq.DEALER, "control": zmq.DEALER, "stdin": zmq.DEALER, "iopub": zmq.SUB}


class Wire:
    """Both ends of the relay. Messages are signed with the same key on both, so that most pass as they are.

    Args:
        front: What Jupyter's connection file says.
        back: The same for evcxr, with ports of its own.
    """

    def __init__(self, front: Message, back: Message) -> None:
        self.session = Session(key=front["key"].encode(), signature_scheme=front["signature_scheme"])
        self._context: zmq.Context[Socket] = zmq.Context()
        self.front = {name: self._bound(front, name, kind) for name, kind in _FRONT.items()}
        self.back = {name: self._connected(back, name, kind) for name, kind in _BACK.items()}
        heart = self._bound(front, "hb", zmq.REP)
        threading.Thread(target=_beat, args=(heart,), daemon=True).start()

    def close(self, linger_s: float) -> None:
        """Send what is still to be sent, and no more."""
        self._context.destroy(linger=int(1000 * linger_s))

    def answer(self, channel: str, kind: str, content: Message, request: Message, identity: list[bytes]) -> None:
        """Answer a request of Jupyter in place of evcxr."""
        for state in ("busy", "idle"):
            self.publish("status", {"execution_state": state}, request["header"])
        parent = {"header": request["header"]}
        self.session.send(self.front[channel], kind, content, parent=parent, ident=identity)

    def forward(self, identity: list[bytes], message: Message) -> None:
        """Send a reply of evcxr whose content is not what it was."""
        self.session.send(
            self.front["shell"],
            message["msg_type"],
            message["content"],
            parent={"header": message["parent_header"]},
            ident=identity,
        )

    def publish(self, kind: str, content: Message, parent: Message) -> None:
        """Tell all frontends something about a request, by its header."""
        self.session.send(self.front["iopub"], kind, content, parent={"header": parent}, ident=kind.encode())

    def _bound(self, connection: Message, name: str, kind: int) -> Socket:
        socket = self._context.socket(kind)
        socket.bind(_address(connection, name))
        return socket

    def _connected(self, connection: Message, name: str, kind: int) -> Socket:
        socket = self._context.socket(kind)
        if kind == zmq.SUB:
            socket.setsockopt(zmq.SUBSCRIBE, b"")
        else:
            # The same on all channels: evcxr asks for input on one by the name it has heard on another.
            socket.setsockopt(zmq.IDENTITY, _IDENTITY)
        socket.connect(_address(connection, name))
        return socket


def read(parts: list[bytes]) -> tuple[list[bytes], Message]:
    """A message's addresses and contents."""
    at = parts.index(_DELIMITER)
    names = ("header", "parent_header", "metadata", "content")
    message = dict(zip(names, map(json.loads, parts[at + 2 : at + 6]), strict=True))
    return parts[:at], {**message, "msg_type": message["header"]["msg_type"]}


def _beat(socket: Socket) -> None:
    try:
        while True:
            socket.send(socket.recv())
    except zmq.ZMQError:
        # The end of the kernel.
        return


def _address(connection: Message, name: str) -> str:
    transport, ip, port = connection["transport"], connection["ip"], connection[f"{name}_port"]
    return f"{transport}://{ip}:{port}" if transport == "tcp" else f"{transport}://{ip}-{port}"
