"""A run on its way from one store to another: its raw files as bytes, the same run at the other end."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from perflab.errors import StoreError
from perflab.paths import RESULTS_DIR
from perflab.store.header import ENDING_FILE, FORKS, HEADER_FILE, SAMPLES, RunHeader
from perflab.store.reading import Run, read_run
from perflab.store.sealing import seal

if TYPE_CHECKING:
    from collections.abc import Mapping

_FILES = (HEADER_FILE, ENDING_FILE, f"{SAMPLES}.jsonl", f"{FORKS}.jsonl")


def pack_run(run: Run) -> dict[str, bytes]:
    """The files that a run is made of; what is derived from them is left out.

    Raises:
        OSError: If one cannot be read.
    """
    return {name: (run.folder / name).read_bytes() for name in _FILES}


def unpack_run(files: Mapping[str, bytes], results: Path | None = None) -> Run:
    """Put a run into the store, whole or not at all. One that is there already is left as it is.

    Raises:
        StoreError: If it cannot be written, is no run, or its name is that of another run.
    """
    base = results or RESULTS_DIR
    try:
        header = msgspec.json.decode(files[HEADER_FILE], type=RunHeader)
        if Path(header.id).name != header.id or set(files) != set(_FILES):
            raise StoreError("what has arrived is no run", "both ends must have the same revision of the lab")
        folder, draft = base / "runs" / header.id, base / "arriving" / header.id
        if folder.exists():
            if (folder / HEADER_FILE).read_bytes() != files[HEADER_FILE]:
                raise StoreError(f"another run is called {header.id}", "measure the point again")
            return read_run(folder)
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        for name, content in files.items():
            (draft / name).write_bytes(content)
        seal(draft)
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft.rename(folder)
    except (KeyError, msgspec.MsgspecError) as error:
        raise StoreError(f"what has arrived is no run: {error}", "both ends must have the same revision") from None
    except OSError as error:
        raise StoreError(
            f"cannot keep a run: {error}", "point PERFLAB_RESULTS to a folder that can be written"
        ) from None
    return read_run(folder)
