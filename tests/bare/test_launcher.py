from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from wheels import lock_line, make_wheel

from perflab.model.lab import CHECKOUT

PATIENCE_S = 120
PROGRAM = "import gift, sys\nprint('ran', *sys.argv[1:])\n"
UV = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
needs_uv = pytest.mark.skipif(UV is None, reason="there is no uv to put into the test's index")


@dataclass
class Clone:
    """A checkout with the launcher, a program of one line, one package to install, and an index in a folder."""

    folder: Path
    index: Path
    environment: dict[str, str]

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.folder / "lab", *arguments],
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __call__(self, *arguments: str, status: int = 0, **environment: str) -> str:
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == status, f"status {process.returncode}\n{out}\n{err}"
        assert "Traceback" not in err
        assert out == (f"ran {' '.join(arguments)}\n" if status == 0 else "")
        return err

    @property
    def venv(self) -> Path:
        return self.folder / ".venv"

    def remove_uv(self) -> None:
        (self.folder.parent / "bin" / "uv").unlink(missing_ok=True)

    def put_on_the_path(self, name: str, script: str) -> None:
        program = self.folder.parent / "bin" / name
        program.unlink(missing_ok=True)
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    folder, index, programs = tmp_path / "clone", tmp_path / "index", tmp_path / "bin"
    for made in (folder / "src" / "perflab", index, programs, tmp_path / "home", tmp_path / "tmp"):
        made.mkdir(parents=True)
    shutil.copy(CHECKOUT / "lab", folder)
    (folder / "src" / "perflab" / "__init__.py").touch()
    (folder / "src" / "perflab" / "__main__.py").write_text(PROGRAM)
    gift, more = (lock_line(make_wheel(index, name, "1.0", {f"{name}.py": ""})) for name in ("gift", "more"))
    (folder / "requirements.lock").write_text(gift)
    (folder / "requirements-dev.lock").write_text(gift + more)
    (programs / "python3").symlink_to(Path(sys.executable).resolve())
    if UV is not None:
        (programs / "uv").symlink_to(UV)
    (tmp_path / "uv.toml").write_text(f"[pip]\nno-index = true\nfind-links = ['{index}']\n")
    environment = {
        "PATH": f"{programs}:/usr/bin:/bin",
        "HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path / "tmp"),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(index),
        "UV_CONFIG_FILE": str(tmp_path / "uv.toml"),
    }
    # No Python of the machine's comes before the one that runs the tests.
    for name in ("python3.11", "python3.12", "python3.13"):
        (programs / name).write_text("#!/bin/sh\nexit 1\n")
        (programs / name).chmod(0o755)
    return Clone(folder, index, environment)


def installer(clone: Clone) -> str:
    return next(clone.venv.glob("lib/*/site-packages/gift-1.0.dist-info/INSTALLER")).read_text().strip()


@needs_uv
def test_a_uv_on_the_path_is_taken(clone: Clone) -> None:
    assert "Making the Python environment" in clone("topics")
    assert installer(clone) == "uv"
    assert clone("topics") == ""


@pytest.mark.parametrize("uv", ["none", "one that fails"])
def test_pip_does_it_where_uv_cannot(clone: Clone, uv: str) -> None:
    clone.remove_uv()
    if uv != "none":
        clone.put_on_the_path("uv", f'mkdir -p "{clone.venv}"; exit 2')
    clone("topics")
    assert installer(clone) == "pip"


def test_an_environment_whose_making_was_killed_is_made_again(clone: Clone) -> None:
    # What is on the PATH as uv leaves half a package behind, then the whole process group dies without a word.
    clone.put_on_the_path("uv", f'mkdir -p "{clone.venv}/half"\ntouch "{clone.venv}/incomplete"\nkill -9 0')
    process = clone.start("topics")
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode != 0
    assert (clone.venv / "half").is_dir()
    clone.remove_uv()
    clone("topics")
    assert not (clone.venv / "half").exists()


def test_two_at_once_make_one_environment(clone: Clone) -> None:
    processes = [clone.start("topics"), clone.start("topics")]
    said = []
    for process in processes:
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, err
        assert out == "ran topics\n"
        said.append(err)
    assert sum("Making" in text for text in said) == 1


def test_an_environment_of_a_python_that_is_gone_is_made_again(clone: Clone) -> None:
    clone("topics")
    for name in ("python", "python3"):
        (clone.venv / "bin" / name).unlink()
        (clone.venv / "bin" / name).symlink_to("/nowhere/python3")
    assert "Making" in clone("topics")


def test_what_tests_need_is_added_by_the_first_test_and_without_a_network_the_rest_goes_on_working(
    clone: Clone,
) -> None:
    clone("topics")
    assert not list(clone.venv.glob("lib/*/site-packages/more.py"))
    closed = {
        "PATH": clone.environment["PATH"].replace(f"{clone.folder.parent}/bin", f"{clone.folder.parent}/none"),
        "PIP_NO_INDEX": "0",
        "PIP_FIND_LINKS": "",
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "PIP_RETRIES": "0",
    }
    error, fix = clone("test", status=3, **closed).splitlines()[-2:]
    assert error == "error: the packages of requirements-dev.lock are not installed; the lines above say why"
    assert "connect to the package index" in fix
    assert clone("topics") == ""
    clone("test")
    assert list(clone.venv.glob("lib/*/site-packages/more.py"))
    assert clone("topics") == ""


def test_a_package_with_another_hash_is_not_installed(clone: Clone) -> None:
    make_wheel(clone.index, "gift", "1.0", {"gift.py": "import os"})
    assert "hash" in clone("topics", status=3).lower()
    assert not list(clone.venv.glob("lib/*/site-packages/gift.py"))


def test_a_python_that_is_too_old_or_without_venv_is_named_with_the_fix(clone: Clone) -> None:
    clone.remove_uv()
    for name in ("python3", "python"):
        clone.put_on_the_path(name, "echo 3.9")
    said = clone("topics", status=3)
    assert said.splitlines()[0] == "error: perflab needs Python 3.11, 3.12 or 3.13; python3 is 3.9, python is 3.9"
    assert "fix: install" in said
    clone.put_on_the_path("python3", f'case "$*" in *ensurepip*) exit 1;; esac; exec {sys.executable} "$@"')
    assert "apt install python3-venv" in clone("topics", status=3)
