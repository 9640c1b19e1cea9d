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

from perflab.host.processes import kill_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_LENGTH = struct.Struct("<i")


def write_frame(pipe: IO[bytes], message: dict[str, Any]) -> None:
    """Write one.

    Raises:
        OSError: If the other side has closed the pipe.
    """
    body = json.dumps(message).encode()
    pipe.write(_LENGTH.pack(len(body)) + body)
    pipe.flush()


def read_frame(pipe: IO[bytes]) -> dict[str, Any] | None:
    """Read one; None if the other side has closed the pipe, be it in the middle of a frame."""
    header = pipe.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(header)
    body = pipe.read(length)
    if len(body) < length:
        return None
    message: dict[str, Any] = json.loads(body)
    return message


HOST_VARIABLE = "PERFLAB_CSHARP_HOST"
COMPILER_VARIABLE = "PERFLAB_CSHARP_COMPILER"

_DRAIN_S = 2
_PIECE = 65_536


class ProcessEndedError(Exception):
    """The C# process has ended in the middle of a request; its text says how."""


class CSharpProcess:
    """Starts the process, asks it one thing at a time, and passes on what it says in between.

    Args:
        dotnet: The launcher.
        host: The program's assembly.
        compiler: The folder of the compiler's assemblies.
    """

    def __init__(self, dotnet: str, host: str, compiler: str) -> None:
        self._command = [dotnet, host]
        self._compiler = compiler
        self._ids = itertools.count(1)
        self.number = 0
        """How many processes were started, this one included: another number means that all variables are gone."""
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: IO[bytes] | None = None
        self._replies: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._readers: list[threading.Thread] = []
        self._writing = threading.Lock()
        self.on_message: Callable[[dict[str, Any]], None] = lambda _: None
        """Told of streams and displays, from a thread of its own, in their order."""
        self.on_text: Callable[[str, str], None] = lambda *_: None
        """Told what was printed past .NET's console: by native libraries, by child processes, by a dying runtime."""

    @classmethod
    def from_environment(cls, variables: Mapping[str, str]) -> CSharpProcess:
        """As the kernelspec says."""
        return cls(f"{variables['DOTNET_ROOT']}/dotnet", variables[HOST_VARIABLE], variables[COMPILER_VARIABLE])

    @property
    def is_running(self) -> bool:
        """Whether it could be asked something now."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        """Its process id."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start it, unless it is running; it answers requests when it has warmed up.

        Raises:
            ProcessEndedError: If it cannot be started.
        """
        if self.is_running:
            return
        self._close()
        requests_read, requests_write = os.pipe()
        replies_read, replies_write = os.pipe()
        try:
            # Not by `processes.start`: it has more pipes, and ends where they do.
            self._process = subprocess.Popen(
                [*self._command, str(requests_read), str(replies_write), self._compiler],
                pass_fds=(requests_read, replies_write),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # A Ctrl+C in the terminal is Jupyter's; this process is interrupted by a message.
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
        """Ask the process that was started something and wait for the answer, however long that takes.

        Raises:
            ProcessEndedError: If it has ended, or ends before it has answered.
        """
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
        if self.is_running:
            try:
                self._write({"kind": "interrupt"})
            except OSError:
                # It has just ended, and `ask` says so.
                return

    def answer(self, number: int, line: str | None, refusal: str | None = None) -> None:
        """Give the process the line that it has asked for: None is the end of the input; or say why there is none."""
        with contextlib.suppress(OSError):
            self._write({"kind": "input", "id": number, "line": line, "refusal": refusal})

    def kill(self) -> None:
        """End it at once, with all that its cells have started."""
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
            # Whoever waits for a reply must not wait forever, whatever has gone wrong here.
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
        # What it printed last says why.
        for reader in self._readers:
            reader.join(_DRAIN_S)
        how = f"by signal {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        return f"the C# process ended {how}"

    def _close(self) -> None:
        if self._process is not None:
            self._process.wait()
        if self._requests is not None:
            # What was still to be written has no reader any more.
            with contextlib.suppress(OSError):
                self._requests.close()
            self._requests = None
