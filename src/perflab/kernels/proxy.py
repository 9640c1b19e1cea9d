"""A Jupyter kernel whose cells are run by another process, which may end without the kernel ending."""

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

from perflab import __version__

Content = dict[str, Any]


LIMIT_PER_CELL = 1_000_000


class TextLimit:
    """Lets through so many characters per cell, then one note, then nothing."""

    def __init__(self, limit: int = LIMIT_PER_CELL) -> None:
        self._limit = limit
        self._room = limit
        self._lock = threading.Lock()

    def reset(self) -> None:
        """Begin a cell."""
        with self._lock:
            self._room = self._limit

    def take(self, text: str) -> str:
        """What of the text is to be shown."""
        with self._lock:
            room = self._room
            self._room -= len(text)
        if room < 0:
            return ""
        return (
            text
            if len(text) <= room
            else f"{text[:room]}\n[more than {self._limit} characters: the rest is left out]\n"
        )


BURST = 200
"""Messages that may go out at once; a publisher's queue holds 1000."""

PER_SECOND = 1000


class Pace:
    """A token bucket: whoever is too fast waits, and with it the cell, which is held back by the pipe."""

    def __init__(self, burst: int = BURST, per_second: float = PER_SECOND) -> None:
        self._burst = burst
        self._per_second = per_second
        self._left = float(burst)
        self._at = time.monotonic()
        self._lock = threading.Lock()

    def keep(self) -> float:
        """Wait until the next message may go out.

        Returns:
            How long that took, in seconds.
        """
        with self._lock:
            now = time.monotonic()
            self._left = min(self._burst, self._left + (now - self._at) * self._per_second)
            self._at = now
            self._left -= 1
            wait = max(0.0, -self._left / self._per_second)
            if wait:
                # In the lock, so that others queue up behind.
                time.sleep(wait)
        return wait


Entry = tuple[int, int, str]
"""Session, number of the cell, source; the session is always the present one, 0."""

WithOutput = tuple[int, int, tuple[str, str | None]]
"""The same with the text of the cell's result, if it had one."""


class History:
    """Inputs in their order; lost with the kernel."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._results: dict[int, str] = {}

    def add(self, number: int, source: str) -> None:
        """Take in what was run."""
        self._entries.append((0, number, source))

    def add_result(self, number: int, text: str) -> None:
        """Take in what a cell resulted in."""
        self._results[number] = text

    def with_outputs(self, entries: list[Entry]) -> list[WithOutput]:
        """The same entries with their results."""
        return [(session, number, (source, self._results.get(number))) for session, number, source in entries]

    def tail(self, count: int) -> list[Entry]:
        """The last ones."""
        return self._entries[-count:] if count > 0 else []

    def range(self, session: int, start: int, stop: int | None) -> list[Entry]:
        """Those with a number from `start` to before `stop`; other sessions are not kept."""
        if session != 0:
            return []
        return [entry for entry in self._entries if start <= entry[1] and (stop is None or entry[1] < stop)]

    def search(self, pattern: str, count: int | None, *, unique: bool) -> list[Entry]:
        """The last ones whose source matches a pattern with `*` and `?`."""
        found = [entry for entry in self._entries if fnmatch.fnmatchcase(entry[2], pattern)]
        if unique:
            last = {source: (session, number, source) for session, number, source in found}
            found = sorted(last.values(), key=lambda entry: entry[1])
        return found[-count:] if count else found


_FOREIGN = (ValueError, LookupError, TypeError)
"""What a session raises of frames without a signature by the key of its connection, or with one that it has had."""


_told: set[str] = set()
_telling = threading.Lock()


def _say_dropped(place: str) -> None:
    """Log it once: any user of the machine can connect to a port of the loopback, and a log must not fill the disk."""
    with _telling:
        if place in _told:
            return
        _told.add(place)
    get_logger().warning("%s: dropped a message that is not signed, or was sent before; more are not reported", place)


class SignedChannel(ZMQSocketChannel):
    """A channel to the process behind that passes on signed messages only."""

    def get_msg(self, timeout: float | None = None) -> Content:
        """The next one; `timeout` is in seconds.

        Raises:
            queue.Empty: If none has come, or one that was dropped.
        """
        try:
            message: Content = super().get_msg(timeout)
        except _FOREIGN:
            _say_dropped("process behind")
            raise queue.Empty from None
        return message


class ProxyKernel(Kernel):
    """Takes requests, and shows what comes of them: a subclass asks its process."""

    implementation_version = __version__

    def __init__(self, **kwargs: Any) -> None:  # noqa: ANN401 - traitlets
        super().__init__(**kwargs)
        self._history = History()
        self._pace = Pace()
        self._parent: Content = {}
        self._silent = False
        signal.signal(signal.SIGINT, lambda *_: self.interrupt())

    async def dispatch_control(self, msg: list[Any]) -> None:
        """Handle a message of the control channel, if it is signed."""
        if self._is_signed(msg, "control channel"):
            await super().dispatch_control(msg)

    async def shell_channel_thread_main(self, msg: list[Any]) -> None:
        """Handle a message of the shell channel, if it is signed."""
        if self._is_signed(msg, "shell channel"):
            await super().shell_channel_thread_main(msg)

    def _is_signed(self, frames: list[Any], channel: str) -> bool:
        if self.session is None:
            return False
        try:
            _, message = self.session.feed_identities(frames, copy=False)
            # Only looked at: with its content, the session would take the message for its own repetition later.
            self.session.deserialize(message, content=False, copy=False)
        except _FOREIGN:
            _say_dropped(channel)
            return False
        return True

    def pre_handler_hook(self) -> None:
        """Leave SIGINT as it is: it goes to the cell, not to Python."""

    def post_handler_hook(self) -> None:
        """As `pre_handler_hook`."""

    async def run_cell(self, code: str) -> Content | None:
        """Run a cell.

        Returns:
            Its error, which has been shown; None if it has succeeded.
        """
        raise NotImplementedError

    def interrupt(self) -> None:
        """Stop the cell that runs, if one does; called from any thread."""
        raise NotImplementedError

    async def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,
        user_expressions: Content | None = None,  # noqa: ARG002 - there are none
        allow_stdin: bool = False,
        *,
        cell_meta: Content | None = None,  # noqa: ARG002 - nothing depends on where a cell stands
        cell_id: str | None = None,  # noqa: ARG002 - as above
    ) -> Content:
        """Run a cell and say how it went."""
        self._parent, self._silent, self._allow_stdin = self.get_parent("shell"), silent, allow_stdin
        if store_history:
            self._history.add(self.execution_count, code)
        error = await self.run_cell(code)
        if error is None:
            return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}
        error = {name: error[name] for name in ("ename", "evalue", "traceback")}
        return {"status": "error", "execution_count": self.execution_count, **error}

    async def do_history(  # noqa: PLR0917 - as the base class has it
        self,
        hist_access_type: str,
        output: bool,
        raw: bool,  # noqa: ARG002 - there is only the raw one
        session: int | None = None,
        start: int | None = None,
        stop: int | None = None,
        n: int | None = None,
        pattern: str | None = None,
        unique: bool = False,
    ) -> Content:
        """What was run in this session."""
        if hist_access_type == "tail":
            found = self._history.tail(n or 0)
        elif hist_access_type == "range":
            found = self._history.range(session or 0, start or 0, stop)
        else:
            found = self._history.search(pattern or "*", n, unique=unique)
        return {"status": "ok", "history": self._history.with_outputs(found) if output else found}

    async def interrupt_request(self, stream: Any, ident: Any, parent: Content) -> None:  # noqa: ANN401 - ZeroMQ's
        """Stop the cell; arrives on the control channel, while the cell runs."""
        self.interrupt()
        if self.session:
            self.session.send(stream, "interrupt_reply", {"status": "ok"}, parent, ident=ident)

    def request_input(self, identity: bytes) -> None:
        """Ask the frontend of this identity for a line; answers to what was asked before are dropped."""
        while self.stdin_socket.poll(0):
            self.stdin_socket.recv_multipart()
        if self.session:
            content = {"prompt": "", "password": False}
            self.session.send(self.stdin_socket, "input_request", content, parent=self._parent, ident=identity)

    def receive_input(self, timeout_ms: int) -> str | None:
        """The next signed answer on the stdin channel; None if none comes in this time."""
        if self.session is None or not self.stdin_socket.poll(timeout_ms):
            return None
        try:
            _, reply = self.session.recv(self.stdin_socket)
            return None if reply is None else str(reply["content"]["value"])
        except _FOREIGN:
            _say_dropped("stdin channel")
            return None

    def publish(self, kind: str, content: Content) -> None:
        """Tell all frontends something about the last cell that was started, also what its threads print after it."""
        if kind == "execute_result":
            if self._silent:
                return
            content = {**content, "execution_count": self.execution_count}
            self._history.add_result(self.execution_count, content["data"].get("text/plain", ""))
        self._pace.keep()
        if self.session:
            self.session.send(self.iopub_socket, kind, content, parent=self._parent, ident=self._topic(kind))
