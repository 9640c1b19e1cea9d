"""Passing messages between Jupyter and evcxr."""

from __future__ import annotations

import contextlib
import json
import signal
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import psutil
import zmq
from jupyter_client.session import Session

from perflab.kernels.evcxr.cells import Cell, Sources
from perflab.kernels.evcxr.outputs import Outputs, count_from_one
from perflab.machine.processes import kill_tree

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path


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


# Interrupting a cell.
#
# evcxr's own way is to kill the process that runs cells, with all variables. That is the last resort here:
#
# 1. A cell that waits for a program it has started, as all cells that measure do, has that program interrupted, and
#    sees how it ends. So does a cell that is being compiled.
# 2. If that program is still there after a while, or at a second interrupt, it is killed.
# 3. If there is no such program, or at a third interrupt, the process that runs the cells is killed.


GRACE_S = 20.0
"""How long an interrupted program may take to end what it has started and to keep what it has."""

_AT_ONCE_S = 0.5
"""Interrupts that come closer together are one."""


class Interrupts:
    """Those of one kernel.

    Args:
        kernel: Process id of evcxr.
        is_running: Tells whether the cell of this number is still running.
    """

    def __init__(self, kernel: int, is_running: Callable[[int], bool]) -> None:
        self._kernel = kernel
        self._is_running = is_running
        self._cell = -1
        self._times = 0
        self._last = 0.0
        self.killed = -1
        """The last cell whose process was killed, and the variables with it."""

    def come(self, cell: int) -> None:
        """Interrupt this cell, if it is still running."""
        now = time.monotonic()
        if not self._is_running(cell):
            return
        if cell != self._cell:
            self._cell, self._times, self._last = cell, 0, 0.0
        if now - self._last < _AT_ONCE_S:
            return
        self._last = now
        self._times += 1
        runner, compilers = self._processes()
        programs = _children(runner)
        if self._times == 1 and programs:
            for program in programs:
                with contextlib.suppress(psutil.Error):
                    program.send_signal(signal.SIGINT)
            timer = threading.Timer(GRACE_S, self._lose_patience, (cell, programs))
            timer.daemon = True
            timer.start()
        elif self._times == 1 and compilers:
            _kill_all(compilers)
        elif self._times <= 2 and programs:  # noqa: PLR2004 - see above
            _kill_all(programs)
        elif runner is not None:
            self.killed = cell
            kill_tree(runner.pid)

    def end_cell(self) -> None:
        """End the process that runs cells: evcxr shuts down only between two of them."""
        runner, compilers = self._processes()
        _kill_all([*compilers, *([runner] if runner else [])])

    def end_all(self) -> None:
        """Leave nothing behind: an orphaned bench program would spoil the next measurement."""
        kill_tree(self._kernel)

    def _lose_patience(self, cell: int, programs: list[psutil.Process]) -> None:
        if self._is_running(cell):
            _kill_all(programs)

    def _processes(self) -> tuple[psutil.Process | None, list[psutil.Process]]:
        """The process that runs cells, which is the same program as evcxr, and those that compile one."""
        try:
            kernel = psutil.Process(self._kernel)
            own = kernel.exe()
        except psutil.Error:
            return None, []
        children = _children(kernel)
        runners = [child for child in children if _exe(child) == own]
        return (runners[0] if runners else None), [child for child in children if child not in runners]


def _children(process: psutil.Process | None) -> list[psutil.Process]:
    try:
        return process.children() if process is not None else []
    except psutil.Error:
        return []


def _kill_all(processes: list[psutil.Process]) -> None:
    for process in processes:
        kill_tree(process.pid)


def _exe(process: psutil.Process) -> str:
    try:
        return process.exe()
    except psutil.Error:
        return ""


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
