"""One measurement at a time: two at once measure each other. The lock is the machine's, whoever measures.

It is an advisory lock (flock) of a file in `Lab.lock` that all users of the machine may open. The file's name holds the
kernel's boot id, which all containers of a machine have in common, and no two machines: containers that share the
folder take turns, machines that share it over a network do not.
"""

from __future__ import annotations

import errno
import fcntl
import os
import platform
import pwd
import stat
import sys
import threading
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from perflab.host.guard import hold
from perflab.model.errors import MissingError, TakenError
from perflab.model.portable import portable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

_held = threading.local()


@contextmanager
def measurement_lock(folder: Path, wait: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the machine's measurement lock. A thread that holds it may take it again.

    The operating system frees it when this process and all that it started for the measurement have ended.

    Args:
        folder: Holds the lock file: `Lab.lock`.
        wait: Called once with a message if another process holds the lock; then this waits for it.

    Raises:
        TakenError: If another process holds it, and there is no `wait`.
        MissingError: If the lock file cannot be opened, or something else is in its place.
    """
    mine: set[Path] = _held.__dict__.setdefault("folders", set())
    if folder in mine:
        yield
        return
    path = lock_file(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = _acquire(path, wait)
    except OSError as error:
        raise _cannot_take(path, error) from None
    mine.add(folder)
    try:
        hold(descriptor)
        _write(descriptor, _this_process())
        yield
    finally:
        mine.discard(folder)
        _write(descriptor, "")
        # The watcher may have the descriptor, too.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def lock_file(folder: Path) -> Path:
    """The file in the folder that this machine locks."""
    try:
        machine = _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        machine = platform.node()
    return folder / f"perflab-measuring-{machine}.lock"


def _acquire(path: Path, wait: Callable[[str], None] | None) -> int:
    """A descriptor of the file, locked."""
    while True:
        descriptor = _open(path)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                who = _holder(descriptor)
                if wait is None:
                    raise TakenError(
                        f"something else is being measured on this machine: {who}", "wait for it, or end it"
                    ) from None
                wait(f"waiting until something else has been measured on this machine: {who}")
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_at(path, descriptor):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # what tidies the folder has removed the file meanwhile


_TRIES, _AGAIN_S = 20, 0.01


def _open(path: Path) -> int:
    """Open the file, which is made if it is not there. What another user has put in its place is not touched.

    Raises:
        MissingError: If it is not a regular file, or has a second name.
        OSError: If it cannot be opened; ELOOP for a symbolic link.
    """
    for tries_left in reversed(range(_TRIES)):
        try:
            # Without O_CREAT: for another user's file in a sticky folder, Linux refuses it (fs.protected_regular).
            # Without blocking: a pipe has no reader.
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            with suppress(FileExistsError):
                made = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
                os.fchmod(made, 0o666)  # whatever the umask
                os.close(made)
            continue
        except PermissionError:
            if not tries_left:
                raise
            time.sleep(_AGAIN_S)  # another user may just be making it
            continue
        found = os.fstat(descriptor)
        if stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
            return descriptor
        os.close(descriptor)
        if found.st_nlink:
            raise _in_its_place(path, "not a file of its own")
    raise FileNotFoundError(errno.ENOENT, "it is removed whenever it is made", str(path))


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _cannot_take(path: Path, error: OSError) -> MissingError:
    if error.errno == errno.ELOOP:
        return _in_its_place(path, "a symbolic link, which is not followed")
    if error.errno == errno.EISDIR:
        return _in_its_place(path, "a folder")
    if isinstance(error, PermissionError) and os.path.lexists(path):
        return _in_its_place(path, "closed to you")
    return MissingError(f"cannot take the measurement lock: {error}", f"make {path.parent} writable")


def _in_its_place(path: Path, what: str) -> MissingError:
    owner = ""
    with suppress(OSError):
        owner = f", and belongs to {_user(path.lstat().st_uid)}"
    return MissingError(
        f"cannot take the measurement lock: {path} is {what}{owner}",
        "have it removed, or set PERFLAB_LOCK to a folder that all who measure here share",
    )


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


_LONGEST, _COMMAND_SHOWN = 2000, 200
"""Bytes of what a holder says of itself, and characters of its command."""


def _this_process() -> str:
    """What others are told while this process holds the lock; the second line names what its number belongs to."""
    since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    command = portable(" ".join(" ".join(sys.argv[1:]).split()))[:_COMMAND_SHOWN]
    return f"process {os.getpid()} of {_user(os.geteuid())} since {since}: {command}\n{_namespace()}\n"


def _namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - it is no path
    except OSError:
        return ""


def _write(descriptor: int, text: str) -> None:
    # A full disk keeps nobody from measuring.
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode("utf-8", "backslashreplace"), 0)


def _holder(descriptor: int) -> str:
    """Who holds the lock, as far as the file says it: everybody may have written that."""
    text = os.pread(descriptor, _LONGEST, 0).decode("utf-8", "replace")
    said, _, namespace = text.partition("\n")
    shown = "".join(sign if sign.isprintable() else "?" for sign in said) or "another process"
    elsewhere = namespace.strip() not in {"", _namespace()}
    return f"{shown} (in another container, where this is its number)" if elsewhere else shown


class Progress(Protocol):
    """Receives the progress of a long task."""

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        """Report progress; `done` runs from 0 to 1."""

    def note(self, text: str) -> None:
        """Report what a user must not miss: a warning, a dropped variant."""


class Portion:
    """Reports a part of a task, from `begin` to `end` (0 to 1), as progress of the whole.

    `after_s`: about how long the rest of the whole takes after this part, in seconds.
    """

    def __init__(
        self, whole: Progress, begin: float = 0.0, end: float = 1.0, after_s: Callable[[], float] = lambda: 0.0
    ) -> None:
        self._whole, self._begin, self._end, self._after_s = whole, begin, end, after_s

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        """Report progress of the part."""
        left = None if seconds_left is None else seconds_left + self._after_s()
        self._whole.update(self._begin + done * (self._end - self._begin), text, left)

    def note(self, text: str) -> None:
        """Pass a note on."""
        self._whole.note(text)
