"""Kill all started programs when this process dies, even by SIGKILL.

Every program that is started with `marked` variables carries this process's mark in its environment, and so do its
children. A watcher, one small process in a session of its own, waits on a socket until this process is gone, for
whatever reason, and then kills every process that still carries the mark. It keeps the descriptors passed to `hold`
open, so that a lock is not released while a program still runs.

The watcher is not a parent of measured programs and is idle until the end; the mark has the same length in every fork.
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
_QUIET_SCANS = 3  # a child whose parent died during its start gets the mark only later
_MOST_DESCRIPTORS = 8


class _Guard:
    """The watcher of this process, started on first use."""

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
                # A signal to this process's group, as from a terminal, must not end the watcher.
                start_new_session=True,
            ).returncode = 0  # never waited for: it ends after this process

    def hold(self, descriptor: int) -> None:
        """Pass a descriptor to the watcher, which closes earlier ones; return once it has the new one."""
        socket.send_fds(self._socket, [b"+"], [descriptor])
        self._socket.recv(1)


_watchers: dict[int, _Guard] = {}
_starting = threading.Lock()


def _watcher() -> _Guard:
    with _starting:
        # A forked child needs its own watcher.
        if os.getpid() not in _watchers:
            _watchers.clear()
            _watchers[os.getpid()] = _Guard()
        return _watchers[os.getpid()]


LOCALE = "C.UTF-8"
"""The locale of all programs: English messages, and unlike C, Java can open files with non-ASCII names."""


def marked(environment: Mapping[str, str] | None = None, locale: str | None = LOCALE) -> dict[str, str]:
    """Return an environment, by default based on this process's, that makes a program die with this process.

    `None` as `locale` keeps the environment's.
    """
    given = os.environ if environment is None else environment
    language = {"LC_ALL": locale, "LANGUAGE": ""} if locale is not None else {}
    return {**given, **language, VARIABLE: _watcher().mark}


def hold(descriptor: int) -> None:
    """Keep a descriptor open until the last marked program has ended, even if this process dies earlier."""
    try:
        _watcher().hold(descriptor)
    except OSError:
        # The watcher was killed.
        _watchers.clear()
        _watcher().hold(descriptor)


def end_marked() -> None:
    """Kill all marked programs immediately, since this process was interrupted."""
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
