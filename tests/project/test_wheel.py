"""The package without its checkout: built, installed, and used in a folder of somebody's own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from typing import TYPE_CHECKING

import pytest
from labs import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.build


@pytest.fixture(scope="module")
def perflab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `perflab` of an environment with the wheel, and with this environment's packages below it."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT]
    uv = shutil.which("uv")  # where it made the environment, there is no pip
    subprocess.run([uv, "build", "--quiet", "--wheel", "--out-dir", folder, ROOT] if uv else pip, check=True)
    (wheel,) = folder.glob("perflab-*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    (own,) = (folder / "venv" / "lib").glob("python3.*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(own)
    (own / "below.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    command = folder / "venv" / "bin" / "perflab"
    command.write_text(f"#!{folder}/venv/bin/python\nfrom perflab.__main__ import main\nmain()\n")
    command.chmod(0o755)
    return command


def run(perflab: Path, folder: Path, *words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PERFLAB_", "PYTHON"))}
    environment |= {"PERFLAB_LOCK": str(folder.parent / "lock"), "XDG_CACHE_HOME": str(folder.parent / "cache")}
    done = subprocess.run([perflab, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def test_the_wheel_holds_the_program_alone(perflab: Path) -> None:
    (own,) = perflab.parents[1].glob("lib/python3.*/site-packages")
    names = {path.name.partition("-")[0] for path in own.iterdir()} - {"below.pth"}
    assert names == {"perflab", "perflab_kernels"}  # and the one's dist-info
    data = {
        path.name for path in own.rglob("*") if path.suffix in {".yaml", ".npz", ".jsonl", ".ipynb", ".java", ".jar"}
    }
    assert data == set()
    assert not {"components", "datasets", "notebooks", "tests"} & {
        path.name for path in own.rglob("*") if path.is_dir()
    }


def test_the_package_measures_in_any_folder(perflab: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    told = run(perflab, here, "--help").stdout
    assert "perflab reproduce --quick" in told
    assert "./lab" not in told
    assert "  doctor" not in told
    assert "is for perflab's checkout" in run(perflab, here, "doctor", status=3).stderr
    assert "perflab measure" in run(perflab, here, "runs").stdout
    found = json.loads(run(perflab, here, "bench", "true", "true #", "--preset", "smoke", "--json").stdout)
    (kept,) = (here / ".perflab" / "results" / "runs").iterdir()
    assert kept.name == found["run"]
    run(perflab, here, "init")
    run(perflab, here, "bench", "true", "true #", "--preset", "smoke", "--save", "nothing")
    run(perflab, here, "bench", "nothing", "--preset", "smoke")
    assert len(list((here / ".perflab" / "results" / "runs").iterdir())) == 3
    run(perflab, here, "report", "--out", "site")
    assert (here / "site" / "index.html").is_file()
