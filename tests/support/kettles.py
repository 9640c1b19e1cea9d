"""`python -m perflab` on the component whose figures depend on its parameters, with results of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

Found = dict[str, Any]
"""A sweep as JSON."""


def measured(results: Path) -> list[Path]:
    """The folders of all runs, in the order in which they were made."""
    return sorted(results.glob("runs/*"), key=lambda folder: (folder / "run.json").stat().st_mtime_ns)


def parameters(folder: Path) -> dict[str, Any]:
    """The parameters of a run."""
    found: dict[str, Any] = json.loads((folder / "run.json").read_text())["params"]
    return found


class Kettles:
    """The lab of one host: its results, its cache and with it its measurement lock are in `folder`."""

    def __init__(self, folder: Path, host: str = "") -> None:
        self.results = folder / "results"
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]),
            "PERFLAB_COMPONENTS": str(ROOT / "tests" / "fixtures" / "sweeps"),
            "PERFLAB_RESULTS": str(self.results),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "PERFLAB_PRESET": "smoke",
            **({"PERFLAB_HOST": host} if host else {}),
        }

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "perflab", *arguments],
            env={**self.environment, **environment},
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=120)
        assert process.returncode == status, f"status {process.returncode}\n{out}\n{err}"
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def json(self, *arguments: str, status: int = 0) -> Found:
        found: Found = json.loads(self("sweep", *arguments, "--json", status=status).stdout)
        return found

    def runs(self) -> list[Path]:
        return measured(self.results)
