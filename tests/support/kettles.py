"""The lab of the component whose figures depend on its parameters."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from labs import FIXTURES, Lab

if TYPE_CHECKING:
    from pathlib import Path

COMPONENTS = FIXTURES / "sweeps"

Found = dict[str, Any]
"""A sweep as JSON."""


def measured(results: Path) -> list[Path]:
    """The folders of all runs, in the order in which they were made."""
    return sorted(results.glob("runs/*"), key=lambda folder: (folder / "run.json").stat().st_mtime_ns)


def parameters(folder: Path) -> dict[str, Any]:
    """The parameters of a run."""
    found: dict[str, Any] = json.loads((folder / "run.json").read_text())["params"]
    return found


class Kettles(Lab):
    """The lab of one host of a cluster, or of the only one."""

    def __init__(self, folder: Path, host: str = "") -> None:
        super().__init__(folder, PERFLAB_COMPONENTS=str(COMPONENTS), **({"PERFLAB_HOST": host} if host else {}))

    def sweep(self, *arguments: str, status: int = 0) -> Found:
        """A sweep, as JSON."""
        found: Found = self.json("sweep", *arguments, status=status)
        return found

    def runs(self) -> list[Path]:
        """The folders of its runs."""
        return measured(self.results)
