"""The C# process behind the kernel."""

from __future__ import annotations

import codecs
import contextlib
import itertools
import json
import os
import queue
import signal
import struct
import subprocess
import threading
from typing import IO, TYPE_CHECKING, Any

from perflab_kernels.processes import kill_tree

if TYPE_CHECKING:
    from collections.abc import Callable


_LENGTH = struct.Struct("<i")


def write_frame(pipe: IO[bytes], message: dict[str, Any]) -> None:
    """Write a message, its length first."""
    body = json.dumps(message).encode()
    pipe.write(_LENGTH.pack(len(body)) + body)
    pipe.flush()


def read_frame(pipe: IO[bytes]) -> dict[str, Any] | None:
    """Read a message; None if the other side has closed the pipe, be it in the middle of a message."""
    header = pipe.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(header)
    body = pipe.read(length)
    if len(body) < length:
        return None
    message: dict[str, Any] = json.loads(body)
    return message


_DRAIN_S = 2
_PIECE = 65_536


class ProcessEndedError(Exception):
    """The C# process has ended during a request; the message says how."""


class CSharpProcess:
    """Starts the process, asks it one thing at a time, and passes on what it says in between.

    Args:
        command: Starts the program.
        compiler: The folder of the compiler's assemblies.
    """

    def __init__(self, command: list[str], compiler: str) -> None:
        self._command = command
        self._compiler = compiler
        self._ids = itertools.count(1)
        self.number = 0
        """Number of processes started so far; when it changes, all variables are gone."""
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: IO[bytes] | None = None
        self._replies: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._readers: list[threading.Thread] = []
        self._writing = threading.Lock()
        self.on_message: Callable[[dict[str, Any]], None] = lambda _: None
        """Called with streams and displays, in their order, from a thread of its own."""
        self.on_text: Callable[[str, str], None] = lambda *_: None
        """Called with what is printed past .NET's console: by native libraries, child processes, a dying runtime."""

    @property
    def is_running(self) -> bool:
        """Return whether the process is running."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it unless it is running; raise `ProcessEndedError` if it cannot be started."""
        if self.is_running:
            return
        self._close()
        requests_read, requests_write = os.pipe()
        replies_read, replies_write = os.pipe()
        try:
            self._process = subprocess.Popen(
                [*self._command, str(requests_read), str(replies_write), self._compiler],
                pass_fds=(requests_read, replies_write),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # Jupyter handles Ctrl+C in the terminal; this process is interrupted by a message.
                start_new_session=True,
            )
        except OSError as error:
            for end in (requests_write, replies_read):
                os.close(end)
            raise ProcessEndedError(f"the C# process cannot be started: {error}") from None
        finally:
            for end in (requests_read, replies_write):
                os.close(end)
        self.number += 1
        self._requests = os.fdopen(requests_write, "wb")
        self._replies = queue.SimpleQueue()
        self._readers = [
            self._reader(self._read_frames, os.fdopen(replies_read, "rb"), self._replies),
            self._reader(self._read_text, self._process.stdout, "stdout"),
            self._reader(self._read_text, self._process.stderr, "stderr"),
        ]

    def ask(self, kind: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever JSON can hold
        """Send a request and wait for the reply; raise `ProcessEndedError` if the process ends before."""
        number = next(self._ids)
        try:
            self._write({"kind": kind, "id": number, **fields})
            while (reply := self._replies.get()) is not None:
                if reply.get("id") == number:
                    return reply
        except OSError:
            pass
        raise ProcessEndedError(self._how_it_ended())

    def interrupt(self) -> None:
        """Stop the cell that runs, if one does."""
        with contextlib.suppress(OSError):  # if it has just ended, `ask` says so
            self._write({"kind": "interrupt"})

    def answer(self, number: int, line: str | None, refusal: str | None = None) -> None:
        """Give the process a line of input, None at its end, or the reason why there is none."""
        with contextlib.suppress(OSError):
            self._write({"kind": "input", "id": number, "line": line, "refusal": refusal})

    def kill(self) -> None:
        """End it with all that its cells have started."""
        if self._process is not None and self.is_running:
            kill_tree(self._process.pid)

    def _write(self, message: dict[str, Any]) -> None:
        # Interrupts come from another thread than requests.
        with self._writing:
            if self._requests is not None:
                write_frame(self._requests, message)

    def _reader(self, read: Callable[..., None], *arguments: object) -> threading.Thread:
        thread = threading.Thread(target=read, args=arguments, daemon=True)
        thread.start()
        return thread

    def _read_frames(self, pipe: IO[bytes], replies: queue.SimpleQueue[dict[str, Any] | None]) -> None:
        try:
            with pipe:
                while (message := read_frame(pipe)) is not None:
                    if message["type"] == "reply":
                        replies.put(message)
                    else:
                        self.on_message(message)
        finally:
            # Whatever went wrong, a caller must not wait for a reply forever.
            replies.put(None)

    def _read_text(self, pipe: IO[bytes], name: str) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        with pipe:
            while piece := pipe.read1(_PIECE):  # type: ignore[attr-defined]
                if text := decoder.decode(piece):
                    self.on_text(name, text)

    def _how_it_ended(self) -> str:
        if self._process is None:
            return "the C# process was not started"
        try:
            status = self._process.wait(_DRAIN_S)
        except subprocess.TimeoutExpired:
            kill_tree(self._process.pid)
            status = self._process.wait()
        # Its last output gives the reason.
        for reader in self._readers:
            reader.join(_DRAIN_S)
        how = f"by signal {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        return f"the C# process ended {how}"

    def _close(self) -> None:
        if self._process is not None:
            self._process.wait()
        if self._requests is not None:
            # Unwritten requests have no reader any more.
            with contextlib.suppress(OSError):
                self._requests.close()
            self._requests = None
