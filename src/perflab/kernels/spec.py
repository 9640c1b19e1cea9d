"""Kernelspecs: the `kernel.json` that tells Jupyter how to start a kernel."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from perflab.model.files import atomic
from perflab.model.lab import CHECKOUT

JUPYTER_DIR = CHECKOUT / ".lab" / "jupyter"
"""The lab's own Jupyter prefix, for `JUPYTER_PATH`."""


Spec = dict[str, Any]
"""The contents of a `kernel.json`. It holds absolute paths of this machine, so it is generated and never committed."""


def is_current(name: str, spec: Spec) -> bool:
    """Whether exactly this spec is installed: the spec names all versions it depends on, so equal means up to date."""
    try:
        return bool(json.loads(_file(name).read_text(encoding="utf-8")) == spec)
    except (OSError, ValueError):
        return False


def write(name: str, spec: Spec) -> None:
    """Install a spec into the lab's Jupyter prefix, with the logos in the Python environment."""
    file = _file(name)
    folder = file.parent
    folder.mkdir(parents=True, exist_ok=True)
    for logo in (Path(sys.prefix) / "share" / "jupyter" / "kernels" / name).glob("logo-*"):
        shutil.copyfile(logo, folder / logo.name)
    # A Jupyter server may be listing the kernels at this moment.
    with atomic(file) as draft:
        draft.write_text(json.dumps(spec, indent=2) + "\n", encoding="utf-8")


def _file(name: str) -> Path:
    return JUPYTER_DIR / "kernels" / name / "kernel.json"
