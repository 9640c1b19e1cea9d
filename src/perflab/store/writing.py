"""Writing a run: one line at a time, then the seal."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any

import duckdb
import msgspec

from perflab.model.files import atomic, cannot_write, write_json
from perflab.model.paths import RESULTS_DIR
from perflab.store.reading import read_lines
from perflab.store.records import ENDING_FILE, FORKS, HEADER_FILE, SAMPLES, Ending, RunHeader

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perflab.model.protocol import Sample


def seal(folder: Path) -> None:
    """Write `samples.parquet` and `forks.parquet` beside the raw lines, each whole or not at all."""
    for name in (SAMPLES, FORKS):
        rows, _ = read_lines(folder / f"{name}.jsonl")
        with atomic(folder / f"{name}.parquet") as draft:
            rows.write_parquet(str(draft), compression="zstd")


class RunWriter:
    """Appends a run's samples and forks to its folder.

    Each line is one `write` on a file opened for appending: a crash, a kill or a full disk loses the line in flight and
    nothing else.

    Args:
        header: What is known when the run starts.
        results: The results folder.

    Raises:
        StoreError: If the folder cannot be written.
    """

    def __init__(self, header: RunHeader, results: Path | None = None) -> None:
        self.header = header
        self.folder = (results or RESULTS_DIR) / "runs" / header.id
        try:
            self.folder.mkdir(parents=True)
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
        """Append a sample of the label's fork in this round."""
        row: dict[str, Any] = {"round": round_, "variant": label, "i": sample.i, "ops": sample.ops, "ns": sample.ns}
        row |= {f"p:{name}": value for name, value in sample.percentiles.items()}
        row |= {f"c:{name}": value for name, value in sample.counters.items()}
        self._samples.append(row)

    def fork(self, round_: int, position: int, label: str, facts: Mapping[str, Any]) -> None:
        """Append a finished fork: its round, its position in the round's random order, and what is known of it."""
        self._forks.append({"round": round_, "position": position, "variant": label, **facts})

    def end(self, ending: Ending) -> None:
        """Write how the run ended, and seal it."""
        self._samples.close()
        self._forks.close()
        try:
            write_json(self.folder / ENDING_FILE, ending)
            seal(self.folder)
        except (OSError, duckdb.Error) as error:
            cause = error if isinstance(error, OSError) else OSError(errno.EIO, str(error))
            raise cannot_write(cause, self.folder) from None


class _Lines:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_EXCL, 0o644)

    def append(self, row: Mapping[str, Any]) -> None:
        line = msgspec.json.encode(row) + b"\n"
        try:
            written = os.write(self._file, line)
        except OSError as error:
            raise cannot_write(error, self._path) from None
        if written != len(line):
            # Half a line in the middle of the file would hide all that come after it.
            os.ftruncate(self._file, os.fstat(self._file).st_size - written)
            raise cannot_write(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), self._path)

    def close(self) -> None:
        os.close(self._file)
