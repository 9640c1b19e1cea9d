"""The tables of a run, `samples` and `forks`: lines of JSON while it is measured, then sealed as NumPy's `.npz`.

A sealed table may come from another machine: nothing in it is unpickled, and no array is larger than what is read.
"""

from __future__ import annotations

import contextlib
import io
import zipfile
import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import msgspec

from perflab.model.errors import one_line
from perflab.model.files import UNREADABLE, atomic
from perflab.model.names import is_label
from perflab.stats.arrays import np
from perflab.stats.columns import Columns
from perflab.store.records import FORKS, SAMPLES

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

PERCENTILES = "p:"
"""Prefix of the percentiles' columns."""

_NEEDED: dict[str, dict[str, type]] = {
    SAMPLES: {"round": int, "variant": str, "i": int, "ops": float, "ns": float},
    FORKS: {"round": int, "position": int, "variant": str},
}
"""The columns that each row has; a line without one of them is none."""
_MOST_INDEX = 2**31
_NUMBERS = {"ops", "ns", "wall_s"}
_SUFFIX = ".npy"
_LAST_CHARACTER, _SURROGATES = 0x10FFFF, 0xD800 >> 11


def seal(folder: Path) -> None:
    """Write `samples.npz` and `forks.npz` beside the raw lines, each whole or not at all."""
    for name in (SAMPLES, FORKS):
        rows = read_lines(folder / f"{name}.jsonl", name).rows
        with atomic(folder / f"{name}.npz") as draft:
            write_table(draft, rows)


@dataclass(frozen=True)
class Lines:
    """The raw lines of a table: its rows, the number of invalid lines, and whether the last one was truncated."""

    rows: Columns
    others: int
    cut_short: bool


def read_lines(path: Path, name: str) -> Lines:
    """Read the raw lines of `samples` or `forks`, without invalid ones."""
    *lines, last = path.read_bytes().split(b"\n")
    rows = [row for line in lines if (row := _row(line, name))]
    others, cut_short = len(lines) - len(rows), False
    if last:
        row = _row(last, name)
        cut_short = row is None
        rows += [row] if row else []
    more = sorted({column for row in rows for column in row if is_label(column)} - _NEEDED[name].keys())
    columns = [*_NEEDED[name], *more]
    cells = Columns((column, _column([row.get(column) for row in rows], _kind(name, column))) for column in columns)
    return Lines(cells, others, cut_short)


def _row(line: bytes, name: str) -> dict[str, Any] | None:
    """Decode a line; `None` if it is invalid, such as the one being written when the process died."""
    try:
        row: dict[str, Any] = msgspec.json.decode(line, type=dict[str, Any])
    except UNREADABLE:
        return None
    for column, kind in _NEEDED[name].items():
        value = row.get(column)
        if not isinstance(value, (int, float) if kind is float else kind) or isinstance(value, bool):
            return None
        if isinstance(value, int) and kind is int and not 0 <= value < _MOST_INDEX:
            return None
    return row


def _kind(name: str, column: str) -> np.dtype[Any]:
    """Return a column's type; a text's has no length."""
    if _NEEDED[name].get(column) is int:
        return np.dtype(np.int32)
    return np.dtype(np.float64 if ":" in column or column in _NUMBERS else np.str_)


def _column(values: Sequence[Any], kind: np.dtype[Any]) -> NDArray[Any]:
    if kind.kind == "U":
        values = [value if isinstance(value, str) else "" for value in values]
    elif kind.kind == "f":
        values = [_number(value) for value in values]
    return np.array(values, kind)


def _number(value: object) -> float:
    if isinstance(value, int | float):
        with contextlib.suppress(OverflowError):
            return float(value)
    return np.nan


def write_table(target: Path | IO[bytes], rows: Columns) -> None:
    """Write a table as `numpy.savez_compressed` does, but with columns of any name; the output is deterministic."""
    with zipfile.ZipFile(target, "w") as archive:
        for name, column in rows.items():
            entry = zipfile.ZipInfo(name + _SUFFIX)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w") as file:
                np.lib.format.write_array(file, column, allow_pickle=False)


def read_table(path: Path, name: str, columns: Collection[str] | None = None) -> Columns:
    """Read a sealed table, `samples` or `forks`; of its columns, those wanted."""
    try:
        with zipfile.ZipFile(path) as archive:
            known = {entry.filename.removesuffix(_SUFFIX): entry for entry in archive.infolist()}
            if lacking := _NEEDED[name].keys() - known:
                raise ValueError(f"no column {', '.join(sorted(lacking))}")
            wanted = [column for column in known if columns is None or is_in(column, columns)]
            found = Columns((one, _decoded(content(archive, known[one]), _kind(name, one))) for one in wanted)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, TypeError) as error:
        raise ValueError(one_line(error)) from None
    if len({len(column) for column in found.values()}) > 1:
        raise ValueError("columns of different lengths")
    return found


def is_in(column: str, columns: Collection[str]) -> bool:
    """Say whether a column is among these, where `PERCENTILES` stands for all percentiles."""
    return column in columns or (PERCENTILES in columns and column.startswith(PERCENTILES))


def content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """Return an entry's data; refuse more than its declared size."""
    if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise ValueError(f"{entry.filename!r} is compressed in another way than ours")
    with archive.open(entry) as file:
        return file.read(entry.file_size)


def _decoded(data: bytes, kind: np.dtype[Any]) -> NDArray[Any]:
    """Return the array of a `.npy` file, which is a column of this type and no larger than the file."""
    file = io.BytesIO(data)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("not the first version of .npy")
    shape, _, own = np.lib.format.read_array_header_1_0(file)
    if len(shape) != 1 or (own != kind and not (own.kind == kind.kind == "U" and own.isnative)):
        raise ValueError(f"a column of {own} with {len(shape)} dimensions, not of {kind}")
    column: NDArray[Any] = np.ndarray(shape, own, data, file.tell())
    if own.kind == "U":
        points = column.view(np.uint32)
        if ((points > _LAST_CHARACTER) | (points >> 11 == _SURROGATES)).any():
            raise ValueError("a text of what are no characters")
    return column
