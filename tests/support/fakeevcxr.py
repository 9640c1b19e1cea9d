"""Stands in for evcxr: a program that speaks Jupyter's protocol, with foreign frames between its own.

A cell is the path of a FIFO. The cell starts a program that waits, as one that measures does, and ends when something
is written to the FIFO; its result is what has become of that program.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import zmq
from frames import forged
from jupyter_client.session import Session

FOREIGN = 1_000
INFO = {"protocol_version": "5.3", "implementation": "fake", "language_info": {"name": "rust"}, "banner": ""}


def main(connection: dict[str, Any]) -> None:
    context = zmq.Context()

    def bind(kind: int, channel: str) -> zmq.Socket[bytes]:
        socket = context.socket(kind)
        socket.bind(f"tcp://{connection['ip']}:{connection[f'{channel}_port']}")
        return socket

    shell, iopub = bind(zmq.ROUTER, "shell"), bind(zmq.PUB, "iopub")
    session = Session(key=connection["key"].encode())
    while True:
        identities, frames = session.feed_identities(shell.recv_multipart())
        request = session.deserialize(frames)

        def say(kind: str, content: dict[str, Any], parent: dict[str, Any] = request) -> None:
            session.send(iopub, kind, content, parent=parent)

        say("status", {"execution_state": "busy"})
        reply: dict[str, Any] = {"status": "ok"}
        if request["msg_type"] == "kernel_info_request":
            reply |= INFO
        elif request["msg_type"] == "execute_request":
            parent = request["header"]
            for number, foreign in enumerate(forged(parent, FOREIGN)):
                iopub.send_multipart(foreign)
                if number % 2:
                    shell.send_multipart([*identities, *foreign])
            program = subprocess.Popen(["cat"], stdin=subprocess.PIPE)  # noqa: S607 - any will do
            say("stream", {"name": "stdout", "text": "running\n"})
            Path(request["content"]["code"]).read_bytes()
            say("execute_result", {"data": {"text/plain": f"ended: {program.poll()}"}, "metadata": {}})
            program.kill()
            program.wait()
        session.send(shell, request["msg_type"].replace("request", "reply"), reply, parent=request, ident=identities)
        say("status", {"execution_state": "idle"})


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")))
