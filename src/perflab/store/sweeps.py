"""Sweeps: which runs are the points of one grid, written down as they finish.

A sweep's folder holds its header, which never changes, and a line for each point that was measured or could not be. The
runs themselves stand where all runs do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import msgspec

from perflab.model.errors import UsageError, one_line
from perflab.model.files import (
    UNREADABLE,
    append_json_lines,
    read_json_lines,
    write_json,
)
from perflab.model.names import Id, Label, OptionalId
from perflab.model.protocol import ParameterValue, Whole
from perflab.store.records import meant_by

if TYPE_CHECKING:
    from pathlib import Path


_VERSION = 1
MOST_SWEPT = 2
_HEADER = "sweep.json"
_POINTS = "points.jsonl"


class SweepHeader(msgspec.Struct, frozen=True):
    """What a sweep is, fixed when it starts.

    `over` has the swept parameters with their values, `params` those that stay; `options` are the preset's fields.
    `created` is ISO 8601 in UTC, `machine` the one on which it was begun, empty in sweeps of earlier versions.
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
    """A point's run, or why there is none. `params` are the swept ones, `host` is the name of a cluster's machine."""

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
        """The results folder that it is in."""
        return self.folder.parent.parent

    def run_of(self, params: dict[str, ParameterValue]) -> str:
        """Return the id of this point's run; empty if there is none."""
        record = self.records.get(point_key(params))
        return record.run if record else ""


def point_key(params: dict[str, ParameterValue]) -> str:
    """Return the key of a point: its swept parameters, whatever their order."""
    return msgspec.json.encode(sorted(params.items())).decode()


def start_sweep(header: SweepHeader, results: Path) -> Sweep:
    """Write a sweep's header."""
    folder = results / "sweeps" / header.id
    write_json(folder / _HEADER, header)
    return Sweep(header, folder)


def keep_point(sweep: Sweep, record: PointRecord) -> None:
    """Append a point's record; a later one of the same point replaces it."""
    append_json_lines(sweep.folder / _POINTS, [record])
    _take(sweep, record)


def find_sweep(name: str, results: Path) -> Sweep:
    """Find the sweep of this name, of this unambiguous part of a name, or the `latest`."""

    def made(path: Path) -> tuple[str, str]:
        header = _read(path.parent)
        return header.machine, header.created

    folder = results / "sweeps"
    paths = sorted(folder.glob(f"*/{_HEADER}"))
    found = meant_by(name, paths, "sweep", "./lab sweep TOPIC --over NAME=VALUES --quick", made)
    return open_sweep(_read(folder / found), results)


def open_sweep(header: SweepHeader, results: Path) -> Sweep:
    """Open the sweep of this header as it is on disk, or an empty one."""
    sweep = Sweep(header, results / "sweeps" / header.id)
    # A line cut short is that of a point whose record is lost; its run is not, but it is measured again.
    for record in read_json_lines(sweep.folder / _POINTS, PointRecord):
        _take(sweep, record)
    return sweep


def _read(folder: Path) -> SweepHeader:
    try:
        header = msgspec.json.decode((folder / _HEADER).read_bytes(), type=SweepHeader)
    except (OSError, *UNREADABLE) as error:
        raise UsageError(
            f"cannot read the sweep in {folder.name}: {one_line(error)}", "it was cut short or edited"
        ) from None
    if header.id != folder.name:
        raise UsageError(f"the sweep in {folder.name} calls itself {header.id}", "give the folder this name")
    if header.version > _VERSION:
        raise UsageError(
            f"sweep {folder.name} is of version {header.version}, this lab reads up to {_VERSION}",
            "update the checkout",
        )
    return header


def _take(sweep: Sweep, record: PointRecord) -> None:
    # A point that was measured stays so, whatever is tried later.
    if record.run or not sweep.run_of(record.params):
        sweep.records[point_key(record.params)] = record
