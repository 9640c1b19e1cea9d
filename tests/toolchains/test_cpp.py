"""The C++ toolchain, on machines made of scripts, and its libraries, from packages made here."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from perflab.host import cpp
from perflab.host.cpp import provide_cpp, require_cpp
from perflab.host.guard import marked
from perflab.host.toolchains import expand, provide, require
from perflab.model.errors import MissingError

if TYPE_CHECKING:
    from pathlib import Path

LIBRARY = cpp.Library("Cups", "cup/cup.h", "libcup-dev", "cup")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose PATH is the folder `path` and which needs one library, looked for below `system`."""
    for name in ("CXX", "CONDA_PREFIX", "CMAKE_PREFIX_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(cpp, "SYSTEM_PREFIXES", (tmp_path / "system",))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(cpp, "LIBRARIES", (LIBRARY,))
    marked()  # starts this process's watcher, with the real Python
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "python"))
    return tmp_path


def program(path: Path, *says: str, status: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [*(f"/bin/echo '{line}'" for line in says), f"exit {status}"]
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return path


def complete(machine: Path) -> None:
    program(machine / "path" / "g++", "13.1.0")
    program(machine / "path" / "cmake", "cmake version 3.31.2")
    program(machine / "path" / "ninja", "1.11.1")
    header(machine / "system")


def header(prefix: Path) -> None:
    (prefix / "include" / "cup").mkdir(parents=True)
    (prefix / "include" / "cup" / "cup.h").touch()


def test_what_is_on_the_path_is_found(machine: Path) -> None:
    complete(machine)
    assert require(["cpp"]) == {
        "CXX": str(machine / "path" / "g++"),
        "CMAKE": str(machine / "path" / "cmake"),
        "CMAKE_GENERATOR": "Ninja",
    }
    assert require_cpp().title == "g++ 13.1.0, CMake 3.31.2, Ninja 1.11.1"
    assert expand(["{cmake}", "{cxx}"], require(["cpp"])) == [f"{machine}/path/cmake", f"{machine}/path/g++"]


def test_a_compiler_too_old_is_named_with_the_way_out_and_passed_over_for_a_newer_one(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete(machine)
    old = program(machine / "path" / "g++", "11.4.0")
    with pytest.raises(MissingError, match=r"g\+\+ 12 or clang\+\+ 16") as caught:
        require_cpp()
    assert f"found g++ 11.4.0 in {old}" in caught.value.message
    assert "apt install g++" in caught.value.hint
    newer = program(machine / "path" / "g++-12", "12.3.0")
    assert require_cpp().compiler.path == newer
    named = program(machine / "conda" / "x86_64-conda-linux-gnu-c++", "14.2.0")
    monkeypatch.setenv("CXX", str(named))
    assert require_cpp().compiler.path == named


@pytest.mark.parametrize(("version", "status"), [("3.22.1", 0), ("3.31.2", 1)], ids=["old", "failing"])
def test_a_cmake_that_does_not_do_gives_way_to_the_one_in_the_labs_environment(
    machine: Path, version: str, status: int
) -> None:
    complete(machine)
    program(machine / "path" / "cmake", f"cmake version {version}", status=status)
    with pytest.raises(MissingError):
        require_cpp()
    beside = program(machine / "venv" / "cmake", "cmake version 4.1.0")
    assert require_cpp().cmake.path == beside


def test_ninja_in_the_labs_environment_is_put_on_the_path(machine: Path) -> None:
    complete(machine)
    (machine / "path" / "ninja").unlink()
    with pytest.raises(MissingError, match="no ninja"):
        require_cpp()
    program(machine / "venv" / "ninja", "1.13.0")
    assert require_cpp().environment()["PATH"] == f"{machine / 'venv'}:{machine / 'path'}"


@pytest.mark.parametrize("variable", ["CONDA_PREFIX", "CMAKE_PREFIX_PATH"])
def test_libraries_of_the_users_prefixes_are_used(
    machine: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    complete(machine)
    shutil.rmtree(machine / "system")
    with pytest.raises(MissingError):
        require_cpp()
    header(machine / "theirs")
    monkeypatch.setenv(variable, str(machine / "theirs"))
    assert require_cpp().environment()["CMAKE_PREFIX_PATH"] == str(machine / "theirs")


@pytest.fixture
def bare(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The machine without the library, as root; its `apt-get` writes down what it is asked and installs the header."""
    complete(machine)
    shutil.rmtree(machine / "system")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    folder = machine / "system" / "include" / "cup"
    script = f'echo "$@" >> {machine}/asked\ncase "$*" in *update*) exit 100;; esac\n'
    (machine / "path" / "apt-get").write_text(f"#!/bin/sh\n{script}/bin/mkdir -p {folder}\n: > {folder}/cup.h\n")
    (machine / "path" / "apt-get").chmod(0o755)
    (machine / "path" / "env").symlink_to("/usr/bin/env")
    return machine


def test_root_gets_debians_packages_though_one_source_is_broken(bare: Path) -> None:
    with pytest.raises(MissingError, match="no Cups on this machine") as caught:
        require(["cpp"])
    assert caught.value.hint == "Debian: apt install libcup-dev; conda: conda install cup"
    said: list[str] = []
    for _ in range(2):
        provide(["cpp"], said.append)
    assert said == ["installing libcup-dev"]
    assert (bare / "asked").read_text().splitlines()[-1] == "-qq -y --no-install-recommends install libcup-dev"


def test_who_is_not_root_is_told_what_to_install(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(MissingError, match="no Cups on this machine") as caught:
        provide_cpp()
    assert "apt install libcup-dev" in caught.value.hint
    assert not (bare / "asked").exists()


def test_a_package_that_does_not_exist_is_one_line(bare: Path) -> None:
    (bare / "path" / "apt-get").write_text("#!/bin/sh\necho 'E: Unable to locate package libcup-dev' >&2\nexit 100\n")
    with pytest.raises(MissingError, match="libcup-dev cannot be fetched: E: Unable to locate package libcup-dev"):
        provide_cpp()


@pytest.fixture(autouse=True)
def _forgetful() -> None:
    # What it has seen is of another machine.
    cpp._ask.cache_clear()  # noqa: SLF001
