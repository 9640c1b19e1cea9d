"""Figures of a small machine say so, wherever they are shown; and who names no preset gets one that fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from runs import MACHINE, write_run

from perflab.measure.analysis import analyse
from perflab.measure.presets import usual_preset

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.host.machine import Machine

SMALL = msgspec.structs.replace(MACHINE, quota=1.0, memory_limit=2**31)


@pytest.mark.parametrize(("machine", "said"), [(MACHINE, 0), (SMALL, 1)])
def test_a_runs_figures_begin_with_it(tmp_path: Path, machine: Machine, said: int) -> None:
    notes = analyse(write_run(tmp_path, machine=machine)).notes
    assert [note.partition(":")[0] for note in notes].count("measured on one core with 2 GiB") == said
    assert said == 0 or notes[0].startswith("measured on")


@pytest.mark.parametrize(("machine", "preset"), [(MACHINE, "normal"), (SMALL, "quick")])
def test_the_usual_preset_fits_the_machine(monkeypatch: pytest.MonkeyPatch, machine: Machine, preset: str) -> None:
    monkeypatch.setattr("perflab.measure.presets.this_machine", lambda: machine)
    assert usual_preset() == preset
