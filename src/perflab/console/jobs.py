"""A job: a command of the lab in a process of its own, and what its stream has said until now."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from perflab.errors import LabError, MissingError
from perflab.protocol import Note, Problem, Progress, Result, Shown, read_stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from perflab.console.commands import Command
    from perflab.protocol import StreamMessage

State = Literal["waiting", "running", "stopping", "done", "stopped", "failed"]
OVER: frozenset[State] = frozenset({"done", "stopped", "failed"})

_INTERRUPTED_STATUS = 130
_PATIENCE_S = 20.0
"""After so long a process that was interrupted is killed; what it had measured is on disk."""


@dataclass
class Job:
    """A command, and how far it is. The thread that runs it writes; others read.

    Attributes:
        command: The command.
        number: Its place in the order in which jobs were asked for, from 1.
        state: Where it stands.
        done: Progress, 0 to 1.
        text: What it is about.
        seconds_left: As it estimates it; `None` if it does not know.
        started: By `time.time`, once it runs.
        ended: By `time.time`, once it is over.
        notes: Lines that stay.
        displays: MIME bundles that it showed, in order.
        result: What `--json` would print, if it got so far.
        failure: Why it failed, in one line.
        hint: What to do about that.
    """

    command: Command
    number: int = 0
    state: State = "waiting"
    done: float = 0.0
    text: str = ""
    seconds_left: float | None = None
    started: float = 0.0
    ended: float = 0.0
    notes: list[str] = field(default_factory=list)
    displays: list[dict[str, Any]] = field(default_factory=list)
    result: Any = None
    failure: str = ""
    hint: str = ""
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def over(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.state in OVER

    @property
    def seconds(self) -> float:
        """How long it has been running, or ran."""
        return (self.ended or time.time()) - self.started if self.started else 0.0

    def run(self, tell: Callable[[Job], None]) -> None:
        """Run it to its end.

        Args:
            tell: Called after each change, from this thread.
        """
        with self._lock:
            if self.state == "waiting":
                self._start()
        tell(self)
        if self._process is None:
            return
        said = self._read(self._process, tell)
        self._end(self._process.wait(), said)
        tell(self)

    def stop(self) -> None:
        """End it as Ctrl-C does: what was measured is kept. One that waits is taken out of the order."""
        with self._lock:
            if self.state == "waiting":
                self.state = "stopped"
            elif self.state == "running" and self._process is not None:
                self.state = "stopping"
                self._process.send_signal(signal.SIGINT)
                threading.Thread(target=_kill_later, args=(self._process,), daemon=True).start()

    def _start(self) -> None:
        self.started = time.time()
        try:
            self._process = subprocess.Popen(
                self.command.process,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,  # the kernel's interrupt is not for it
            )
            self.state = "running"
        except OSError as error:
            self._fail(MissingError(f"cannot start {error.filename}: {error.strerror}", "./lab doctor"))

    def _read(self, process: subprocess.Popen[str], tell: Callable[[Job], None]) -> str:
        """Take in the stream; returns what was said on standard error, which is read beside it or would fill up."""
        said: list[str] = []
        assert process.stdout is not None  # noqa: S101 - both are pipes
        assert process.stderr is not None  # noqa: S101
        errors = threading.Thread(target=lambda: said.append(process.stderr.read()), daemon=True)  # type: ignore[union-attr]
        errors.start()
        for line in process.stdout:
            self.take(read_stream(line))
            tell(self)
        errors.join()
        process.stdout.close()
        process.stderr.close()
        return "".join(said)

    def take(self, message: StreamMessage) -> None:
        """Take in a message of the stream (docs/protocol.md)."""
        match message:
            case Progress():
                self.done, self.text, self.seconds_left = message.done, message.text, message.seconds_left
            case Note(text):
                self.notes.append(text)
            case Shown(data):
                self.displays.append(data)
            case Result(data):
                self.result = data
            case Problem(text, hint):
                self.failure, self.hint = text, hint

    def abandon(self, error: Exception) -> None:
        """End it because of a defect of the console, and return when its process is gone."""
        self.stop()
        if self._process is not None:
            assert self._process.stdout is not None  # noqa: S101 - a pipe
            self._process.stdout.close()  # or it could wait for who reads it
            self._process.wait()
        self._fail(LabError(f"the console failed: {error!r}", "reload the page"))

    def _end(self, status: int, said: str) -> None:
        with self._lock:
            self.ended, self.seconds_left = time.time(), None
            if self.state == "stopping" or status == _INTERRUPTED_STATUS:
                self.state = "stopped"
            elif self.failure or (status and self.result is None):
                lines = said.strip().splitlines()
                self.failure = self.failure or (lines[-1] if lines else f"it ended with status {status}")
                self.state = "failed"
            else:
                self.state, self.done = "done", 1.0

    def _fail(self, error: LabError) -> None:
        self.ended, self.state = time.time(), "failed"
        self.failure, self.hint = error.message, error.hint


def _kill_later(process: subprocess.Popen[str]) -> None:
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
