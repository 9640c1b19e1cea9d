"""Writing a file so that it is there whole or not at all."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import msgspec

from perflab.model.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(path: Path, value: msgspec.Struct) -> None:
    """Write a record as JSON, so that its file is there whole or not at all; its folder is made.

    Raises:
        StoreError: If it cannot be written.
    """
    draft = path.with_suffix(".draft")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(value), indent=1))
        draft.rename(path)
    except OSError as error:
        raise cannot_write(error, path) from None


def cannot_write(error: OSError, path: Path) -> StoreError:
    """What to say of a file that could not be written."""
    if error.errno == errno.ENOSPC:
        return StoreError(f"the disk is full: {path}", "what was measured until now is kept; free some space")
    return StoreError(
        f"cannot write results: {error.strerror}: {path}", "point PERFLAB_RESULTS to a folder that can be written"
    )
