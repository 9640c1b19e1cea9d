"""The machine's noise band for a scenario: kept with the results, drawn in every chart of that scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perflab.errors import MissingError
from perflab.paths import RESULTS_DIR
from perflab.statistics import NoiseBand

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.store import RunHeader


def save_noise(header: RunHeader, band: NoiseBand) -> Path:
    """Keep the band that an A/A run gave, in place of an older one.

    Raises:
        MissingError: If the results folder cannot be written.
    """
    path = _path(header)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".draft")
        draft.write_bytes(msgspec.json.encode(band))
        draft.rename(path)
    except OSError as error:
        raise MissingError(
            f"cannot keep the noise band: {error}", "point PERFLAB_RESULTS to a writable folder"
        ) from None
    return path


def load_noise(header: RunHeader) -> NoiseBand | None:
    """The band for a run's machine, component and scenario, if it was ever measured."""
    try:
        return msgspec.json.decode(_path(header).read_bytes(), type=NoiseBand)
    except (OSError, msgspec.MsgspecError):
        return None


def _path(header: RunHeader) -> Path:
    return RESULTS_DIR / "noise" / header.machine.id / f"{header.component}-{header.scenario.name}.json"
