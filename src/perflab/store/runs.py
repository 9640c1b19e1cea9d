"""A run's folder: written line by line, then sealed; readable at any time, also if truncated."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from perflab.model.errors import UsageError, one_line
from perflab.model.files import UNREADABLE, append, cannot_write, write_json
from perflab.model.project import PRIVATE_FOLDER, hide_private
from perflab.model.protocol import LONGEST_TEXT
from perflab.stats.columns import Columns
from perflab.store.records import (
    ENDING_FILE,
    FORKS,
    HEADER_FILE,
    LONGEST_WARNING,
    RESULT_VERSION,
    SAMPLES,
    Ending,
    RunHeader,
    resolve_name,
)
from perflab.store.tables import PERCENTILES, is_in, read_lines, read_table, seal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from perflab.model.protocol import ParameterValue, Sample


class RunWriter:
    """Appends a run's samples and forks to its folder.

    Each line is one `write` on a file opened for appending: a crash, a kill or a full disk loses at most the line
    being written.

    Args:
        header: Everything known when the run starts.
        results: The results folder.
    """

    def __init__(self, header: RunHeader, results: Path) -> None:
        self.header = header
        self.folder = results / "runs" / header.id
        try:
            self.folder.mkdir(parents=True)
            if results.parent.name == PRIVATE_FOLDER:
                hide_private(results.parent)
            write_json(self.folder / HEADER_FILE, header)
            self._samples = _Lines(self.folder / f"{SAMPLES}.jsonl")
            self._forks = _Lines(self.folder / f"{FORKS}.jsonl")
        except OSError as error:
            raise cannot_write(error, self.folder) from None

    def replace_header(self, header: RunHeader) -> None:
        """Write the header again, before the first sample."""
        write_json(self.folder / HEADER_FILE, header)
        self.header = header

    def sample(self, round_: int, label: str, sample: Sample) -> None:
        """Append a sample of the label's fork in this round."""
        row: dict[str, Any] = {"round": round_, "variant": label, "i": sample.i, "ops": sample.ops, "ns": sample.ns}
        row |= {f"{PERCENTILES}{name}": value for name, value in sample.percentiles.items()}
        row |= {f"c:{name}": value for name, value in sample.counters.items()}
        self._samples.append(row)

    def fork(self, round_: int, position: int, label: str, facts: Mapping[str, Any]) -> None:
        """Append a finished fork: its round, its position in the round's random order, and further facts."""
        cut = {name: value[:LONGEST_TEXT] if isinstance(value, str) else value for name, value in facts.items()}
        self._forks.append({"round": round_, "position": position, "variant": label, **cut})

    def end(self, ending: Ending) -> Ending:
        """Write the ending and seal the run; return the ending as written."""
        self._samples.close()
        self._forks.close()
        ending = msgspec.structs.replace(
            ending,
            failures={label: why[:LONGEST_TEXT] for label, why in ending.failures.items()},
            warnings=[warning[:LONGEST_WARNING] for warning in ending.warnings],
            notes=[note[:LONGEST_WARNING] for note in ending.notes],
        )
        write_json(self.folder / ENDING_FILE, ending)
        try:
            seal(self.folder)
        except OSError as error:
            raise cannot_write(error, self.folder) from None
        from perflab.store.forks import write_figures  # noqa: PLC0415 - it imports this module

        write_figures(Run(self.folder, self.header, ending))
        return ending


class _Lines:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_EXCL, 0o644)

    def append(self, row: Mapping[str, Any]) -> None:
        append(self._file, msgspec.json.encode(row) + b"\n", self._path)

    def close(self) -> None:
        os.close(self._file)


_Record = TypeVar("_Record", bound=msgspec.Struct)
_read: dict[Path, tuple[tuple[int, int], Any]] = {}
"""Decoded records by file, with the file's time and size."""


@dataclass(frozen=True)
class Run:
    """A run on disk. `notes` lists its defects, if any."""

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
        """The results folder that contains it."""
        return self.folder.parent.parent

    @property
    def complete(self) -> bool:
        """True if it was neither interrupted nor failed."""
        return self.ending is not None and self.ending.complete

    @property
    def failures(self) -> dict[str, str]:
        """Reasons by label that dropped out."""
        return self.ending.failures if self.ending else {}

    @property
    def void(self) -> list[str]:
        """The labels that broke a rule of the scenario."""
        return self.ending.void if self.ending else []

    def samples(self, columns: Collection[str] | None = None) -> Columns:
        """Return samples: columns round, variant, i, ops, ns, `p:NAME` (percentiles, ns), `c:NAME` (counters, totals).

        Args:
            columns: Read only these, as far as present, which halves time and memory. `PERCENTILES` stands for all
                percentiles.
        """
        return self.table(SAMPLES, columns)

    def forks(self, columns: Collection[str] | None = None) -> Columns:
        """Return all forks: round, position, variant, status, wall time, and the operating system's counters.

        Args:
            columns: Read only these, as far as present.
        """
        return self.table(FORKS, columns)

    def table(self, name: str, columns: Collection[str] | None = None) -> Columns:
        """Return the table `samples` or `forks`, as sealed, else of its raw lines."""
        sealed, raw = self.folder / f"{name}.npz", self.folder / f"{name}.jsonl"
        if sealed.exists():
            try:
                return read_table(sealed, name, columns)
            except (OSError, ValueError):
                self._note(f"{self.id}: {sealed.name} is cut short; read the raw lines instead")
        try:
            lines = read_lines(raw, name)
        except FileNotFoundError:
            if sealed.with_suffix(".parquet").exists():
                raise UsageError(
                    f"run {self.id} has its {name} as Parquet alone, which this perflab does not read",
                    f"put {raw.name} beside it, or measure again",
                ) from None
            raise UsageError(f"run {self.id} has no {name}", f"{self.folder} is incomplete; measure again") from None
        except OSError as error:
            raise UsageError(f"run {self.id}: cannot read {raw.name}: {one_line(error)}", "measure again") from None
        rows = lines.rows
        if lines.cut_short:
            self._note(f"{self.id}: the last line of {raw.name} was cut short; {rows.rows} lines before it are kept")
        if lines.others:
            said = f"{lines.others} lines of {raw.name} are no {name} and left out; {rows.rows} are kept"
            self._note(f"{self.id}: {said}")
        return Columns((one, rows[one]) for one in rows if columns is None or is_in(one, columns))

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def find_runs(results: Path, *, component: str | None = None, scenario: str | None = None) -> list[Run]:
    """Return all runs, oldest first; skip folders without a readable one."""
    found = []
    for path in sorted(results.glob(f"runs/*/{HEADER_FILE}")):
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
    """Return the runs that meet all conditions, in order; `header` has attributes of a run's header.

    All of `labels` took part. Parameters missing from `params` have the defaults of the run's own scenario.
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
    """Find the run of this name, of this unambiguous part of a name, or the `latest`."""

    def made(path: Path) -> tuple[str, str]:
        header = read_run(path.parent).header
        return header.machine.id, header.created

    paths = sorted(results.glob(f"runs/*/{HEADER_FILE}"))
    return read_run(results / "runs" / resolve_name(name, paths, "run", "./lab measure TOPIC --quick", made))


def read_header(path: Path, kind: type[_Record], noun: str, newest: int) -> _Record:
    """Read a header with an id, which is its folder's name, and a version."""
    name = path.parent.name
    try:
        header: Any = decoded(path, kind)
    except (OSError, *UNREADABLE) as error:
        raise UsageError(f"cannot read the {noun} in {name}: {one_line(error)}", "it was cut short or edited") from None
    if header.id != name:
        raise UsageError(f"the {noun} in {name} calls itself {header.id}", "give the folder this name")
    if header.version > newest:
        said = f"{noun} {name} is of version {header.version}, this lab reads up to {newest}"
        raise UsageError(said, "update the checkout")
    return header  # type: ignore[no-any-return]


def read_run(folder: Path) -> Run:
    """Read a run's folder."""
    header = read_header(folder / HEADER_FILE, RunHeader, "run", RESULT_VERSION)
    ending, notes = None, []
    try:
        ending = decoded(folder / ENDING_FILE, Ending)
        if not ending.complete:
            notes.append(f"{header.id}: partial, it ended after {ending.rounds} rounds ({ending.reason})")
    except FileNotFoundError:
        notes.append(f"{header.id}: partial, it was killed or is still under way; what it had measured is kept")
    except (OSError, *UNREADABLE):
        notes.append(f"{header.id}: its {ENDING_FILE} cannot be read; taken as partial")
    return Run(folder, header, ending, notes)


def decoded(path: Path, kind: type[_Record]) -> _Record:
    """Decode a JSON file; cached until it changes, since each analysis searches the store for a noise run."""
    found = path.stat()
    stamp = (found.st_mtime_ns, found.st_size)
    known = _read.get(path)
    if known is None or known[0] != stamp:
        known = _read[path] = (stamp, msgspec.json.decode(path.read_bytes(), type=kind))
    record: _Record = known[1]
    return record
