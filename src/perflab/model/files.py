"""Write files and folders whole or not at all, and read records that may have been cut short."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

import msgspec

from perflab.model.errors import StoreError, UsageError, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


_Record = TypeVar("_Record")

UNREADABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)
"""Errors raised for damaged documents and those of another type."""

_MOST_FOREIGN = 1 << 25


@contextmanager
def atomic(path: Path) -> Iterator[Path]:
    """Yield a draft path beside `path` for a file or folder that replaces `path` when the block ends.

    The parent folder is created. If the block raises, `path` stays unchanged and the draft is removed.
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
    """Remove a file or a folder if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def copy_of(source: Path, target: Path) -> None:
    """Copy a file or a folder; create the target's parent."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy2(source, target)


def read_foreign(path: Path) -> bytes:
    """Read a foreign document, such as a report."""
    if path.stat().st_size > _MOST_FOREIGN:
        raise ValueError(f"{path.name} is larger than {_MOST_FOREIGN >> 20} MiB")
    return path.read_bytes()


def hash_files(root: Path, files: Iterable[Path], *more: object) -> str:
    """Return a SHA-256 of the files' contents in the order of their paths, of the paths from `root`, and of `more`."""
    digest = hashlib.sha256(repr(more).encode() if more else b"")
    for path in sorted(files):
        digest.update(os.fsencode(os.path.relpath(path, root)))
        with path.open("rb") as file:
            hashlib.file_digest(file, lambda: digest)
    return digest.hexdigest()


def write_json(path: Path, value: object) -> None:
    """Write a record, or a list of records, as JSON."""
    try:
        data = msgspec.json.encode(value)
        if isinstance(value, msgspec.Struct):
            msgspec.json.decode(data, type=type(value))
    except (UnicodeEncodeError, *UNREADABLE) as error:
        raise UsageError(f"this cannot be recorded: {one_line(error)}", "give another value") from None
    try:
        with atomic(path) as draft:
            draft.write_bytes(msgspec.json.format(data, indent=1))
    except OSError as error:
        raise cannot_write(error, path) from None


def read_json(paths: Iterable[Path], kind: type[_Record]) -> list[_Record]:
    """Read the record of each file; skip unreadable and other files."""
    found = []
    for path in paths:
        with suppress(OSError, *UNREADABLE):
            found.append(msgspec.json.decode(path.read_bytes(), type=kind))
    return found


def read_json_lines(path: Path, kind: type[_Record]) -> list[_Record]:
    """Read the record of each line, none without the file; skip truncated and other lines."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error}") from None
    found = []
    for line in lines:
        with suppress(*UNREADABLE):
            found.append(msgspec.json.decode(line, type=kind))
    return found


def append_json_lines(path: Path, records: Iterable[object]) -> None:
    """Append a line for each record with a single write."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            # First end a truncated line, which would otherwise swallow the next one.
            size = os.fstat(file).st_size
            torn = size > 0 and os.pread(file, 1, size - 1) != b"\n"
            append(file, b"\n" * torn + b"".join(msgspec.json.encode(record) + b"\n" for record in records), path)
        finally:
            os.close(file)
    except OSError as error:
        raise cannot_write(error, path) from None


def append(file: int, data: bytes, path: Path) -> None:
    """Append all of the data or nothing with a single write: half a line would hide all later ones."""
    try:
        written = os.write(file, data)
    except OSError as error:
        raise cannot_write(error, path) from None
    if written != len(data):
        os.ftruncate(file, os.fstat(file).st_size - written)
        raise cannot_write(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), path)


def cannot_write(error: OSError, path: Path) -> StoreError:
    """Return the error for a result that could not be written."""
    if error.errno == errno.ENOSPC:
        return StoreError(f"the disk is full: {path}", "what was measured until now is kept; free some space")
    return StoreError(
        f"cannot write results: {error.strerror}: {path}", "point PERFLAB_RESULTS to a folder that can be written"
    )
