"""What a lab starts dies with it, even if it is killed by SIGKILL.

Every program that is started with `marked` variables carries this process's mark in its environment, and so do the
programs that it starts itself. A watcher, one small process in a session of its own, waits on a socket until this
process is gone, however it went, and then kills whatever still carries the mark. It holds the descriptors that it was
given by `hold`, so that a lock is not free while a program still runs.

The watcher is no parent of what is measured and runs only at the very end; the mark has the same length in every fork.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


VARIABLE = "PERFLAB_STARTED_BY"

_AGAIN_S = 0.02
_QUIET_SCANS = 3  # a child that was being started when its parent died carries the mark only then
_MOST_DESCRIPTORS = 8


class _Guard:
    """The watcher of this process, started when it is first needed."""

    def __init__(self) -> None:
        self.mark = f"{os.getpid():08d}-{secrets.token_hex(8)}"
        self._socket, theirs = socket.socketpair()
        environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
        with theirs:
            # Not by `processes.start`: it must outlive this process.
            subprocess.Popen(
                [sys.executable, "-I", "-S", __file__, self.mark, str(theirs.fileno())],
                env=environment,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                # Whoever ends the group of this process, as a terminal does, must not end its watcher.
                start_new_session=True,
            ).returncode = 0  # it is never waited for: it ends after this process

    def hold(self, descriptor: int) -> None:
        """Give it a descriptor; it drops those that it had before, and has the new one when this returns."""
        socket.send_fds(self._socket, [b"+"], [descriptor])
        self._socket.recv(1)


_watchers: dict[int, _Guard] = {}
_starting = threading.Lock()


def _watcher() -> _Guard:
    with _starting:
        # A forked child is a process of its own.
        if os.getpid() not in _watchers:
            _watchers.clear()
            _watchers[os.getpid()] = _Guard()
        return _watchers[os.getpid()]


LOCALE = "C.UTF-8"
"""What all programs run under: under C, Java opens no file whose name is not ASCII. Messages are in English."""


def marked(environment: Mapping[str, str] | None = None, locale: str | None = LOCALE) -> dict[str, str]:
    """An environment, this process's without one, under which a program dies with this process.

    Without a `locale`, that of the environment stays.
    """
    given = os.environ if environment is None else environment
    language = {"LC_ALL": locale, "LANGUAGE": ""} if locale is not None else {}
    return {**given, **language, VARIABLE: _watcher().mark}


def hold(descriptor: int) -> None:
    """Keep a descriptor open until the last marked program has ended, if this process dies before it closes it."""
    try:
        _watcher().hold(descriptor)
    except OSError:
        # Somebody has killed the watcher.
        _watchers.clear()
        _watcher().hold(descriptor)


def end_marked() -> None:
    """Kill all marked programs at once, whoever waits for them: this process has been interrupted."""
    for pid in _carrying(f"{VARIABLE}={_watcher().mark}".encode()):
        _kill(pid)


def _main(mark: str, descriptor: int) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    held: list[int] = []
    with socket.socket(fileno=descriptor) as connection:
        while True:
            try:
                data, descriptors, _, _ = socket.recv_fds(connection, 1, _MOST_DESCRIPTORS)
            except OSError:
                break
            if not data:
                break
            for former in held:
                os.close(former)
            held = descriptors
            connection.sendall(b"!")
        quiet = 0
        while quiet < _QUIET_SCANS:
            found = list(_carrying(f"{VARIABLE}={mark}".encode()))
            for pid in found:
                _kill(pid)
            quiet = 0 if found else quiet + 1
            time.sleep(_AGAIN_S)


def _carrying(entry: bytes) -> Iterator[int]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                entries = (folder / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if entry in entries:
                yield int(folder.name)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        return


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]))
