"""The process behind `spawner`: a script with few imports that gets the number of its socket.

A request has a file, a folder, the number of arguments, the arguments, and environment variables, separated by NUL,
with descriptors for the standard streams. The answer is two numbers, a process id and an errno; then, when the program
has ended, its wait status, its time in seconds, for how many of these its main thread or this process waited for a
processor, how many processes it had left behind, and its resource usage.

What a program leaves behind becomes a child of this process, whatever its session, and is ended before the answer: it
might hold the program's output open for ever, and would disturb the next measurement.
"""

from __future__ import annotations

import _ctypes  # `ctypes` would add to the memory that programs seem to use
import _signal  # type: ignore[import-not-found]
import _socket
import os
import sys
import time

LENGTH_BYTES = 8
STREAMS = 3
_DESCRIPTOR_BYTES = 4
_SET_CHILD_SUBREAPER = 36
_GRACE_S, _KILLED_S, _AGAIN_S = 0.2, 1.0, 0.002


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
    own_s, begun = _delay_s("self"), time.monotonic()
    pid = os.fork()
    if not pid:
        _become(request.split(b"\0"), streams, failed)
    for one in (*streams, failed):
        os.close(one)
    error = os.read(errors, LENGTH_BYTES)
    os.close(errors)
    _answer(connection, (pid, int.from_bytes(error, "big")))
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    wall_s = time.monotonic() - begun
    delay_s = _delay_s(str(pid)) + _delay_s("self") - own_s
    while (ended := os.wait4(-1, 0))[0] != pid:
        pass
    left = _end_left()
    if not error:
        _answer(connection, (ended[1], wall_s, delay_s, left, *ended[2]))
    return True


def _delay_s(pid: str) -> float:
    """Return for how long a process's main thread has had to wait for a processor; 0 if the system hides it."""
    try:
        with open(f"/proc/{pid}/schedstat") as file:  # noqa: PTH123 - pathlib is large
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _adopt() -> None:
    """Become the parent of processes whose own parent has ended."""
    prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type]
    _ctypes.call_function(prctl, (_SET_CHILD_SUBREAPER, 1, 0, 0, 0))


def _end_left() -> int:
    """Kill what the program left behind and does not end in a moment; return how many processes that were."""
    killed: set[int] = set()
    begun = time.monotonic()
    while (waited := time.monotonic() - begun) < _KILLED_S:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
            if waited > _GRACE_S:
                # Children of theirs are then found here in turn.
                with open(f"/proc/self/task/{os.getpid()}/children") as children:  # noqa: PTH123 - pathlib is large
                    for pid in map(int, children.read().split()):
                        os.kill(pid, _signal.SIGKILL)
                        killed.add(pid)
        except OSError:  # there are none, or the system does not tell
            break
        time.sleep(_AGAIN_S)
    return len(killed)


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
    _adopt()
    while _run(server):
        pass
