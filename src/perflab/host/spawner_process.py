"""The process behind `spawner`: a script with few imports that gets the number of its socket.

A request has a file, a folder, the number of arguments, the arguments, and environment variables, separated by NUL,
with descriptors for the standard streams. The answer is two numbers, a process id and an errno; then, when the program
has ended, its wait status, its time in seconds, and its resource usage.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import _socket
import os
import sys
import time

LENGTH_BYTES = 8
STREAMS = 3
_DESCRIPTOR_BYTES = 4


def _run(connection: _socket.socket) -> bool:
    """Serve a request; return False if there are no more."""
    space = _socket.CMSG_SPACE(STREAMS * _DESCRIPTOR_BYTES)
    head, control, _, _ = connection.recvmsg(LENGTH_BYTES, space, _socket.MSG_CMSG_CLOEXEC)
    if not head:
        return False
    data = control[0][2]
    streams = [
        int.from_bytes(data[i : i + _DESCRIPTOR_BYTES], sys.byteorder) for i in range(0, len(data), _DESCRIPTOR_BYTES)
    ]
    length, request = int.from_bytes(head, "big"), b""
    while len(request) < length:
        if not (more := connection.recv(length - len(request))):
            return False
        request += more
    errors, failed = os.pipe()
    begun = time.monotonic()
    pid = os.fork()
    if not pid:
        _become(request.split(b"\0"), streams, failed)
    for one in (*streams, failed):
        os.close(one)
    error = os.read(errors, LENGTH_BYTES)
    os.close(errors)
    _answer(connection, (pid, int.from_bytes(error, "big")))
    _, status, usage = os.wait4(pid, 0)
    wall_s = time.monotonic() - begun
    if not error:
        _answer(connection, (status, wall_s, *usage))
    return True


def _become(request: list[bytes], streams: list[int], failed: int) -> None:
    """Exec the program, or report the error."""
    try:
        file, folder, many, *words = request
        command, assignments = words[: int(many)], words[int(many) :]
        environment = dict(one.split(b"=", 1) for one in assignments)
        os.setsid()
        for number, one in enumerate(streams):
            os.dup2(one, number)
        os.chdir(folder)
        os.execve(file, command, environment)  # noqa: S606 - the purpose
    except OSError as error:
        os.write(failed, (error.errno or 1).to_bytes(LENGTH_BYTES, "big"))
    finally:
        os._exit(127)


def _answer(connection: _socket.socket, numbers: tuple[float, ...]) -> None:
    data = " ".join(map(repr, numbers)).encode()
    connection.sendall(len(data).to_bytes(LENGTH_BYTES, "big") + data)


if __name__ == "__main__":
    server = _socket.socket(fileno=int(sys.argv[1]))
    os.set_inheritable(server.fileno(), False)
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(number, _signal.SIG_DFL)  # Python ignores these signals, and programs would inherit that
    while _run(server):
        pass
