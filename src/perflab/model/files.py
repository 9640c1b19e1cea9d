"""Writing files and folders so that they are there whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from glob import glob
from heapq import nlargest
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from perflab.model.errors import StoreError, UsageError, one_line
from perflab.model.limits import MOST_RECORD, TooMuchError, limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from io import BufferedReader


_Record = TypeVar("_Record")

UNREADABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError, TooMuchError)
"""What reading a document raises that is none, or of another kind: also nested too deeply, too large, or no text."""

_MOST_BYTES = 1 << 25
"""Of a document that is read whole: decoded, one takes up to twenty times as much. One with holes takes no room on a
disk, whatever its size."""


_MOST_LINES = 1_000_000
_MOST_NEWEST = 200_000
"""Lines of a file of which the last count: more than so many bytes have of ours."""
_MOST_TOGETHER = 1 << 27
"""Bytes of all records of a kind, as of 27,000 runs. They stay in memory, where one may take eighteen times as much."""
_SHOWN = 5
_PART = 1 << 20


@contextmanager
def atomic(path: Path) -> Iterator[Path]:
    """Yield a draft beside `path`, which the block makes as a file or a folder; it replaces `path` when the block ends.

    The folder around it is made. If the block raises, `path` stays as it was and the draft is removed.

    Raises:
        OSError: If it cannot be written.
    """
    draft = path.with_name(path.name + ".draft")
    path.parent.mkdir(parents=True, exist_ok=True)
    remove(draft)
    try:
        yield draft
        if draft.is_dir():
            remove(path)
        draft.replace(path)
    finally:
        remove(draft)


def remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        remove_folder(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def remove_folder(path: Path, *, ignore_errors: bool = False) -> None:
    """Remove a folder.

    Raises:
        OSError: If its folders lie too deep in each other; or else, unless errors are ignored.
    """
    try:
        shutil.rmtree(path, ignore_errors=ignore_errors)
    except RecursionError:
        raise OSError(errno.ENAMETOOLONG, "its folders lie too deep in each other", str(path)) from None


def copy_of(source: Path, target: Path) -> None:
    """Copy a file or a folder; the folder around the copy is made."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy2(source, target)


def check_regular(path: Path) -> None:
    """Refuse what is no file: a pipe would be read forever.

    Raises:
        OSError: If it is none, or not there.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "no regular file", str(path))


def read_bytes(path: Path, most: int = _MOST_BYTES) -> bytes:
    """What a file holds that others may have made, `most` bytes of it.

    Raises:
        OSError: If it is no regular file, or cannot be read.
        TooMuchError: If it is too large.
    """
    with open_regular(path) as file:
        return _whole(file, path, most)


def read_below(root: Path, path: Path, most: int = _MOST_BYTES) -> bytes:
    """As `read_bytes`, of a file below a folder that no link leads to: its owner can make one at any moment.

    Raises:
        OSError: Likewise, or if a link leads to it.
        TooMuchError: Likewise.
    """
    *names, last = path.relative_to(root).parts
    if ".." in names:
        raise OSError(errno.ELOOP, "a link leads to it", str(path))
    # Step by step: whatever is looked at by its whole path may be another when it is opened by it.
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for name in names:
            outer, folder = folder, os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(outer)
        with open_regular(Path(last), os.O_NOFOLLOW, folder) as file:
            return _whole(file, path, most)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENOTDIR}:
            raise OSError(errno.ELOOP, "a link leads to it", str(path)) from None
        raise
    finally:
        os.close(folder)


def _whole(file: BufferedReader, path: Path, most: int) -> bytes:
    size = os.fstat(file.fileno()).st_size
    limit(size, most, f"bytes of {path.name}")
    # No more than it says: a link may lead to a file of the kernel's, which says that it is empty and never ends.
    return file.read(size)


def open_regular(path: Path, more: int = 0, folder: int | None = None) -> BufferedReader:
    """Open a file to read it; its owner can put a pipe in its place at any moment, and that is not waited for.

    Args:
        path: The file.
        more: Flags.
        folder: A descriptor of the folder that the path begins in.

    Raises:
        OSError: If it is no regular file, or cannot be opened.
    """

    def opened(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NONBLOCK | more, dir_fd=folder)

    file = open(path, "rb", opener=opened)  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "no regular file", str(path))
    return file


def place_in(root: Path, *names: str) -> Path:
    """A place below a folder, to be written to.

    Raises:
        StoreError: If it is a link, or one leads out of the folder: a folder that came from elsewhere may hold any.
    """
    path = root.joinpath(*names)
    if not real(path).is_relative_to(real(root)):
        raise StoreError(f"a link leads out of {root}: {path}", "remove it; PERFLAB_RESULTS may name another folder")
    if path.is_symlink():
        raise StoreError(f"{path} is a link", "remove it; what lies elsewhere in the folder would be replaced")
    return path


def real(path: Path) -> Path:
    """As `resolve`, which some Pythons let raise errors of their own: for links in a circle, and for long chains.

    A chain that is longer than Python's stack, and so than any that the system follows, leads to nowhere.
    """
    try:
        return Path(os.path.realpath(path))
    except RecursionError:
        return Path(os.devnull)


def own_files(folder: Path) -> list[Path]:
    """The files of a run, a profile or a reproduction, whose folder is two below that of results, by their names.

    Links that lead out of it are left out, and all of it if it is one, or lies in one: those are somebody else's.
    """
    results = folder.parents[1]
    home = real(results) / folder.relative_to(results)
    return [path for path in sorted(folder.iterdir()) if is_file(path) and real(path).parent == home]


def is_file(path: Path) -> bool:
    """Whether this is a file, or a link to one; where a link cannot be followed, `Path.is_file` may raise an error."""
    return os.path.isfile(path)  # noqa: PTH113 - see above


def files_below(root: Path, pattern: str) -> list[Path]:
    """The files and links to files that fit a pattern; what cannot be looked at is left out."""
    # Not `Path.glob`, which may raise an error for a link that cannot be followed.
    return sorted(path for one in glob(pattern, root_dir=root) if is_file(path := root / one))  # noqa: PTH207


def regular_below(root: Path, pattern: str) -> list[Path]:
    """The regular files of a folder that fit a pattern, by their paths: a link may lead to anything.

    Before the last name it may have `**`, for all folders.
    """
    home = real(root)
    # Before it is listed: a link may lead to a whole file system.
    start = pattern.partition("*")[0].rpartition("/")[0]
    if real(root / start) != home / start:
        return []
    _, deep, name = pattern.partition("**/")
    found = _files_within(root / start, name) if deep else files_below(root, pattern)
    return [path for path in found if is_file(path) and real(path) == home / path.relative_to(root)]


def _files_within(folder: Path, name: str) -> list[Path]:
    """All that has a name of this pattern in a folder and the folders in it, however deep they lie."""
    found, waiting = [], [folder]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                elif fnmatchcase(entry.name, name):
                    found.append(Path(entry.path))
    return sorted(found)


def hash_files(root: Path, files: Iterable[Path], *more: object) -> str:
    """A SHA-256 of the files' contents, in the order of their paths, of these paths from `root`, and of `more`."""
    digest = hashlib.sha256(repr(more).encode() if more else b"")
    for path in sorted(files):
        digest.update(os.fsencode(os.path.relpath(path, root)))
        with path.open("rb") as file:
            while part := file.read(_PART):
                digest.update(part)
    return digest.hexdigest()


def write_json(path: Path, value: object) -> None:
    """Write a record, or a list of records, as JSON.

    Raises:
        UsageError: If a record would not be read again, as with a number that is larger than records have.
        StoreError: If it cannot be written.
    """
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError as error:
        raise UsageError(f"this cannot be recorded: {one_line(error)}", "it is no UTF-8") from None
    if isinstance(value, msgspec.Struct):
        try:
            msgspec.json.decode(data, type=type(value))
        except UNREADABLE as error:
            raise UsageError(f"this cannot be recorded: {one_line(error)}", "give another value") from None
    try:
        with atomic(path) as draft:
            draft.write_bytes(msgspec.json.format(data, indent=1))
    except OSError as error:
        raise cannot_write(error, path) from None


def check_together(paths: Iterable[Path]) -> None:
    """Refuse records that take more memory together than a machine has, before one is read.

    Raises:
        UsageError: If they do.
    """
    sizes: dict[Path, int] = {}
    for path in paths:
        with suppress(OSError):
            size = path.stat().st_size
            sizes[path] = size if size <= MOST_RECORD else 0  # a larger one is not read
    try:
        limit(sum(sizes.values()), _MOST_TOGETHER, "bytes of records")
    except TooMuchError as error:
        where = os.path.commonpath(sizes)
        largest = ", ".join(os.path.relpath(path, where) for path in nlargest(_SHOWN, sizes, key=sizes.__getitem__))
        raise UsageError(
            f"the results in {where} are too many to be read: {error}",
            f"move older ones elsewhere, and what is not yours; the largest are {largest}",
        ) from None


def read_json(paths: Sequence[Path], kind: type[_Record], place: Callable[[_Record], Path]) -> list[_Record]:
    """The record of each file; skips a file that cannot be read, holds something else, or is not at the record's place.

    Args:
        paths: The files.
        kind: What they hold.
        place: The folder that a record has by its name: what is shown or removed by that name is this one and no other.

    Raises:
        UsageError: If they take too much memory together.
    """
    check_together(paths)
    found = []
    for path in paths:
        with suppress(OSError, StoreError, *UNREADABLE):
            record = msgspec.json.decode(read_bytes(path, MOST_RECORD), type=kind)
            if place(record) == path.parent:
                found.append(record)
    return found


def read_json_lines(path: Path, kind: type[_Record]) -> list[_Record]:
    """The record of each line; none without the file. Skips a line that was cut short, or holds something else.

    Raises:
        UsageError: If there is something that cannot be read.
    """
    try:
        text = read_bytes(path)
        limit(text.count(b"\n"), _MOST_LINES, f"lines of {path.name}")
        lines = text.split(b"\n")
    except FileNotFoundError:
        return []
    except (OSError, TooMuchError) as error:
        raise UsageError(f"cannot read {path}: {error}") from None
    return _of_lines(lines, kind)


def newest_json_lines(path: Path, kind: type[_Record]) -> list[_Record]:
    """As `read_json_lines`, of a file that only grows: of too much, what comes last; none if it cannot be read."""
    try:
        with open_regular(path) as file:
            file.seek(max(os.fstat(file.fileno()).st_size - _MOST_BYTES, 0))
            lines = file.read(_MOST_BYTES).rsplit(b"\n", _MOST_NEWEST)
    except OSError:
        return []
    return _of_lines(lines[-_MOST_NEWEST:], kind)


def _of_lines(lines: Iterable[bytes], kind: type[_Record]) -> list[_Record]:
    found = []
    for line in lines:
        with suppress(*UNREADABLE):
            limit(len(line), MOST_RECORD, "bytes of a line")
            found.append(msgspec.json.decode(line, type=kind))
    return found


def append_json_lines(path: Path, records: Iterable[object]) -> None:
    """Append a line for each record, all by one write.

    Raises:
        StoreError: If it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Not through a link, nor into a pipe, which would wait for a reader, nor into a file that has another name.
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
        try:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
                raise OSError(errno.EINVAL, "no file of its own")
            # A line that a crash cut short is ended first, or it would swallow the next one.
            torn = found.st_size > 0 and os.pread(file, 1, found.st_size - 1) != b"\n"
            append(file, b"\n" * torn + b"".join(msgspec.json.encode(record) + b"\n" for record in records), path)
        finally:
            os.close(file)
    except OSError as error:
        raise cannot_write(error, path) from None


def append(file: int, data: bytes, path: Path) -> None:
    """Append to a file by one write, all of the data or none: half a line would hide all that come after it.

    Raises:
        StoreError: If it cannot be written.
    """
    try:
        written = os.write(file, data)
    except OSError as error:
        raise cannot_write(error, path) from None
    if written != len(data):
        os.ftruncate(file, os.fstat(file).st_size - written)
        raise cannot_write(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), path)


def cannot_write(error: OSError, path: Path) -> StoreError:
    """What to say of a result that could not be written."""
    if error.errno == errno.ENOSPC:
        return StoreError(f"the disk is full: {path}", "what was measured until now is kept; free some space")
    return StoreError(
        f"cannot write results: {error.strerror}: {path}", "point PERFLAB_RESULTS to a folder that can be written"
    )
