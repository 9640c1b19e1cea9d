"""Tests share neither results nor a measurement lock with this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labs import Lab

from perflab.host.lock import measurement_lock
from perflab.model import lab as labs_own
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path


def test_the_results_are_the_sessions() -> None:
    assert not labs_own.Lab.from_environment().results.is_relative_to(CHECKOUT)


def test_tests_measure_though_somebody_else_does(components: Path, tmp_path: Path) -> None:
    lab = Lab(tmp_path, PERFLAB_COMPONENTS=str(components))
    command, machines = ("measure", "toy", "--variant", "plain"), tmp_path / "machine"
    with measurement_lock(machines):
        lab(*command)
        assert "something else is being measured" in lab(*command, status=3, PERFLAB_LOCK=str(machines)).stderr
    assert labs_own.Lab.from_environment().lock != labs_own.machine_folder()
