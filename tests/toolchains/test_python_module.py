"""Building a Python project with its own backend, without a network and without another environment."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

BACKEND = """
import zipfile
from pathlib import Path

class Backend:
    @staticmethod
    def build_wheel(folder, config_settings=None, metadata_directory=None):
        if Path("broken").exists():
            raise SystemExit("it does not build")
        with zipfile.ZipFile(Path(folder) / "toy-1-py3-none-any.whl", "w") as wheel:
            wheel.write("toy.py")
        return "toy-1-py3-none-any.whl"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[build-system]\nrequires = []\nbuild-backend = "backend:Backend"\n')
    (folder / "backend.py").write_text(BACKEND)
    (folder / "toy.py").write_text("NUMBER = 1\n")
    return folder


def built(project: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "perflab.topics.python_module", str(project), str(folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(CHECKOUT / "src"), str(project)])}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_a_later_build_replaces_the_folder_and_one_that_fails_leaves_it(project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out" / "toy"
    assert built(project, folder).returncode == 0
    assert [path.name for path in (tmp_path / "out").rglob("*") if path.is_file()] == ["toy.py"]
    with (folder / "toy.py").open() as former:
        (project / "toy.py").write_text("NUMBER = 2\n")
        built(project, folder)
        assert former.read() == "NUMBER = 1\n", "whoever has a file open keeps it"
    (project / "broken").touch()
    failed = built(project, folder)
    assert failed.returncode != 0
    assert "it does not build" in failed.stderr
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"toy"}
    assert (folder / "toy.py").read_text() == "NUMBER = 2\n"
