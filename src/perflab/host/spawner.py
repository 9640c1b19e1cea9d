"""Start programs from a small process, so that the reported peak memory is theirs.

On exec, Linux keeps a process's peak memory (`exec_mmap` in fs/exec.c): for a direct child, the reported peak would
include this process with all its libraries. The spawner is a process without libraries, started once: peaks above
`floor_bytes` are accurate. It reads the clock right before a program starts and right after it ends.
"""

from __future__ import annotations

import errno
import os
import resource
import select
import shutil
import socket
import subprocess
import sys
import weakref
from pathlib import Path
from types import MappingProxyType
from typing import IO, TYPE_CHECKING

from perflab.host import spawner_process
from perflab.host.guard import marked
from perflab.host.processes import end_group, read, start
from perflab.host.spawner_process import LENGTH_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self


_MARGIN = 1.05
"""From start to start it differs by a page or two."""


class Spawned:
    """A program in its own process group, for `processes.read` and `processes.end_group`."""

    def __init__(self, args: Sequence[str], pid: int, streams: Mapping[int, IO[bytes]], answers: socket.socket) -> None:
        self.args, self.pid, self._answers = args, pid, answers
        self.stdout, self.stderr = streams.get(1), streams.get(2)
        self.returncode: int | None = None
        self.rusage: resource.struct_rusage | None = None
        self.wall_s = self.delay_s = 0.0
        self.left = 0
        """Number of processes it left running, which were killed."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the program and return its exit status."""
        if self.returncode is None:
            if not select.select([self._answers], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(list(self.args), timeout or 0)
            status, self.wall_s, self.delay_s, left, *usage = _receive(self._answers)
            self.rusage, self.returncode = resource.struct_rusage(usage), os.waitstatus_to_exitcode(int(status))
            self.left = int(left)
        return self.returncode


class Spawner:
    """A spawner of this process; ends with its block, or when garbage-collected.

    Args:
        core: The only processor that its programs may use.

    Raises:
        OSError: If this process may not use that processor.
    """

    def __init__(self, core: int | None = None) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = start(
                [sys.executable, "-I", "-S", spawner_process.__file__, str(theirs.fileno())],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        self._end = weakref.finalize(self, _end, self._socket, self._process)
        self._core = core
        self.pin()
        least = self.start(["/bin/sh", "-c", ":"], folder=Path("/"), environment=os.environ)
        read(least, lambda *_: None)
        least.wait()
        end_group(least)
        self.floor_bytes = _MARGIN * 1024 * least.rusage.ru_maxrss if least.rusage else 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def pin(self) -> None:
        """Pin what it starts from now on to its core: a core that goes offline loses what was pinned to it."""
        if self._core is not None:
            os.sched_setaffinity(self._process.pid, {self._core})

    def start(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        streams: Mapping[int, int] = MappingProxyType({}),
    ) -> Spawned:
        """Start a program like `processes.start`, one at a time, in the locale of its environment.

        `streams` has descriptors by number; by default nothing comes in, and what comes out goes to pipes.
        """
        file: str | None = command[0]
        if os.sep not in command[0]:
            file = shutil.which(command[0], path=environment.get("PATH"))
        elif not os.access(folder / command[0], os.X_OK):
            file = None
        if file is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        assignments = [f"{name}={value}" for name, value in marked(environment, None).items()]
        words = [file, str(folder), str(len(command)), *command, *assignments]
        request = b"\0".join(map(os.fsencode, words))
        pipes = {number: os.pipe() for number in (1, 2) if number not in streams}
        theirs = {0: os.open(os.devnull, os.O_RDONLY), **{number: end for number, (_, end) in pipes.items()}}
        ours = {number: os.fdopen(begin, "rb", buffering=0) for number, (begin, _) in pipes.items()}
        try:
            descriptors = [one for _, one in sorted({**theirs, **streams}.items())]
            socket.send_fds(self._socket, [len(request).to_bytes(LENGTH_BYTES, "big")], descriptors)
            self._socket.sendall(request)
            pid, error = map(int, _receive(self._socket))
        finally:
            for one in theirs.values():
                os.close(one)
        if error:
            for stream in ours.values():
                stream.close()
            raise OSError(error, os.strerror(error))
        return Spawned(command, pid, ours, self._socket)


def _end(connection: socket.socket, process: subprocess.Popen[bytes]) -> None:
    connection.close()
    end_group(process)


def _receive(connection: socket.socket) -> list[float]:
    def exactly(length: int) -> bytes:
        data = b""
        while len(data) < length:
            if not (more := connection.recv(length - len(data))):
                raise OSError("the spawner has ended")
            data += more
        return data

    return [float(number) for number in exactly(int.from_bytes(exactly(LENGTH_BYTES), "big")).split()]
