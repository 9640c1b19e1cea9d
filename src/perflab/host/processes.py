"""Run programs in process groups that end with perflab."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from concurrent.futures import wait
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import psutil

from perflab.host.guard import LOCALE, marked
from perflab.model.errors import COLOUR

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Future
    from typing import AnyStr


_LOOK_S = 0.2
"""Maximum delay before a signal is noticed."""
_GRACE_S = 2.0
_REAPED_S, _AGAIN_S = 1.0, 0.002


_READ_BYTES = 1 << 16
_KEPT_BYTES = 1 << 24


def start(
    command: Sequence[str | Path],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    stdout: int | IO[bytes] = subprocess.PIPE,
    stderr: int | IO[bytes] = subprocess.PIPE,
    locale: str | None = LOCALE,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a program in its own process group, which dies with this process; the caller ends it with `end_group`.

    Folder and environment default to this process's.
    """
    return subprocess.Popen(
        command,
        cwd=folder,
        env=marked(environment, locale),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
        pass_fds=pass_fds,
    )


class Started(Protocol):
    """A program with its pipes, in its own process group."""

    @property
    def args(self) -> Any: ...  # noqa: D102, ANN401 - as of `subprocess.Popen`
    @property
    def pid(self) -> int: ...  # noqa: D102
    @property
    def returncode(self) -> int | None: ...  # noqa: D102
    @property
    def stdout(self) -> IO[Any] | None: ...  # noqa: D102
    @property
    def stderr(self) -> IO[Any] | None: ...  # noqa: D102

    def wait(self, timeout: float | None = None) -> int: ...  # noqa: D102


def read(process: Started, take: Callable[[str, bytes], None], deadline: float | None = None) -> None:
    """Read both streams until they are closed.

    Args:
        process: A program started with pipes.
        take: Called with `stdout` or `stderr` and a chunk of its data.
        deadline: The time of `time.monotonic` at which to raise `subprocess.TimeoutExpired`.
    """
    with selectors.DefaultSelector() as selector:
        for stream, name in ((process.stdout, "stdout"), (process.stderr, "stderr")):
            if stream is not None:
                selector.register(stream, selectors.EVENT_READ, name)
        while selector.get_map():
            left = None if deadline is None else deadline - time.monotonic()
            ready = selector.select(left) if left is None or left > 0 else []
            if not ready:
                raise subprocess.TimeoutExpired(process.args, 0)
            for key, _ in ready:
                if data := os.read(key.fd, _READ_BYTES):
                    take(key.data, data)
                else:
                    selector.unregister(key.fileobj)


class _Output:
    """The beginning and the end of a program's output."""

    def __init__(self) -> None:
        self._first, self._last, self._dropped = bytearray(), bytearray(), 0

    def add(self, data: bytes) -> None:
        room = _KEPT_BYTES - len(self._first)
        self._first += data[:room]
        self._last += data[room:]
        excess = len(self._last) - _KEPT_BYTES
        # Rarely, since trimming copies the rest.
        if excess > _KEPT_BYTES:
            del self._last[:excess]
            self._dropped += excess

    def __bytes__(self) -> bytes:
        dropped = b"\n... %d bytes are left out ...\n" % self._dropped if self._dropped else b""
        return bytes(self._first + dropped + self._last)


def run_group(
    command: Sequence[str | Path],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
    output: int | IO[bytes] = subprocess.PIPE,
    locale: str = LOCALE,
) -> subprocess.CompletedProcess[bytes]:
    """Run a program in its own process group, which has always ended when this returns.

    Both streams go to `output`; by default they are captured, long ones only at the beginning and the end.
    """
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    stderr = subprocess.PIPE if output == subprocess.PIPE else subprocess.STDOUT
    kept = {"stdout": _Output(), "stderr": _Output()}
    process = start(command, folder=folder, environment=environment, stdout=output, stderr=stderr, locale=locale)
    try:
        read(process, lambda stream, data: kept[stream].add(data), deadline)
        process.wait(None if deadline is None else max(deadline - time.monotonic(), 0))
    finally:
        end_group(process)
    return subprocess.CompletedProcess(command, process.returncode, *map(bytes, kept.values()))


def result_of(future: Future[None]) -> None:
    """Wait for another thread and raise its exception, while still handling signals."""
    # Wait with a timeout: CPython misses a signal that arrives just before it waits for a lock.
    while not wait([future], _LOOK_S).done:
        pass
    future.result()


def end_group(process: Started, grace_s: float = _GRACE_S, sign: int = signal.SIGTERM) -> None:
    """End the process's group with `sign`, and with SIGKILL after `grace_s` seconds."""
    try:
        if _signal_group(process, sign) and process.returncode is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(grace_s)
    finally:
        # Also after a second Ctrl-C: nothing may keep running during the next measurement.
        killed = _signal_group(process, signal.SIGKILL)
        process.wait()
        if killed:
            _wait_for_group(process)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def kill_tree(pid: int) -> None:
    """Kill a process and all its descendants."""
    try:
        root = psutil.Process(pid)
        # List them first: once a parent is gone, its children are no longer descendants.
        tree = [root, *root.children(recursive=True)]
    except psutil.Error:
        return
    for process in tree:
        with contextlib.suppress(psutil.Error):
            process.kill()


def interrupt(process: subprocess.Popen[AnyStr], patience_s: float) -> None:
    """Interrupt a process like Ctrl-C without blocking; kill it and its descendants unless it ends in time."""

    def wait() -> None:
        try:
            process.wait(patience_s)
        except subprocess.TimeoutExpired:
            kill_tree(process.pid)

    process.send_signal(signal.SIGINT)
    threading.Thread(target=wait, daemon=True).start()


def _wait_for_group(process: Started) -> None:
    """Wait until killed processes are gone, but not forever: an init process may not reap them."""
    deadline = time.monotonic() + _REAPED_S
    while _signal_group(process, 0) and time.monotonic() < deadline:
        time.sleep(_AGAIN_S)


def _signal_group(process: Started, sign: int) -> bool:
    try:
        os.killpg(process.pid, sign)
    except ProcessLookupError:
        return False
    return True


def ask(command: Sequence[str | Path], timeout_s: float = 30) -> str | None:
    """Return a program's standard output; None if it cannot be started, fails or times out.

    It runs in `/`, since rustup and Maven read settings from the current folder.
    """
    try:
        done = run_group(command, folder=Path("/"), environment={**os.environ, "TERM": "dumb"}, timeout_s=timeout_s)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def version_line(program: str | Path) -> str:
    """Return the first line of `PROGRAM --version`, or an empty string."""
    lines = COLOUR.sub("", ask([program, "--version"]) or "").splitlines()
    return lines[0].strip() if lines else ""
