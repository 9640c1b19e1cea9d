"""Tests share neither results nor a measurement lock with this machine, and leave nothing to each other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from labs import FIXTURES, Lab
from sites import all_modules, build_site

from perflab.model import paths
from perflab.model.paths import ROOT
from perflab.run.lock import measurement_lock

if TYPE_CHECKING:
    from pathlib import Path

TWO_TESTS = """
import sys
from perflab.model import paths

def test_it_measures(results):
    sys.modules.pop("perflab.ui.console.results", None)
    import perflab.ui.console.results
    (results / "runs").mkdir(parents=True)

def test_another():
    assert sys.modules["perflab.ui.console.results"].RESULTS_DIR == paths.RESULTS_DIR
    assert not (paths.RESULTS_DIR / "runs").exists()
"""


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    shutil.copy(ROOT / "tests" / "conftest.py", folder)
    (folder / "test_two.py").write_text(TWO_TESTS, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "pytest", "-q", *arguments, "test_two.py"]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)


def test_a_module_that_is_first_imported_in_a_test_keeps_no_folder_of_it(tmp_path: Path) -> None:
    done = run_pytest(tmp_path)
    assert done.returncode == 0, done.stdout


def test_all_modules_have_the_results_folder_of_the_session() -> None:
    named = [module for module in all_modules() if hasattr(module, "RESULTS_DIR")]
    assert len(named) > 10
    assert {module.RESULTS_DIR for module in named} == {paths.RESULTS_DIR}
    assert not paths.RESULTS_DIR.is_relative_to(ROOT)


def test_a_report_with_other_folders_leaves_the_labs_where_they_were(tmp_path: Path) -> None:
    before = {module.__name__: module.REFERENCE_DIR for module in all_modules() if hasattr(module, "REFERENCE_DIR")}
    build_site(tmp_path / "site", ["toys"], CLAIMS_DIR=FIXTURES / "claims", COMPONENTS_DIR=FIXTURES / "components",
               REFERENCE_DIR=tmp_path)  # fmt: skip
    after = {module.__name__: module.REFERENCE_DIR for module in all_modules() if hasattr(module, "REFERENCE_DIR")}
    assert after == before


def test_tests_measure_though_somebody_else_does(components: Path, tmp_path: Path) -> None:
    lab = Lab(tmp_path, PERFLAB_COMPONENTS=str(components))
    command = ("measure", "toy", "--variant", "plain")
    with measurement_lock(tmp_path / "cache" / "perflab"):  # the user's
        lab(*command)
        assert "something else is being measured" in lab(*command, status=3, PERFLAB_LOCK="").stderr
    assert not paths.LOCK_DIR.is_relative_to(paths.CACHE_DIR)
