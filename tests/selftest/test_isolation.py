"""Tests share neither results nor a measurement lock with this machine, and leave nothing to each other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from labs import Lab

from perflab.host.lock import measurement_lock
from perflab.model import lab as labs_own
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

TWO_TESTS = """
from perflab.model.lab import Lab

def test_it_measures(results):
    (results / "runs").mkdir(parents=True)

def test_another(results):
    assert not (results / "runs").exists()
    assert not (Lab.from_environment().results / "runs").exists()
"""


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    shutil.copy(CHECKOUT / "tests" / "conftest.py", folder)
    (folder / "test_two.py").write_text(TWO_TESTS, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "src")}
    command = [sys.executable, "-m", "pytest", "-q", *arguments, "test_two.py"]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)


def test_a_test_leaves_no_results_to_the_next(tmp_path: Path) -> None:
    done = run_pytest(tmp_path)
    assert done.returncode == 0, done.stdout


def test_the_results_are_the_sessions() -> None:
    assert not labs_own.Lab.from_environment().results.is_relative_to(CHECKOUT)


def test_tests_measure_though_somebody_else_does(components: Path, tmp_path: Path) -> None:
    lab = Lab(tmp_path, PERFLAB_COMPONENTS=str(components))
    command, machines = ("measure", "toy", "--variant", "plain"), tmp_path / "machine"
    with measurement_lock(machines):
        lab(*command)
        assert "something else is being measured" in lab(*command, status=3, PERFLAB_LOCK=str(machines)).stderr
    assert labs_own.Lab.from_environment().lock != labs_own.machine_folder()
