"""The module, built for the Python that runs the tests."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perflab.paths import ROOT

if TYPE_CHECKING:
    from types import ModuleType

PROJECT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def sequencer(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """As `./lab build sequencer --module` makes it."""
    folder = tmp_path_factory.mktemp("module") / "built"
    command = [sys.executable, "-m", "perflab.toolchains.python_module", PROJECT, folder]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    sys.path.insert(0, str(folder))
    return importlib.import_module("sequencer")
