"""Passing messages between Jupyter and evcxr."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any

import zmq

from perflab.kernels.evcxr.cells import Cell, Sources
from perflab.kernels.evcxr.interrupts import Interrupts
from perflab.kernels.evcxr.outputs import Outputs, count_from_one
from perflab.kernels.evcxr.wire import Wire, read

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

Message = dict[str, Any]

_POLL_MS = 20
_KNOCK_MS = 100
_START_LIMIT_S = 180
_LINGER_S = 1.0
_LOST = "all variables are lost; the next cell begins anew"


class KernelEndedError(Exception):
    """evcxr has ended, or did not begin; its text says how."""


class Relay:
    """One kernel's.

    Args:
        wire: The sockets.
        evcxr: Its process.
        compiler: The compiler's version, for frontends.
        place: Where it compiles cells.
    """

    def __init__(self, wire: Wire, evcxr: subprocess.Popen[bytes], compiler: str, place: Path) -> None:
        self._wire = wire
        self._evcxr = evcxr
        self._compiler = compiler
        self._waiting: deque[list[bytes]] = deque()
        self._cell: Cell | None = None
        self._sources = Sources(place)
        self._outputs = Outputs(wire.publish, self._sources.line_of_cell)
        self._interrupts = Interrupts(
            evcxr.pid, lambda number: self._cell is not None and number == self._sources.number
        )

    def run(self) -> None:
        """Pass messages until evcxr ends.

        Raises:
            KernelEndedError: If it does not answer in time, or ends without being asked to.
        """
        self._wait_for_evcxr()
        front, back = self._wire.front, self._wire.back
        handlers: dict[zmq.Socket[bytes], Callable[[list[bytes]], object]] = {
            front["shell"]: self._on_request,
            front["control"]: self._on_control,
            front["stdin"]: back["stdin"].send_multipart,
            back["shell"]: self._on_reply,
            back["control"]: front["control"].send_multipart,
            back["stdin"]: front["stdin"].send_multipart,
            back["iopub"]: self._on_output,
        }
        poller = zmq.Poller()
        for socket in handlers:
            poller.register(socket, zmq.POLLIN)
        while self._evcxr.poll() is None:
            ready = dict(poller.poll(_POLL_MS))
            if not ready:
                self._outputs.flush()
            for socket in ready:
                handlers[socket](socket.recv_multipart())
            self._end_cell()
        # What it said last, the reply to its shutdown among it.
        for socket, _ in poller.poll(_POLL_MS):
            handlers[socket](socket.recv_multipart())
        if self._evcxr.returncode != 0:
            raise KernelEndedError(f"evcxr ended with status {self._evcxr.returncode}")

    def close(self) -> None:
        """End evcxr with all that it has started, and send what is still to be sent."""
        self._interrupts.end_all()
        self._evcxr.wait()
        self._wire.close(_LINGER_S)

    def _wait_for_evcxr(self) -> None:
        """Knock until both its replies and its broadcasts arrive: those before a subscription would be lost.

        What answers the other knocks is told from what is for Jupyter: replies are addressed to nobody, and broadcasts
        name this session.
        """
        begun = time.monotonic()
        shell, iopub = self._wire.back["shell"], self._wire.back["iopub"]
        missing = {shell, iopub}
        while missing:
            if self._evcxr.poll() is not None:
                raise KernelEndedError(f"evcxr ended with status {self._evcxr.returncode} before it was ready")
            if time.monotonic() - begun > _START_LIMIT_S:
                raise KernelEndedError(f"evcxr did not answer within {_START_LIMIT_S} s")
            self._wire.session.send(shell, "kernel_info_request", {})
            missing -= {socket for socket in missing if socket.poll(_KNOCK_MS)}

    def _on_request(self, parts: list[bytes]) -> None:
        """Of the shell channel: one after the other, so that what a cell says late is not taken for the next one's."""
        self._waiting.append(parts)
        self._next()

    def _next(self) -> None:
        while self._waiting and self._cell is None:
            parts = self._waiting.popleft()
            identity, message = read(parts)
            kind = message["msg_type"]
            # Neither of the first two gets an answer from evcxr, and whoever asks would wait for ever.
            if kind == "history_request":
                content: Message = {"status": "ok", "history": []}
                self._wire.answer("shell", "history_reply", content, message, identity)
            elif kind == "comm_info_request":
                self._wire.answer("shell", "comm_info_reply", {"status": "ok", "comms": {}}, message, identity)
            else:
                if kind == "execute_request":
                    self._cell = Cell(message, identity)
                    self._sources.keep(message["content"].get("code", ""))
                    self._outputs.begin()
                self._wire.back["shell"].send_multipart(parts)

    def _on_control(self, parts: list[bytes]) -> None:
        identity, message = read(parts)
        if message["msg_type"] == "interrupt_request":
            self._interrupts.come(self._sources.number)
            self._wire.answer("control", "interrupt_reply", {"status": "ok"}, message, identity)
        else:
            if message["msg_type"] == "shutdown_request":
                self._interrupts.end_cell()
            self._wire.back["control"].send_multipart(parts)

    def _on_reply(self, parts: list[bytes]) -> None:
        """Of the shell channel; that of a cell is held until its outputs are through."""
        identity, message = read(parts)
        if not identity:
            return
        if message["msg_type"] == "kernel_info_reply":
            message["content"]["language_info"] |= {"version": self._compiler, "pygments_lexer": "rust"}
            self._wire.forward(identity, message)
        elif message["msg_type"] == "execute_reply" and self._cell is not None:
            self._cell.reply = message
        else:
            self._wire.front["shell"].send_multipart(parts)

    def _on_output(self, parts: list[bytes]) -> None:
        _, message = read(parts)
        parent, content = message["parent_header"], message["content"]
        if parent.get("session") == self._wire.session.session:
            return
        is_of_cell = self._cell is not None and parent["msg_id"] == self._cell.id
        if is_of_cell and message["msg_type"] == "error" and self._interrupts.killed == self._sources.number:
            what = "the cell was interrupted, and the process that ran it was ended"
            content |= {"ename": "Interrupted", "evalue": what, "traceback": [what, f"  {_LOST}"]}
        if is_of_cell and self._cell is not None and content.get("execution_state") == "idle":
            self._cell.take_end(message)
        else:
            self._outputs.take(message)

    def _end_cell(self) -> None:
        """Reply for a cell that has ended, with what evcxr leaves out of it."""
        cell = self._cell
        if cell is None or not cell.has_ended(is_more_expected=self._outputs.expects_more):
            return
        assert cell.end is not None  # noqa: S101 - it has ended
        assert cell.reply is not None  # noqa: S101 - as above
        self._outputs.take(cell.end)
        content = count_from_one("execute_reply", cell.reply["content"])
        if (error := self._outputs.error) is not None:
            content |= {"status": "error", **{name: error[name] for name in ("ename", "evalue", "traceback")}}
        else:
            content |= {"payload": [], "user_expressions": {}}
        self._wire.forward(cell.identity, {**cell.reply, "content": content})
        self._cell = None
        if content["status"] == "error" and cell.request["content"].get("stop_on_error", True):
            self._abort()
        self._next()

    def _abort(self) -> None:
        """What Jupyter has asked for after a cell that failed is not run."""
        kept: deque[list[bytes]] = deque()
        for parts in self._waiting:
            identity, message = read(parts)
            if message["msg_type"] == "execute_request":
                self._wire.answer("shell", "execute_reply", {"status": "aborted"}, message, identity)
            else:
                kept.append(parts)
        self._waiting = kept
