"""A run's folder: written one line at a time, sealed, and read back whole, cut short, or still under way."""

from __future__ import annotations

import contextlib
import errno
import os
import re
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, TypeVar

import duckdb
import msgspec

from perflab.model.errors import BenchError, UsageError, one_line
from perflab.model.files import (
    UNREADABLE,
    append,
    atomic,
    cannot_write,
    check_regular,
    check_together,
    is_file,
    own_files,
    place_in,
    read_bytes,
    regular_below,
    write_json,
)
from perflab.model.limits import (
    LARGEST_FIGURE,
    LONGEST_TEXT,
    MOST_CELLS,
    MOST_COLUMNS,
    MOST_RECORD,
    MOST_TEXT,
    TooMuchError,
    limit,
)
from perflab.model.names import is_label
from perflab.model.portable import portable
from perflab.model.project import PRIVATE_FOLDER
from perflab.store.records import (
    ENDING_FILE,
    FORKS,
    HEADER_FILE,
    LONGEST_WARNING,
    RESULT_VERSION,
    SAMPLES,
    Ending,
    RunHeader,
    meant_by,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    import pandas as pd

    from perflab.model.protocol import ParameterValue, Sample


PERCENTILES = "p:"
"""What the columns of percentiles begin with."""
_MOST_PERCENTILES = 100

_MOST_NAMES = MOST_COLUMNS - 20
"""The others are those of each sample."""


class RunWriter:
    """Appends a run's samples and forks to its folder.

    Each line is one `write` on a file opened for appending: a crash, a kill or a full disk loses the line in flight and
    nothing else.

    Args:
        header: What is known when the run starts.
        results: The results folder.
        places: More folders that messages may name, and that nobody else should read.

    Raises:
        StoreError: If the folder cannot be written.
    """

    def __init__(self, header: RunHeader, results: Path, *places: Path) -> None:
        self.header = header
        self._places = results, *places
        self.folder = place_in(results, "runs", header.id)
        self._names: dict[str, str] = {}
        """Of percentiles and counters, by what a table's columns are told apart by."""
        try:
            self.folder.mkdir(parents=True)
            if results.parent.name == PRIVATE_FOLDER:
                # Else a project that was measured has changes that are not committed. Not through a link.
                with contextlib.suppress(FileExistsError), (results.parent / ".gitignore").open("x") as ignored:
                    ignored.write("*\n")
            write_json(self.folder / HEADER_FILE, header)
            self._samples = _Lines(self.folder / f"{SAMPLES}.jsonl")
            self._forks = _Lines(self.folder / f"{FORKS}.jsonl")
        except OSError as error:
            raise cannot_write(error, self.folder) from None

    def replace_header(self, header: RunHeader) -> None:
        """Write the header again, before the first sample.

        Raises:
            StoreError: If the folder cannot be written.
        """
        write_json(self.folder / HEADER_FILE, header)
        self.header = header

    def sample(self, round_: int, label: str, sample: Sample) -> None:
        """Append a sample of the label's fork in this round.

        Raises:
            BenchError: If a percentile or counter is called as another one but for case: they would be one column.
            StoreError: If it cannot be written.
        """
        row: dict[str, Any] = {"round": round_, "variant": label, "i": sample.i, "ops": sample.ops, "ns": sample.ns}
        for name in (*sample.percentiles, *sample.counters):
            if (known := self._names.setdefault(name.casefold(), name)) != name:
                raise BenchError(f"samples have both {known!r} and {name!r}", "names must differ in more than case")
        if len(self._names) > _MOST_NAMES:
            raise BenchError(f"samples have more than {_MOST_NAMES} percentiles and counters", "count less")
        row |= {f"{PERCENTILES}{name}": value for name, value in sample.percentiles.items()}
        row |= {f"c:{name}": value for name, value in sample.counters.items()}
        self._samples.append(row)

    def fork(self, round_: int, position: int, label: str, facts: Mapping[str, Any]) -> None:
        """Append a finished fork: its round, its position in the round's random order, and what is known of it."""
        told = {name: self._told(value) if isinstance(value, str) else value for name, value in facts.items()}
        self._forks.append({"round": round_, "position": position, "variant": label, **told})

    def end(self, ending: Ending) -> Ending:
        """Write how the run ended, and seal it; returns what was written."""
        self._samples.close()
        self._forks.close()
        ending = msgspec.structs.replace(
            ending,
            failures={label: self._told(why) for label, why in ending.failures.items()},
            warnings=[self._told(warning)[:LONGEST_WARNING] for warning in ending.warnings],
        )
        try:
            write_json(self.folder / ENDING_FILE, ending)
            seal(self.folder)
        except (OSError, duckdb.Error, TooMuchError) as error:
            cause = error if isinstance(error, OSError) else OSError(errno.EIO, str(error))
            raise cannot_write(cause, self.folder) from None
        return ending

    def _told(self, text: str) -> str:
        """What a program said, without the folders, names and passwords that it may have said with it."""
        # A cut part of what is private would not be found. Most processes say nothing.
        return text and portable(text[: 2 * LONGEST_TEXT], *self._places)[:LONGEST_TEXT]


class _Lines:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_EXCL, 0o644)

    def append(self, row: Mapping[str, Any]) -> None:
        append(self._file, msgspec.json.encode(row) + b"\n", self._path)

    def close(self) -> None:
        os.close(self._file)


@contextlib.contextmanager
def ctrl_c_is_kept() -> Iterator[None]:
    """Raise Ctrl-C that has ended a query as KeyboardInterrupt; DuckDB makes a RuntimeError of it."""
    try:
        yield
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise


@ctrl_c_is_kept()
def seal(folder: Path) -> None:
    """Write `samples.parquet` and `forks.parquet` beside the raw lines, each whole or not at all.

    Raises:
        OSError: If it cannot be read or written.
        duckdb.Error: The same.
        TooMuchError: If the table is larger than any run's.
    """
    for name in (SAMPLES, FORKS):
        rows = read_lines(folder / f"{name}.jsonl", name).rows
        with atomic(folder / f"{name}.parquet") as draft:
            rows.write_parquet(str(draft), compression="zstd")


_NEEDED = {
    SAMPLES: {"round": "INTEGER", "variant": "VARCHAR", "i": "INTEGER", "ops": "DOUBLE", "ns": "DOUBLE"},
    FORKS: {"round": "INTEGER", "position": "INTEGER", "variant": "VARCHAR"},
}
"""The columns that each row has; a line without one of them is none."""
_OTHERS = {"status": "VARCHAR", "started": "TIMESTAMP WITH TIME ZONE", "wall_s": "DOUBLE", "runtime": "VARCHAR"}


_MOST_ROUNDS = 1_000_000
"""Tables have a row for each round up to the last one, so a number beyond any run's would take all memory."""

_WHOLE = {
    SAMPLES: f"round BETWEEN 0 AND {_MOST_ROUNDS} AND variant IS NOT NULL AND i >= 0"
    f" AND ops >= {1 / LARGEST_FIGURE} AND ns >= {1 / LARGEST_FIGURE}",
    FORKS: f"round BETWEEN 0 AND {_MOST_ROUNDS} AND variant IS NOT NULL AND position >= 0",
}


@dataclass(frozen=True)
class Lines:
    """The raw lines of a table: its rows, how many lines there are, and whether the last one has no end.

    A line that is no row is left out. So is the one that was in flight when its writer died.
    """

    rows: duckdb.DuckDBPyRelation
    total: int
    cut_short: bool


@ctrl_c_is_kept()
def read_lines(path: Path, name: str) -> Lines:
    """Read the raw lines of `samples` or `forks`.

    Raises:
        OSError: If they cannot be read.
        duckdb.Error: The same.
        TooMuchError: If they have too many columns, as if each had its own: a table has all of them in each row; or too
            many bytes.
    """
    check_regular(path)
    limit(path.stat().st_size, _MOST_RAW, f"bytes of {path.name}")
    with path.open("rb") as file:
        cut_short = file.seek(0, os.SEEK_END) > 0 and file.seek(-1, os.SEEK_END) >= 0 and file.read() != b"\n"
    lines = "read_ndjson_objects(?, ignore_errors = true, hive_partitioning = false)"
    # Of lines that each have keys of their own, DuckDB hands over no more than is needed to refuse them.
    keys = database().sql(
        f"SELECT DISTINCT unnest(json_keys(json)) FROM {lines} LIMIT {MOST_COLUMNS + 1}",  # noqa: S608 - ours
        params=[_one_file(path)],
    )
    columns = _columns([*_NEEDED[name], *sorted(key for (key,) in keys.fetchall())])
    limit(len(columns), MOST_COLUMNS, "columns")
    kinds = ", ".join(f"{_literal(one)}: '{_kind(name, one)}'" for one in columns)
    rows = database().sql(
        "SELECT * FROM read_json(?, format = 'newline_delimited', ignore_errors = true, hive_partitioning = false,"  # noqa: S608 - quoted
        f" columns = {{{kinds}}})",
        params=[_one_file(path)],
    )
    ((total,),) = database().sql(f"SELECT count(*) FROM {lines}", params=[_one_file(path)]).fetchall()  # noqa: S608 - ours
    limit(total * len(rows.columns), MOST_CELLS, "cells")
    return Lines(_typed(rows, name), total, cut_short)


@ctrl_c_is_kept()
def read_parquet(path: Path, name: str, columns: Collection[str] | None = None) -> duckdb.DuckDBPyRelation:
    """Read a sealed table, `samples` or `forks`; of its texts, those in `columns` count.

    Raises:
        OSError: If it cannot be read.
        duckdb.Error: If it is cut short, or another table.
        TooMuchError: If it claims more than fits into memory.
    """
    check_regular(path)
    with path.open("rb") as file:
        file.seek(-min(path.stat().st_size, 8), os.SEEK_END)
        limit(int.from_bytes(file.read(4), "little"), _LONGEST_FOOTER, "bytes of a footer")
        _check_lists(file)
    place = _one_file(path)
    # A column's chunk may claim any number of values, and one text that stands in each row is stored once.
    cells, size, of_texts, width = (
        database()
        .sql(
            "SELECT coalesce(sum(greatest(num_values, row_group_num_rows)), 0), coalesce(sum(total_uncompressed_size),"
            " 0), coalesce(sum(total_uncompressed_size) FILTER (type LIKE '%BYTE_ARRAY'), 0),"
            " count(DISTINCT path_in_schema) FROM parquet_metadata(?)",
            params=[place],
        )
        .fetchall()[0]
    )
    limit(width, MOST_COLUMNS, "columns")
    limit(cells, MOST_CELLS, "cells")
    limit(cells // max(width, 1), max(_MOST_UNFOLDED, 4 * path.stat().st_size), "rows of so few bytes")
    limit(cells, max(_MOST_UNFOLDED_CELLS, 40 * path.stat().st_size), "cells of so few bytes")
    limit(size, _MOST_BYTES, "bytes of cells")
    limit(of_texts, MOST_TEXT, "bytes of texts")
    try:
        with ctrl_c_is_kept():
            _check_cells(place)
            found = database().sql("SELECT * FROM read_parquet(?, hive_partitioning = false)", params=[place])
        limit(len(found.columns), MOST_COLUMNS, "columns")
        rows = _typed(found, name)
        _check_texts(rows, name, columns)
    except RuntimeError as error:
        # Of columns whose names are no text the driver says no more.
        raise duckdb.DataError(str(error)) from None
    return rows


@ctrl_c_is_kept()
def _check_texts(rows: duckdb.DuckDBPyRelation, name: str, columns: Collection[str] | None) -> None:
    """Refuse more texts in these columns than fit into memory, before they are fetched.

    Raises:
        TooMuchError: If there are more.
    """
    wanted = [one for one in rows.columns if columns is None or one in columns]
    texts = [f"coalesce(sum(strlen({_quoted(one)})), 0)" for one in wanted if _kind(name, one) == "VARCHAR"]
    ((characters, many),) = rows.aggregate(f"{' + '.join(['0', *texts])}, count(*) * {len(texts)}").fetchall()
    limit(int(many), _MOST_TEXTS, "texts")
    limit(int(characters), MOST_TEXT, "bytes of texts")


def _check_cells(place: str) -> None:
    """Refuse cells that are no single values, and long texts, before any of them is made.

    Raises:
        duckdb.Error: If there are other cells than numbers, times and texts.
        TooMuchError: If a text is too long.
    """
    source = "FROM read_parquet(?, hive_partitioning = false)"
    empty = database().sql(f"SELECT * {source} LIMIT 0", params=[place])
    kinds = dict(zip(empty.columns, (kind.id for kind in empty.types), strict=True))
    if not _UNFIT.isdisjoint(kinds.values()):
        raise duckdb.DataError("a column of it has cells that are neither a number, a time nor a text")
    if texts := [f"max(strlen({_quoted(one)}))" for one, kind in kinds.items() if kind == "varchar"]:
        (longest,) = database().sql(f"SELECT {', '.join(texts)} {source}", params=[place]).fetchall()
        limit(max(one or 0 for one in longest), _LONGEST_CELL, "bytes of a text")


def _check_lists(file: IO[bytes]) -> None:
    """Refuse a footer with a list that says it is long: DuckDB makes room for all of it before it reads the first.

    Raises:
        OSError: If there is one, or it is no footer.
        duckdb.Error: If it is one that Arrow does not know or cannot read.
    """
    import pyarrow as pa  # noqa: PLC0415 - a quarter of a second
    from pyarrow import parquet  # noqa: PLC0415

    try:
        parquet.ParquetFile(file, thrift_container_size_limit=_MOST_LISTED)
    except (pa.ArrowException, UnicodeDecodeError) as error:  # names that are no text, too
        raise duckdb.DataError(str(error)) from None


_UNFIT = {"array", "bit", "blob", "geometry", "list", "map", "struct", "union", "variant"}
"""Types of which a cell is made a whole text before that is cut; a field's name stands in it for each of its values."""
_LONGEST_CELL = 4 * LONGEST_TEXT
"""Bytes, as of our longest: one that is stored once for all rows is looked through again for each two thousand."""
_MOST_LISTED = 10_000
"""Columns, their parts, or what is said of them; each may take a kilobyte."""
_MOST_BYTES = 1 << 29
"""Of a table's cells, unfolded."""
_LONGEST_FOOTER = 4 << 20
"""Bytes; what it says takes a hundred times as much. One of 500 columns and a million rows has half of it."""


_MOST_RAW = 1 << 32
"""Bytes of raw lines, a hundred for each cell of the largest table. With holes they take no room on a disk."""
_MOST_TEXTS = 5_000_000
"""Cells: in memory, each is an object, of 150 bytes with what leads to it."""
_MOST_UNFOLDED = 200_000
"""Rows of a file of any size: each has a time of its own, and one time a million times takes a kilobyte."""
_MOST_UNFOLDED_CELLS = 5_000_000
"""The same of cells. Ours have two bytes each."""


def _one_file(path: Path) -> str:
    """A path that DuckDB does not take for a pattern of several."""
    return re.sub(r"([*?\[])", r"[\1]", str(path))


def database() -> duckdb.DuckDBPyConnection:
    """The process's DuckDB, in memory; its files are the runs'. One that a damaged file has ended is replaced."""
    try:
        _database().cursor().execute("SELECT 1").fetchall()
    except duckdb.Error:
        _database.cache_clear()
    return _database()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    # What a file says of its sizes need not be true; what does not fit is no table, and goes to no file in its stead.
    return duckdb.connect(config={"memory_limit": _MOST_MEMORY, "temp_directory": ""})


_MOST_MEMORY = "2GB"


def _typed(rows: duckdb.DuckDBPyRelation, name: str) -> duckdb.DuckDBPyRelation:
    found = _columns(rows.columns)
    if lacking := _NEEDED[name].keys() - set(found):
        raise duckdb.DataError(f"no column {', '.join(sorted(lacking))}")
    columns = ((_quoted(one), _kind(name, one)) for one in found)
    return rows.project(", ".join(f"{_cell(one, kind)} AS {one}" for one, kind in columns)).filter(_WHOLE[name])


def _cell(column: str, kind: str) -> str:
    """A cell's value, none if it is of another type or no possible figure; a text is cut."""
    value = f"TRY_CAST({column} AS {kind})"
    if kind == "DOUBLE":
        return f"CASE WHEN {value} BETWEEN -{LARGEST_FIGURE} AND {LARGEST_FIGURE} THEN {value} END"
    return f"left({value}, {LONGEST_TEXT})" if kind == "VARCHAR" else value


def _kind(name: str, column: str) -> str:
    """A column's type: given and not guessed, or a variant called `2024-01-01` is read back as a time."""
    return (_NEEDED[name] | _OTHERS).get(column, "DOUBLE" if ":" in column else "VARCHAR")


def _columns(names: Iterable[str]) -> list[str]:
    """Those of these names that one table can have as columns: in SQL, `c:GC` and `c:gc` are the same."""
    first: dict[str, str] = {}
    for name in names:
        if name and is_label(name):
            first.setdefault(name.casefold(), name)
    return list(first.values())


def _quoted(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_Record = TypeVar("_Record", RunHeader, Ending)
_read: dict[tuple[int, int, type], tuple[Path, tuple[int, int], Any]] = {}
"""What was read of each file, by what path, and of which state of it. Not by its path: it may have thousands."""


@dataclass(frozen=True)
class Run:
    """A run on disk. `notes` says what is wrong with it, if anything is."""

    folder: Path
    header: RunHeader
    ending: Ending | None
    notes: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The run's name."""
        return self.header.id

    @property
    def results(self) -> Path:
        """The results folder that it is in."""
        return self.folder.parent.parent

    @property
    def complete(self) -> bool:
        """Whether it was neither interrupted nor failed."""
        return self.ending is not None and self.ending.complete

    @property
    def failures(self) -> dict[str, str]:
        """Why each label that dropped out did so."""
        return self.ending.failures if self.ending else {}

    @property
    def void(self) -> list[str]:
        """The labels that broke a rule of the scenario."""
        return self.ending.void if self.ending else []

    def samples(self, columns: Collection[str] | None = None) -> pd.DataFrame:
        """All samples: columns round, variant, i, ops, ns, `p:NAME` (percentiles, ns), `c:NAME` (counters, totals).

        Args:
            columns: Only those of these that there are; a million samples are read in half the time and memory.
                `PERCENTILES` stands for all percentiles, as far as there are not more than a hundred.
        """
        return self._table(SAMPLES, columns)

    def forks(self, columns: Collection[str] | None = None) -> pd.DataFrame:
        """All forks: round, position, variant, status, wall time, and the operating system's counters.

        Args:
            columns: Only those of these that there are.
        """
        return self._table(FORKS, columns)

    def sealed(self, name: str, columns: Collection[str] | None = None) -> duckdb.DuckDBPyRelation:
        """The sealed table `samples` or `forks`, with the columns that the lab knows how to read; see `read_parquet`.

        Raises:
            OSError: If it cannot be read.
            duckdb.Error: If it is cut short, or another table.
            TooMuchError: If it claims more than fits into memory.
        """
        path = self.folder / f"{name}.parquet"
        if path not in own_files(self.folder):
            raise OSError(errno.ENOENT, "no file of its own", str(path))
        return read_parquet(path, name, columns)

    def _table(self, name: str, columns: Collection[str] | None = None) -> pd.DataFrame:
        sealed = self.folder / f"{name}.parquet"
        if is_file(sealed):
            try:
                return _frame(self.sealed(name, columns), columns)
            except (OSError, duckdb.Error, TooMuchError) as error:
                what = "too large" if isinstance(error, TooMuchError) else "cut short"
                self._note(f"{self.id}: {sealed.name} is {what}; read the raw lines instead")
        raw = self.folder / f"{name}.jsonl"
        if raw not in own_files(self.folder):
            raise UsageError(f"run {self.id} has no {name}", f"{self.folder} is incomplete; measure again")
        try:
            lines = read_lines(raw, name)
            _check_texts(lines.rows, name, columns)
            frame = _frame(lines.rows, columns)
        except (OSError, duckdb.Error, TooMuchError) as error:
            raise UsageError(f"run {self.id}: cannot read {raw.name}: {one_line(error)}", "measure again") from None
        if lines.cut_short:
            self._note(f"{self.id}: the last line of {raw.name} was cut short; {len(frame)} lines before it are kept")
        if (others := lines.total - len(frame) - lines.cut_short) > 0:
            self._note(f"{self.id}: {others} lines of {raw.name} are no {name} and left out; {len(frame)} are kept")
        return frame

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


@ctrl_c_is_kept()
def _frame(rows: duckdb.DuckDBPyRelation, columns: Collection[str] | None) -> pd.DataFrame:
    if columns is not None:
        named = (name for name in rows.columns if name.startswith(PERCENTILES))
        more = set(islice(named, _MOST_PERCENTILES)) if PERCENTILES in columns else set[str]()
        rows = rows.project(", ".join(_quoted(name) for name in rows.columns if name in columns or name in more))
    frame: pd.DataFrame = rows.df()
    return frame


def find_runs(results: Path, *, component: str | None = None, scenario: str | None = None) -> list[Run]:
    """All runs, oldest first; folders that hold none that can be read are passed over.

    Raises:
        UsageError: If they take too much memory together.
    """
    found = []
    paths = regular_below(results, f"runs/*/{HEADER_FILE}")
    check_together(path.with_name(name) for path in paths for name in (HEADER_FILE, ENDING_FILE))
    for path in paths:
        with contextlib.suppress(UsageError):
            run = read_run(path.parent)
            if component in {None, run.header.component} and scenario in {None, run.header.scenario.name}:
                found.append(run)
    return found


def select_runs(
    runs: Iterable[Run],
    *,
    kinds: Collection[str] = ("measure",),
    complete: bool = True,
    labels: Iterable[str] = (),
    params: Mapping[str, ParameterValue] | None = None,
    machine: str | None = None,
    **header: object,
) -> list[Run]:
    """The runs that meet all conditions, in the same order; `header` has attributes of a run's header.

    All of `labels` took part. Parameters that `params` does not name have their defaults in the run's own scenario.
    """
    wanted = set(labels)
    return [
        run
        for run in runs
        if run.header.kind in kinds
        and (run.complete or not complete)
        and wanted <= {arm.label for arm in run.header.arms}
        and (params is None or run.header.settings == run.header.scenario.settings(dict(params)))
        and machine in {None, run.header.machine.id}
        and all(getattr(run.header, name) == value for name, value in header.items())
    ]


def find_run(name: str, results: Path) -> Run:
    """The run of this name, of this unambiguous part of a name, or the `latest`.

    Raises:
        UsageError: If there is none, more than one, or it cannot be read.
    """

    def made(path: Path) -> tuple[str, str]:
        header = read_run(path.parent).header
        return header.machine.id, header.created

    paths = regular_below(results, f"runs/*/{HEADER_FILE}")
    return read_run(results / "runs" / meant_by(name, paths, "run", "./lab measure TOPIC --quick", made))


def read_run(folder: Path) -> Run:
    """Read a run's folder.

    Raises:
        UsageError: If its header is unreadable or of a newer version.
    """
    try:
        header = _decoded(folder / HEADER_FILE, RunHeader)
    except (OSError, *UNREADABLE) as error:
        raise UsageError(
            f"cannot read the run in {folder.name}: {one_line(error)}", "it was cut short or edited"
        ) from None
    if header.id != folder.name:
        raise UsageError(f"the run in {folder.name} calls itself {header.id}", "give the folder this name")
    if header.version > RESULT_VERSION:
        raise UsageError(
            f"run {folder.name} is of version {header.version}, this lab reads up to {RESULT_VERSION}",
            "update the checkout",
        )
    ending, notes = None, []
    try:
        ending = _decoded(folder / ENDING_FILE, Ending)
        if not ending.complete:
            notes.append(f"{header.id}: partial, it ended after {ending.rounds} rounds ({ending.reason})")
    except FileNotFoundError:
        notes.append(f"{header.id}: partial, it was killed or is still under way; what it had measured is kept")
    except (OSError, *UNREADABLE):
        notes.append(f"{header.id}: its {ENDING_FILE} cannot be read; taken as partial")
    return Run(folder, header, ending, notes)


def forget_runs(results: Path) -> None:
    """Keep nothing of the runs in a folder that goes."""
    for key in [key for key, (path, *_) in _read.items() if path.is_relative_to(results)]:
        del _read[key]


def _decoded(path: Path, kind: type[_Record]) -> _Record:
    """Read a JSON file, once per process unless it changes: each analysis looks through the store for a noise run.

    Raises:
        OSError: If it cannot be read.
        msgspec.MsgspecError: If it holds something else.
    """
    found = path.stat()
    key = (found.st_dev, found.st_ino, kind)
    stamp = (found.st_ctime_ns, found.st_size)  # the time that nobody can set: numbers of files are given again
    known = _read.get(key)
    if known is None or known[1] != stamp:
        known = _read[key] = (path, stamp, msgspec.json.decode(read_bytes(path, MOST_RECORD), type=kind))
    record: _Record = known[2]
    return record
