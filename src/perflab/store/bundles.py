"""Evidence bundles: the runs, profiles and tests behind verdicts, in one portable file.

Bundles are not trusted: their size is limited, files that do not match the index are refused, and nothing in them runs.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from perflab import __version__
from perflab.host.machine import Machine
from perflab.model.errors import UsageError, one_line
from perflab.model.files import UNREADABLE, atomic, cannot_write
from perflab.model.names import Id, is_id
from perflab.model.protocol import Whole
from perflab.stats.arrays import np
from perflab.stats.columns import Columns
from perflab.store.records import ENDING_FILE, FORKS, HEADER_FILE, PROFILE_FILE, SAMPLES, TESTS_FILE
from perflab.store.tables import content

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from perflab.model.redact import Redactor

BUNDLE_VERSION = 2
"""A reader refuses another one: tables of the first were Parquet."""

_TABLES = (f"{SAMPLES}.npz", f"{FORKS}.npz")
_RUN_FILES = (HEADER_FILE, ENDING_FILE, *_TABLES)

_INDEX = "bundle.json"
_LARGEST = 256 << 20
"""Bytes of a bundle, packed or unpacked, or of its unpacked tables: a million samples are some hundred million."""
_FILES = {"runs": _RUN_FILES, "profiles": (PROFILE_FILE,)}


class Bundle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bundle's index.

    Attributes:
        version: Version of the layout.
        perflab: Version of perflab that made it.
        machine: The machine that all of it was measured on.
        reports: The reports whose verdicts use it.
        files: SHA-256 in hexadecimal by path in a results folder.
    """

    version: Whole
    perflab: str
    machine: Machine
    reports: list[Id]
    files: dict[str, str]


def write_bundle(target: Path, machine: Machine, reports: list[str], files: Mapping[str, bytes]) -> Bundle:
    """Write a bundle; the output is deterministic.

    Args:
        target: The file.
        machine: The machine that everything was measured on.
        reports: The reports whose verdicts use it.
        files: Redacted contents by path in a results folder.
    """
    sums = {path: hashlib.sha256(files[path]).hexdigest() for path in sorted(files)}
    bundle = Bundle(BUNDLE_VERSION, __version__, machine, reports, sums)
    if not target.name:
        raise UsageError(f"{target} is a folder", "name a file with --out")
    try:
        with atomic(target) as draft, zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, data in [*((path, files[path]) for path in sums), (_INDEX, msgspec.json.encode(bundle))]:
                archive.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
    except OSError as error:
        raise cannot_write(error, target) from None
    return bundle


@contextmanager
def open_bundle(path: Path) -> Iterator[tuple[Bundle, Path]]:
    """Unpack a bundle into a results folder, which is removed when the block ends."""
    with tempfile.TemporaryDirectory(prefix="perflab-bundle-") as folder:
        try:
            bundle = _unpack(path, Path(folder))
        # Raised for files that are not archives, and for truncated, encrypted or unsupported ones.
        except (OSError, zipfile.BadZipFile, RuntimeError, EOFError, ValueError, zlib.error, *UNREADABLE) as error:
            raise UsageError(
                f"{path} is no evidence bundle: {one_line(error)}", "make one: ./lab export REPORT -o FILE"
            ) from None
        yield bundle, Path(folder)


def _unpack(path: Path, folder: Path) -> Bundle:
    _check_size(path.stat().st_size)
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        _check_size(sum(entry.file_size for entry in entries))
        contents = {entry.filename: content(archive, entry) for entry in entries}
    if len(contents) != len(entries):
        raise ValueError("an entry is there twice")
    if _INDEX not in contents:
        raise ValueError(f"it has no {_INDEX}")
    bundle = msgspec.json.decode(contents.pop(_INDEX), type=Bundle)
    if bundle.version != BUNDLE_VERSION:
        todo = "update it" if bundle.version > BUNDLE_VERSION else "export it anew where it was measured"
        raise ValueError(f"it is of version {bundle.version}, this lab reads {BUNDLE_VERSION}: {todo}")
    if differs := set(contents) ^ set(bundle.files):
        raise ValueError(f"{min(differs)!r} is in the index or in the file, not in both")
    unpacked = 0
    for name, data in contents.items():
        if not _is_ours(name):
            raise ValueError(f"{name!r} is no file of a run, a profile or a test")
        if hashlib.sha256(data).hexdigest() != bundle.files[name]:
            raise ValueError(f"{name!r} is not what the index says: it was changed, or damaged on the way")
        if name.endswith(_TABLES):
            with zipfile.ZipFile(io.BytesIO(data)) as table:
                unpacked += sum(entry.file_size for entry in table.infolist())
            _check_size(unpacked)
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return bundle


def _check_size(size: int) -> None:
    if size > _LARGEST:
        raise ValueError(f"larger than {_LARGEST >> 20} MiB")


def _is_ours(name: str) -> bool:
    """Check that a path is one of evidence in a results folder, and cannot lead outside it."""
    if name == TESTS_FILE:
        return True
    room, _, rest = name.partition("/")
    own, _, file = rest.partition("/")
    return is_id(own) and file in _FILES.get(room, ())


def redacted(rows: Columns, redact: Redactor) -> Columns:
    """Return a table with its texts and the names of its columns redacted."""
    found = Columns()
    for name, column in rows.items():
        if column.dtype.kind == "U":
            texts, at = np.unique(column, return_inverse=True)
            found[redact(name)] = np.array([redact(text) for text in texts.tolist()], np.str_)[at]
        else:
            found[redact(name)] = column
    return found
