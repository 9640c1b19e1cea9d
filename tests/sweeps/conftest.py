from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result
from kettles import Kettles, measured

from perflab.cli import sweep as sweeping  # noqa: F401
from perflab.cli.main import lab as command
from perflab.measure import measure
from perflab.measure.sweep import collect  # noqa: F401

if TYPE_CHECKING:
    from kettles import Found

    from perflab.model.lab import Lab

KETTLES = Path(__file__).parents[1] / "fixtures" / "sweeps"


class Here:
    """The lab's commands in this process, which is quicker than one for each."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.results = lab, lab.results

    def __call__(self, *arguments: str, status: int = 0) -> Result:
        done = CliRunner().invoke(command, list(arguments), obj=self.lab)
        assert done.exit_code == status, f"status {done.exit_code}\n{done.output}"
        return done

    def sweep(self, *arguments: str, status: int = 0) -> Found:
        found: dict[str, Any] = json.loads(self("sweep", *arguments, "--json", status=status).stdout)
        return found

    def runs(self) -> list[Path]:
        return measured(self.results)


@pytest.fixture
def here(own_lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Here:
    monkeypatch.setattr("perflab.host.lock.measurement_lock", contextlib.nullcontext)
    monkeypatch.setattr(measure, "_PATIENCE", 0.0)
    monkeypatch.setenv("PERFLAB_PRESET", "smoke")
    return Here(replace(own_lab, components=KETTLES))


@pytest.fixture
def lab(tmp_path: Path) -> Kettles:
    return Kettles(tmp_path)
