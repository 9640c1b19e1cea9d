"""Evidence bundles: the runs, profiles and tests that verdicts rest on, in one file that travels.

A bundle comes from anybody: it is read with limits, what its index does not vouch for is refused, and nothing in it is
run.
"""

from __future__ import annotations

import hashlib
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
from perflab.model.portable import portable, portable_name
from perflab.model.protocol import Whole
from perflab.store.records import ENDING_FILE, FORKS, HEADER_FILE, PROFILE_FILE, SAMPLES, TESTS_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

BUNDLE_VERSION = 1
"""A reader refuses a newer one."""

_RUN_FILES = (HEADER_FILE, ENDING_FILE, f"{SAMPLES}.parquet", f"{FORKS}.parquet")

_INDEX = "bundle.json"
_MIB = 2**20
_LARGEST = 64 * _MIB
"""Of an entry, in bytes: a run of a million samples has a tenth."""
_ALL = 512 * _MIB
"""Of all entries together."""
_TEXTS = 32 * _MIB
"""Of all documents together: decoded, one takes twenty times as much. A run's has some kilobytes."""
_MOST_ENTRIES = 5_000
_DIRECTORY = 2 * _MIB
"""Of the list of entries, which is read before any of them is looked at."""
_FILES = {"runs": _RUN_FILES, "profiles": (PROFILE_FILE,)}


class Bundle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bundle's index.

    Attributes:
        version: Of the layout.
        perflab: The version that made it.
        machine: On which all of it was measured.
        reports: The reports whose verdicts rest on it.
        files: Each file's SHA-256, in hexadecimal, by its path in a results folder.
    """

    version: Whole
    perflab: str
    machine: Machine
    reports: list[Id]
    files: dict[str, str]


def write_bundle(target: Path, machine: Machine, reports: list[str], files: Mapping[str, bytes]) -> Bundle:
    """Write a bundle; the same evidence always makes the same file.

    Args:
        target: The file.
        machine: On which everything was measured.
        reports: Whose verdicts rest on it.
        files: The contents by path in a results folder, without what is private.

    Raises:
        StoreError: If it cannot be written.
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
    """A bundle's index, and a results folder with what is in it, which is there as long as the block runs.

    Raises:
        UsageError: If it is no bundle, is larger than one can be, or is not what its index says.
    """
    with tempfile.TemporaryDirectory(prefix="perflab-bundle-") as folder:
        try:
            bundle = _unpack(path, Path(folder))
        # Of an archive that is none, cut short, encrypted, or compressed in another way.
        except (OSError, zipfile.BadZipFile, RuntimeError, EOFError, ValueError, zlib.error, *UNREADABLE) as error:
            raise UsageError(
                f"{path} is no evidence bundle: {one_line(error)}", "make one: ./lab export REPORT -o FILE"
            ) from None
        yield bundle, Path(folder)


def _unpack(path: Path, folder: Path) -> Bundle:
    _check_directory(path)
    with zipfile.ZipFile(path) as archive:
        entries = {entry.filename: entry for entry in archive.infolist()}
        _check_sizes(archive)
        if _INDEX not in entries:
            raise ValueError(f"it has no {_INDEX}")
        bundle = msgspec.json.decode(_content(archive, entries.pop(_INDEX)), type=Bundle)
        if bundle.version > BUNDLE_VERSION:
            raise ValueError(f"it is of version {bundle.version}, this lab reads up to {BUNDLE_VERSION}: update it")
        if set(entries) != set(bundle.files):
            raise ValueError(f"{min(set(entries) ^ set(bundle.files))!r} is in the index or in the file, not in both")
        for name, entry in entries.items():
            if not _is_ours(name):
                raise ValueError(f"{name!r} is no file of a run, a profile or a test")
            data = _content(archive, entry)
            if hashlib.sha256(data).hexdigest() != bundle.files[name]:
                raise ValueError(f"{name!r} is not what the index says: it was changed, or damaged on the way")
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    return bundle


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """An entry's data, of the length that the list of entries says: only of these two methods is no more unfolded."""
    if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise ValueError(f"{entry.filename!r} is compressed in another way than ours")
    with archive.open(entry) as file:
        return file.read(entry.file_size)


def _check_sizes(archive: zipfile.ZipFile) -> None:
    """Refuse what the list of entries says is too much, before any of them is read."""
    entries = archive.infolist()
    if len({entry.filename for entry in entries}) != len(entries):
        raise ValueError("an entry is there twice")
    if large := next((entry.filename for entry in entries if entry.file_size > _LARGEST), ""):
        raise ValueError(f"{large!r} is larger than {_LARGEST // _MIB} MiB")
    documents = [entry.file_size for entry in entries if not entry.filename.endswith(".parquet")]
    for sizes, most, what in (
        ((entry.file_size for entry in entries), _ALL, "it"),
        (documents, _TEXTS, "its documents"),
    ):
        if sum(sizes) > most:
            raise ValueError(f"{what}: larger than {most // _MIB} MiB")


_END = 22
_LOCATOR = 20


def _check_directory(path: Path) -> None:
    """Refuse an archive whose list of entries is too long, before the library makes an object of each.

    The end record of an archive without a comment, as ours are, is its last 22 bytes (APPNOTE.TXT 4.3.16). A locator in
    front of it would replace its figures by larger ones.
    """
    if path.stat().st_size > _ALL:
        raise ValueError(f"it is larger than {_ALL // _MIB} MiB")
    with path.open("rb") as file:
        file.seek(-min(path.stat().st_size, _LOCATOR + _END), 2)
        locator, end = (tail := file.read())[:-_END], tail[-_END:]
    if not end.startswith(b"PK\x05\x06") or end[-2:] != b"\0\0" or locator.startswith(b"PK\x06\x07"):
        raise ValueError("it is no ZIP file, or not one of ours")
    entries, size = int.from_bytes(end[10:12], "little"), int.from_bytes(end[12:16], "little")
    if entries > _MOST_ENTRIES or size > _DIRECTORY:
        raise ValueError(f"it has {entries} entries, and a list of {size} bytes")


def _is_ours(name: str) -> bool:
    """Whether a path is one at which a results folder has evidence: so it leads nowhere else."""
    if name == TESTS_FILE:
        return True
    room, _, rest = name.partition("/")
    own, _, file = rest.partition("/")
    return is_id(own) and file in _FILES.get(room, ())


def portable_table(rows: pa.Table, *private: Path, as_csv: bool = False) -> bytes:
    """A table of numbers, times and texts as Parquet, or as CSV, without what is private.

    `portable` explains the folders.
    """
    import pyarrow as pa  # noqa: PLC0415 - a quarter of a second
    from pyarrow import csv, parquet  # noqa: PLC0415

    for number, field in enumerate(rows.schema):
        name = portable(field.name, *private)
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            coded = rows.column(number).combine_chunks().dictionary_encode()
            # Labels are what results are compared by.
            told = portable_name if field.name == "variant" else portable
            texts = pa.array([text and told(text, *private) for text in coded.dictionary.to_pylist()], field.type)
            rows = rows.set_column(number, name, texts.take(coded.indices))
        elif name != field.name:
            rows = rows.set_column(number, name, rows.column(number))
    sink = pa.BufferOutputStream()
    if as_csv:
        csv.write_csv(rows, sink)
    else:
        # Without Arrow's own schema, which names this machine's time zone.
        parquet.write_table(rows, sink, compression="zstd", store_schema=False)
    return bytes(sink.getvalue())
