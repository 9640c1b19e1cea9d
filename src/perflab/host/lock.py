"""Lock the machine while measuring, for all its users, since concurrent measurements disturb each other.

It is an advisory lock (flock) of a file in `Lab.lock` that all users of the machine may open. Its name contains the
kernel's boot id, which is unique to a machine and shared by its containers.
"""

from __future__ import annotations

import fcntl
import os
import platform
import pwd
import sys
import threading
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.host.guard import hold
from perflab.model.errors import MissingError, TakenError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_SHOWN = 200

_held = threading.local()


@contextmanager
def measurement_lock(folder: Path, wait: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the machine's measurement lock. A thread that holds it may take it again.

    The operating system releases it when this process and all programs started for the measurement have ended.

    Args:
        folder: The lock file's folder: `Lab.lock`.
        wait: Called once with a message before waiting for another process; without it, that is an error.
    """
    mine: set[Path] = _held.__dict__.setdefault("folders", set())
    if folder in mine:
        yield
        return
    descriptor = _open(lock_file(folder))
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(descriptor)
            if wait is None:
                raise TakenError(
                    f"something else is being measured on this machine: {holder}", "wait for it, or end it"
                ) from None
            wait(f"waiting until something else has been measured on this machine: {holder}")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        mine.add(folder)
        try:
            hold(descriptor)
            _write(descriptor, _this_process())
            yield
        finally:
            mine.discard(folder)
            _write(descriptor, "")
            # The guard's watcher may still hold the descriptor.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)


def lock_file(folder: Path) -> Path:
    """Return the path of this machine's lock file."""
    try:
        machine = _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        machine = platform.node()
    return folder / f"perflab-measuring-{machine}.lock"


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            # Without O_CREAT: Linux refuses it for another user's file in /tmp (fs.protected_regular).
            return os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
            os.fchmod(descriptor, 0o666)  # whatever the umask
            return descriptor
    except OSError as error:
        raise MissingError(
            f"cannot take the measurement lock: {error}",
            f"remove {path}, or set PERFLAB_LOCK to a folder that all who measure here share",
        ) from None


def _this_process() -> str:
    """Describe this process to others; the second line names the PID namespace."""
    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        user = f"user {os.geteuid()}"
    since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    command = " ".join(" ".join(sys.argv[1:]).split())[:_SHOWN]
    return f"process {os.getpid()} of {user} since {since}: {command}\n{_namespace()}\n"


def _namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - not a path
    except OSError:
        return ""


def _write(descriptor: int, text: str) -> None:
    # A full disk must not prevent measuring.
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode("utf-8", "backslashreplace"), 0)


def _holder(descriptor: int) -> str:
    """Describe the lock's holder."""
    text = os.pread(descriptor, 10 * _SHOWN, 0).decode("utf-8", "replace")
    process, _, namespace = text.partition("\n")
    shown = "".join(character if character.isprintable() else "?" for character in process) or "another process"
    elsewhere = namespace.strip() not in {"", _namespace()}
    return f"{shown} (in another container, where this is its number)" if elsewhere else shown
