"""Making an executed notebook fit to be committed and shared."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perflab.paths import ROOT

if TYPE_CHECKING:
    from nbformat import NotebookNode


def clean(notebook: NotebookNode) -> NotebookNode:
    """Take out what belongs to this machine or this moment: absolute paths, execution times, transient progress.

    Args:
        notebook: Is changed in place, and returned.
    """
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [_portable(output) for output in cell.outputs]
    return notebook


_HOMES = (re.compile(re.escape(str(ROOT)) + r"/?"), re.compile(re.escape(str(Path.home())) + r"/?"))


def _portable(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, str):
        for home in _HOMES:
            value = home.sub("", value)
        return value
    if isinstance(value, list):
        return [_portable(item) for item in value]
    if isinstance(value, dict):
        for key in value:
            if not key.startswith("image/"):
                value[key] = _portable(value[key])
    return value
