"""A Jupyter kernel whose cells run in another process, which may end without the kernel ending."""

from __future__ import annotations

import fnmatch
import queue
import signal
import threading
import time
from typing import Any

from ipykernel.kernelbase import Kernel
from jupyter_client.channels import ZMQSocketChannel
from traitlets.log import get_logger

Content = dict[str, Any]


class TextLimit:
    """Lets through so many characters per cell, then one note, then nothing."""

    def __init__(self, limit: int = 1_000_000) -> None:
        self._limit = limit
        self._room = limit
        self._lock = threading.Lock()

    def reset(self) -> None:
        """Begin a cell."""
        with self._lock:
            self._room = self._limit

    def take(self, text: str) -> str:
        """Return the part of the text that is to be shown."""
        with self._lock:
            room = self._room
            self._room -= len(text)
        if room < 0:
            return ""
        note = f"\n[more than {self._limit} characters: the rest is left out]\n"
        return text if len(text) <= room else text[:room] + note


class Pace:
    """A token bucket: a cell that sends too fast waits, because a publisher's queue holds 1000 messages."""

    def __init__(self, burst: int = 200, per_second: float = 1000) -> None:
        self._burst = burst
        self._per_second = per_second
        self._left = float(burst)
        self._at = time.monotonic()
        self._lock = threading.Lock()

    def keep(self) -> float:
        """Wait until the next message may go out; return the seconds waited."""
        with self._lock:
            now = time.monotonic()
            self._left = min(self._burst, self._left + (now - self._at) * self._per_second)
            self._at = now
            self._left -= 1
            wait = max(0.0, -self._left / self._per_second)
            if wait:
                time.sleep(wait)  # hold the lock, so that others queue up
        return wait


_INVALID = (ValueError, LookupError, TypeError)
"""Raised by a session for frames that are not signed with the key of its connection, or were received before."""

_reported: set[str] = set()
_reporting = threading.Lock()


def _report_dropped(place: str) -> None:
    """Log once per channel: any local user can connect to a loopback port, and must not fill the disk."""
    with _reporting:
        if place in _reported:
            return
        _reported.add(place)
    get_logger().warning("%s: dropped a message that is not signed, or was sent before; more are not reported", place)


class SignedChannel(ZMQSocketChannel):
    """A channel to the process behind that passes on signed messages only."""

    def get_msg(self, timeout: float | None = None) -> Content:
        """Return the next message.

        Args:
            timeout: Seconds to wait.

        Raises:
            queue.Empty: If none has come, or one that was dropped.
        """
        try:
            message: Content = super().get_msg(timeout)
        except _INVALID:
            _report_dropped("process behind")
            raise queue.Empty from None
        return message


class ProxyKernel(Kernel):
    """Takes requests and shows what comes of them; a subclass runs the cells."""

    implementation_version = "1.0"

    def __init__(self, **kwargs: Any) -> None:  # noqa: ANN401 - traitlets
        super().__init__(**kwargs)
        self._history: list[tuple[int, int, str]] = []
        self._results: dict[int, str] = {}
        self._pace = Pace()
        self._parent: Content = {}
        self._silent = False
        signal.signal(signal.SIGINT, lambda *_: self.interrupt())

    async def dispatch_control(self, msg: list[Any]) -> None:
        """Handle a message of the control channel if it is signed."""
        if self._is_signed(msg, "control channel"):
            await super().dispatch_control(msg)

    async def shell_channel_thread_main(self, msg: list[Any]) -> None:
        """Handle a message of the shell channel if it is signed."""
        if self._is_signed(msg, "shell channel"):
            await super().shell_channel_thread_main(msg)

    def _is_signed(self, frames: list[Any], channel: str) -> bool:
        if self.session is None:
            return False
        try:
            _, message = self.session.feed_identities(frames, copy=False)
            # With its content, the session would take the message for its own repetition later.
            self.session.deserialize(message, content=False, copy=False)
        except _INVALID:
            _report_dropped(channel)
            return False
        return True

    def pre_handler_hook(self) -> None:
        """Leave SIGINT as it is: it goes to the cell, not to Python."""

    def post_handler_hook(self) -> None:
        """Do nothing, as `pre_handler_hook`."""

    async def run_cell(self, code: str) -> Content | None:
        """Run a cell; return its error, which has been shown, or None."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """Stop the cell that runs, if one does; called from any thread."""
        raise NotImplementedError

    async def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,
        user_expressions: Content | None = None,  # noqa: ARG002 - not supported
        allow_stdin: bool = False,
        *,
        cell_meta: Content | None = None,  # noqa: ARG002 - not used
        cell_id: str | None = None,  # noqa: ARG002 - not used
    ) -> Content:
        """Run a cell and return the reply."""
        self._parent, self._silent, self._allow_stdin = self.get_parent("shell"), silent, allow_stdin
        if store_history:
            self._history.append((0, self.execution_count, code))
        error = await self.run_cell(code)
        if error is None:
            return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}
        error = {name: error[name] for name in ("ename", "evalue", "traceback")}
        return {"status": "error", "execution_count": self.execution_count, **error}

    async def do_history(  # noqa: PLR0917 - as the base class has it
        self,
        hist_access_type: str,
        output: bool,
        raw: bool,  # noqa: ARG002 - there is only raw history
        session: int | None = None,
        start: int | None = None,
        stop: int | None = None,
        n: int | None = None,
        pattern: str | None = None,
        unique: bool = False,
    ) -> Content:
        """Return the cells of this session."""
        found = self._history
        if hist_access_type == "range":
            end = stop or self.execution_count + 1
            found = [] if session else [entry for entry in found if (start or 0) <= entry[1] < end]
        elif hist_access_type == "search":
            found = [entry for entry in found if fnmatch.fnmatchcase(entry[2], pattern or "*")]
            if unique:
                found = sorted({entry[2]: entry for entry in found}.values())
            found = found[-n:] if n else found
        else:
            found = found[-n:] if n else []
        if output:
            return {
                "status": "ok",
                "history": [(*entry[:2], (entry[2], self._results.get(entry[1]))) for entry in found],
            }
        return {"status": "ok", "history": found}

    async def interrupt_request(self, stream: Any, ident: Any, parent: Content) -> None:  # noqa: ANN401 - ZeroMQ's
        """Stop the cell; arrives on the control channel while the cell runs."""
        self.interrupt()
        if self.session:
            self.session.send(stream, "interrupt_reply", {"status": "ok"}, parent, ident=ident)

    def request_input(self, identity: bytes) -> None:
        """Ask the frontend of this identity for a line; drop answers to earlier questions."""
        while self.stdin_socket.poll(0):
            self.stdin_socket.recv_multipart()
        if self.session:
            content = {"prompt": "", "password": False}
            self.session.send(self.stdin_socket, "input_request", content, parent=self._parent, ident=identity)

    def receive_input(self, timeout_ms: int) -> str | None:
        """Return the next signed answer on the stdin channel, or None if none comes in time."""
        if self.session is None or not self.stdin_socket.poll(timeout_ms):
            return None
        try:
            _, reply = self.session.recv(self.stdin_socket)
            return None if reply is None else str(reply["content"]["value"])
        except _INVALID:
            _report_dropped("stdin channel")
            return None

    def publish(self, kind: str, content: Content) -> None:
        """Send a message about the last cell that was started to all frontends."""
        if kind == "execute_result":
            if self._silent:
                return
            content = {**content, "execution_count": self.execution_count}
            self._results[self.execution_count] = content["data"].get("text/plain", "")
        self._pace.keep()
        if self.session:
            self.session.send(self.iopub_socket, kind, content, parent=self._parent, ident=self._topic(kind))
