"""Saved baselines: a name for what was measured, to measure against later. A name may hold a run of each scenario."""

from __future__ import annotations

import contextlib
import hashlib
import re
from typing import TYPE_CHECKING

import msgspec

from perflab.errors import MissingError, UsageError
from perflab.paths import RESULTS_DIR
from perflab.protocol import ParameterValue
from perflab.store.reading import Run, find_run

if TYPE_CHECKING:
    from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_VERSION = 1
BUILD = "build"
"""The folder beside a record that holds what was measured, if it was kept."""


class SavedBaseline(msgspec.Struct, frozen=True):
    """A run under a name. `settings` are all parameters of the scenario; `kept`: its build stands beside the record."""

    name: str
    component: str
    scenario: str
    settings: dict[str, ParameterValue]
    run: str
    variants: list[str]
    created: str
    kept: bool = False
    version: int = _VERSION

    def read_run(self, results: Path | None = None) -> Run:
        """The run.

        Raises:
            UsageError: If it is gone.
        """
        try:
            return find_run(self.run, results)
        except UsageError as error:
            raise UsageError(
                f"the run of baseline {self.name!r} cannot be read: {error.message}",
                f"it was {self.run}; save the baseline again with --overwrite",
            ) from None


def check_name(name: str) -> None:
    """Refuse what cannot name a baseline.

    Raises:
        UsageError: If it could not be a folder's name.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot name a baseline", "letters, digits, '.', '_' and '-', no leading '.' or '-'")


def baseline_folder(
    name: str, component: str, scenario: str, settings: dict[str, ParameterValue], results: Path | None = None
) -> Path:
    """Where the baseline of this name keeps this scenario with these settings."""
    key = hashlib.sha256(msgspec.json.encode(sorted(settings.items()))).hexdigest()[:8]
    return (results or RESULTS_DIR) / "baselines" / name / component / f"{scenario}-{key}"


def write_baseline(baseline: SavedBaseline, folder: Path) -> None:
    """Keep a record in its folder.

    Raises:
        MissingError: If the results folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / "baseline.draft"
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(baseline), indent=1))
        draft.rename(folder / "baseline.json")
    except OSError as error:
        raise MissingError(f"cannot keep the baseline: {error}", "point PERFLAB_RESULTS to a writable folder") from None


def find_baselines(
    component: str | None = None, name: str | None = None, results: Path | None = None
) -> list[SavedBaseline]:
    """A component's records under a name, or all of them, oldest first; those that cannot be read are passed over."""
    found = []
    for path in ((results or RESULTS_DIR) / "baselines").glob("*/*/*/baseline.json"):
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            record = msgspec.json.decode(path.read_bytes(), type=SavedBaseline)
            if component in {None, record.component} and name in {None, record.name} and record.version <= _VERSION:
                found.append(record)
    return sorted(found, key=lambda one: (one.created, one.scenario))
