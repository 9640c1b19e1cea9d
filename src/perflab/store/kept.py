"""Saved baselines, sweeps and searches, which refer to runs in the store."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from perflab.model.errors import StoreError, UsageError, one_line
from perflab.model.files import (
    UNREADABLE,
    append_json_lines,
    atomic,
    read_json,
    read_json_lines,
    write_json,
)
from perflab.model.names import Id, Label, OptionalId, is_id
from perflab.model.protocol import ParameterValue, Whole
from perflab.stats.comparison import Comparison
from perflab.store.forks import write_figures
from perflab.store.records import ENDING_FILE, FORKS, HEADER_FILE, SAMPLES, RunHeader, resolve_name
from perflab.store.runs import Run, read_header, read_run
from perflab.store.tables import seal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perflab.model.estimate import Estimate


_VERSION = 1
BUILD = "build"
"""The folder beside a record that holds what was measured, if it was kept."""


class SavedBaseline(msgspec.Struct, frozen=True):
    """A run saved under a name. `settings` are all parameters; `kept` is true if its build was kept too."""

    name: Id
    component: Id
    scenario: Id
    settings: dict[Id, ParameterValue]
    run: Id
    variants: list[Id]
    created: str
    kept: bool = False
    version: Whole = _VERSION

    def read_run(self, results: Path) -> Run:
        """Read the run."""
        try:
            return read_run(results / "runs" / self.run)
        except UsageError as error:
            raise UsageError(
                f"the run of baseline {self.name!r} cannot be read: {error.message}",
                f"it was {self.run}; save the baseline again with --save-baseline",
            ) from None


def check_name(name: str) -> None:
    """Raise a UsageError if the name cannot be a folder's."""
    if not is_id(name):
        raise UsageError(f"{name!r} cannot name a baseline", "letters, digits, '.', '_' and '-', no leading '.' or '-'")


def baseline_folder(
    name: str, component: str, scenario: str, settings: dict[str, ParameterValue], results: Path
) -> Path:
    """Return the folder of a baseline's record for a scenario and settings."""
    key = hashlib.sha256(msgspec.json.encode(sorted(settings.items()))).hexdigest()[:8]
    return results / "baselines" / name / component / f"{scenario}-{key}"


def write_baseline(baseline: SavedBaseline, folder: Path) -> None:
    """Write a baseline's record to its folder."""
    write_json(folder / "baseline.json", baseline)


def find_baselines(results: Path, component: str | None = None, name: str | None = None) -> list[SavedBaseline]:
    """Return saved baselines, by default all, oldest first; skip unreadable ones."""
    found = [
        record
        for record in read_json(sorted(results.glob("baselines/*/*/*/baseline.json")), SavedBaseline)
        if component in {None, record.component} and name in {None, record.name} and record.version <= _VERSION
    ]
    return sorted(found, key=lambda one: (one.created, one.scenario))


_FILES = (HEADER_FILE, ENDING_FILE, f"{SAMPLES}.jsonl", f"{FORKS}.jsonl")


def pack_run(run: Run) -> dict[str, bytes]:
    """Return a run's files, without derived ones."""
    return {path.name: path.read_bytes() for path in run.folder.iterdir() if path.name in _FILES}


class UnpackError(StoreError):
    """The received files are not a run: the sender's fault, not the disk's."""


def unpack_run(files: Mapping[str, bytes], results: Path) -> Run:
    """Add a run to the store, whole or not at all, unless it is already there."""
    try:
        header = msgspec.json.decode(files[HEADER_FILE], type=RunHeader)
        if set(files) != set(_FILES):
            raise UnpackError("what has arrived is no run", "both ends must have the same revision of the lab")
        folder, arriving = results / "runs" / header.id, results / "arriving" / header.id
        if folder.exists():
            if not (folder / HEADER_FILE).exists() or (folder / HEADER_FILE).read_bytes() != files[HEADER_FILE]:
                raise UnpackError(f"another run is called {header.id}", "measure the point again")
            return read_run(folder)
        # Not beside the runs, where others would find a half-written one.
        with atomic(arriving) as draft:
            draft.mkdir()
            for name, content in files.items():
                (draft / name).write_bytes(content)
            seal(draft)
        folder.parent.mkdir(parents=True, exist_ok=True)
        arriving.rename(folder)
    except OSError as error:
        raise StoreError(
            f"cannot keep a run: {error}", "point PERFLAB_RESULTS to a folder that can be written"
        ) from None
    except (KeyError, UsageError, *UNREADABLE) as error:
        raise UnpackError(
            f"what has arrived is no run: {one_line(error)}", "both ends must have the same revision"
        ) from None
    run = read_run(folder)
    write_figures(run)
    return run


_FILE_NAME = "search.json"

Ended = Literal["under way", "trials", "minutes", "exhausted", "interrupted", "failed"]
"""Why it ended: as many trials as asked for, the time, every setting tried, Ctrl-C, or an error."""


class Trial(msgspec.Struct, frozen=True):
    """A trial of a setting: a run against the default setting.

    `comparison` is that of `lab measure --json`; if it is `None`, `failure` is the reason.
    """

    number: Whole
    params: dict[Id, ParameterValue]
    run: OptionalId = ""
    comparison: dict[str, Any] | None = None
    failure: str = ""

    @property
    def factor(self) -> Estimate | None:
        """The improvement over the default, for selection only: the best of many is biased by luck."""
        found = Comparison.from_dict(self.comparison) if self.comparison else None
        return found.estimate if found and found.scale == "ratio" else None


class Confirmation(msgspec.Struct, frozen=True):
    """The best settings measured again with fresh forks: the only figures that a search reports."""

    run: Id
    settings: dict[Label, dict[Id, ParameterValue]]
    comparisons: list[dict[str, Any]]


class SearchResult(msgspec.Struct):
    """A search, complete or interrupted. `over` is as typed; `seconds` is its duration."""

    search: Id
    topic: Id
    scenario: Id
    variant: Id
    over: dict[Id, str]
    default: dict[Id, ParameterValue]
    machine: dict[str, str] = {}
    trials: list[Trial] = []
    confirmed: Confirmation | None = None
    ended: Ended = "under way"
    seconds: float = 0.0
    notes: list[str] = []

    @property
    def ranked(self) -> list[Trial]:
        """Trials with a factor, the best first."""
        found = [(one.factor.value, one) for one in self.trials if one.factor]
        return [one for _, one in sorted(found, key=lambda pair: -pair[0])]

    @property
    def best(self) -> dict[str, Any] | None:
        """The confirmed setting that is significantly better than the default, with its comparison, if any."""
        if self.confirmed is None:
            return None
        faster = [one for one in self.confirmed.comparisons if one["verdict"] == "faster"]
        if not faster:
            return None
        found = max(faster, key=lambda one: float(one["estimate"]))
        return {**found, "params": self.confirmed.settings[found["candidate"]], "run": self.confirmed.run}

    def to_dict(self) -> dict[str, Any]:
        """Return the output of `--json`."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return {**found, "best": self.best}


def write_search(result: SearchResult, results: Path) -> None:
    """Write the search's state so far."""
    write_json(results / "searches" / result.search / _FILE_NAME, result)


MOST_SWEPT = 2
_HEADER = "sweep.json"
_POINTS = "points.jsonl"


class SweepHeader(msgspec.Struct, frozen=True):
    """Definition of a sweep, fixed when it starts.

    `over` has the swept parameters with their values, `params` the constant ones; `options` are the preset's fields.
    `created` is ISO 8601 in UTC, `machine` is where it was started, empty in sweeps of earlier versions.
    """

    id: Id
    created: str
    component: Id
    scenario: Id
    variants: list[Id]
    baseline: Id
    over: Annotated[
        dict[Id, Annotated[list[ParameterValue], msgspec.Meta(min_length=1)]],
        msgspec.Meta(min_length=1, max_length=MOST_SWEPT),
    ]
    params: dict[Id, ParameterValue]
    preset: Id
    options: dict[Id, Whole | float]
    seed: Whole
    perflab: str
    plugin: str = ""
    version: Whole = _VERSION
    machine: Label = ""


class PointRecord(msgspec.Struct, frozen=True):
    """A point's run, or why there is none. `params` are the swept ones, `host` is the cluster machine's name."""

    params: Annotated[dict[Id, ParameterValue], msgspec.Meta(max_length=MOST_SWEPT)]
    machine: Label
    run: OptionalId = ""
    why: str = ""
    host: Label = ""
    title: str = ""


@dataclass(frozen=True)
class Sweep:
    """A sweep on disk: its header, and the record of each point by its key."""

    header: SweepHeader
    folder: Path
    records: dict[str, PointRecord] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The sweep's name."""
        return self.header.id

    @property
    def results(self) -> Path:
        """The results folder that contains it."""
        return self.folder.parent.parent

    def run_of(self, params: dict[str, ParameterValue]) -> str:
        """Return the id of this point's run; empty if there is none."""
        record = self.records.get(point_key(params))
        return record.run if record else ""


def point_key(params: dict[str, ParameterValue]) -> str:
    """Return the key of a point: its swept parameters, in any order."""
    return msgspec.json.encode(sorted(params.items())).decode()


def start_sweep(header: SweepHeader, results: Path) -> Sweep:
    """Write a sweep's header."""
    folder = results / "sweeps" / header.id
    write_json(folder / _HEADER, header)
    return Sweep(header, folder)


def keep_point(sweep: Sweep, record: PointRecord) -> None:
    """Append a point's record, which replaces earlier ones of the same point."""
    append_json_lines(sweep.folder / _POINTS, [record])
    _take(sweep, record)


def find_sweep(name: str, results: Path) -> Sweep:
    """Find the sweep of this name, of this unambiguous part of a name, or the `latest`."""

    def made(path: Path) -> tuple[str, str]:
        header = _read(path.parent)
        return header.machine, header.created

    folder = results / "sweeps"
    paths = sorted(folder.glob(f"*/{_HEADER}"))
    found = resolve_name(name, paths, "sweep", "./lab sweep TOPIC --over NAME=VALUES --quick", made)
    return open_sweep(_read(folder / found), results)


def open_sweep(header: SweepHeader, results: Path) -> Sweep:
    """Open the sweep of this header as it is on disk, or an empty one."""
    sweep = Sweep(header, results / "sweeps" / header.id)
    # A truncated line loses a point's record: its run remains, but the point is measured again.
    for record in read_json_lines(sweep.folder / _POINTS, PointRecord):
        _take(sweep, record)
    return sweep


def _read(folder: Path) -> SweepHeader:
    return read_header(folder / _HEADER, SweepHeader, "sweep", _VERSION)


def _take(sweep: Sweep, record: PointRecord) -> None:
    # A measured point is not replaced by a later failure.
    if record.run or not sweep.run_of(record.params):
        sweep.records[point_key(record.params)] = record
