"""Sealing: the raw lines of a run that has ended, once more as Parquet, which reads fast and small."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.store.header import FORKS, SAMPLES
from perflab.store.tables import read_lines

if TYPE_CHECKING:
    from pathlib import Path


def seal(folder: Path) -> None:
    """Write `samples.parquet` and `forks.parquet` beside the raw lines, each whole or not at all."""
    for name in (SAMPLES, FORKS):
        draft = folder / f"{name}.parquet.draft"
        rows, _ = read_lines(folder / f"{name}.jsonl")
        rows.write_parquet(str(draft), compression="zstd")
        draft.rename(folder / f"{name}.parquet")
