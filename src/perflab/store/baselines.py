"""Saved baselines: a name for what was measured, to measure against later. A name may hold a run of each scenario."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from perflab.model.errors import StoreError, UsageError, one_line
from perflab.model.files import (
    UNREADABLE,
    atomic,
    read_json,
    write_json,
)
from perflab.model.names import Id, is_id
from perflab.model.protocol import ParameterValue, Whole
from perflab.store.forks import write_figures
from perflab.store.records import ENDING_FILE, FORKS, HEADER_FILE, SAMPLES, RunHeader
from perflab.store.runs import Run, read_run, seal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


_VERSION = 1
BUILD = "build"
"""The folder beside a record that holds what was measured, if it was kept."""


class SavedBaseline(msgspec.Struct, frozen=True):
    """A run that was saved under a name. `settings` are all parameters; `kept` says that its build was kept, too."""

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
    """Refuse what cannot be a folder's name."""
    if not is_id(name):
        raise UsageError(f"{name!r} cannot name a baseline", "letters, digits, '.', '_' and '-', no leading '.' or '-'")


def baseline_folder(
    name: str, component: str, scenario: str, settings: dict[str, ParameterValue], results: Path
) -> Path:
    """The folder of a baseline's record of this scenario with these settings."""
    key = hashlib.sha256(msgspec.json.encode(sorted(settings.items()))).hexdigest()[:8]
    return results / "baselines" / name / component / f"{scenario}-{key}"


def write_baseline(baseline: SavedBaseline, folder: Path) -> None:
    """Keep a record in its folder."""
    write_json(folder / "baseline.json", baseline)


def find_baselines(results: Path, component: str | None = None, name: str | None = None) -> list[SavedBaseline]:
    """A component's records under a name, or all of them, oldest first; those that cannot be read are passed over."""
    found = [
        record
        for record in read_json(sorted(results.glob("baselines/*/*/*/baseline.json")), SavedBaseline)
        if component in {None, record.component} and name in {None, record.name} and record.version <= _VERSION
    ]
    return sorted(found, key=lambda one: (one.created, one.scenario))


_FILES = (HEADER_FILE, ENDING_FILE, f"{SAMPLES}.jsonl", f"{FORKS}.jsonl")


def pack_run(run: Run) -> dict[str, bytes]:
    """The files that a run is made of; what is derived from them is left out."""
    return {path.name: path.read_bytes() for path in run.folder.iterdir() if path.name in _FILES}


class ArrivedError(StoreError):
    """What has arrived is no run: the sender's fault, not the disk's."""


def unpack_run(files: Mapping[str, bytes], results: Path) -> Run:
    """Put a run into the store, whole or not at all. One that is there already is left as it is."""
    try:
        header = msgspec.json.decode(files[HEADER_FILE], type=RunHeader)
        if set(files) != set(_FILES):
            raise ArrivedError("what has arrived is no run", "both ends must have the same revision of the lab")
        folder, arriving = results / "runs" / header.id, results / "arriving" / header.id
        if folder.exists():
            if not (folder / HEADER_FILE).exists() or (folder / HEADER_FILE).read_bytes() != files[HEADER_FILE]:
                raise ArrivedError(f"another run is called {header.id}", "measure the point again")
            return read_run(folder)
        # Not beside the runs: a search for runs would find half of one.
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
        raise ArrivedError(
            f"what has arrived is no run: {one_line(error)}", "both ends must have the same revision"
        ) from None
    run = read_run(folder)
    write_figures(run)
    return run
