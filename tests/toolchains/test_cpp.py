"""The C++ toolchain, on machines made of scripts, and its libraries, from packages made here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from perflab.host import cpp as libraries
from perflab.host import cpp as programs
from perflab.host.cpp import provide_cpp, read_libraries, require_cpp
from perflab.host.guard import marked
from perflab.host.toolchains import expand, provide, require
from perflab.model.errors import MissingError
from perflab.model.lab import user_cache

LIBRARY = libraries.Library("Cups", "cup/cup.h", "libcup-dev", "cup")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose PATH is the folder `path` and which needs one library, looked for below `system`."""
    for name in ("CXX", "CONDA_PREFIX", "CMAKE_PREFIX_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(libraries, "SYSTEM_PREFIXES", (tmp_path / "system",))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(libraries, "read_libraries", lambda: (LIBRARY,))
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


def test_its_programs_stand_in_commands(machine: Path) -> None:
    complete(machine)
    assert expand(["{cmake}", "--preset", "x"], require(["cpp"])) == [f"{machine}/path/cmake", "--preset", "x"]
    assert expand(["{cxx}"], require(["cpp"])) == [f"{machine}/path/g++"]


def test_a_compiler_too_old_is_passed_over_for_a_newer_one(machine: Path) -> None:
    complete(machine)
    program(machine / "path" / "g++", "11.4.0")
    newer = program(machine / "path" / "g++-12", "12.3.0")
    assert require_cpp().compiler.path == newer


def test_those_too_old_are_named_and_the_way_out(machine: Path) -> None:
    complete(machine)
    old = program(machine / "path" / "g++", "11.4.0")
    with pytest.raises(MissingError, match=r"g\+\+ 12 or clang\+\+ 16") as caught:
        require_cpp()
    assert f"found g++ 11.4.0 in {old}" in caught.value.message
    assert "apt install g++" in caught.value.hint


def test_the_one_that_the_user_names_comes_first(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    complete(machine)
    named = program(machine / "conda" / "x86_64-conda-linux-gnu-c++", "14.2.0")
    monkeypatch.setenv("CXX", str(named))
    assert require_cpp().compiler.path == named


def test_an_old_cmake_gives_way_to_the_one_in_the_labs_environment(machine: Path) -> None:
    complete(machine)
    program(machine / "path" / "cmake", "cmake version 3.22.1")
    beside = program(machine / "venv" / "cmake", "cmake version 4.1.0")
    assert require_cpp().cmake.path == beside


def test_ninja_in_the_labs_environment_is_put_on_the_path(machine: Path) -> None:
    complete(machine)
    (machine / "path" / "ninja").unlink()
    with pytest.raises(MissingError, match="no Ninja"):
        require_cpp()
    program(machine / "venv" / "ninja", "1.13.0")
    assert require_cpp().environment()["PATH"] == f"{machine / 'venv'}:{machine / 'path'}"


def test_a_program_that_fails_is_none(machine: Path) -> None:
    complete(machine)
    program(machine / "path" / "cmake", "cmake version 3.31.2", status=1)
    with pytest.raises(MissingError):
        require_cpp()


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
def debian(machine: Path) -> Path:
    """The machine without the library; its `apt-get download` copies from the folder `archive` once it has an index."""
    complete(machine)
    shutil.rmtree(machine / "system")
    archive = machine / "archive"
    package(archive, "libcup-dev", "libcup1 (= 1.0), libc6-dev", {"usr/include/cup/cup.h": "", "usr/share/cup/x": ""})
    package(archive, "libcup1", "libc6", {"usr/lib/libcup.so": "ELF"})
    (machine / "indexed").touch()
    path = machine / "path" / "apt-get"
    path.write_text(
        "#!/bin/sh\n"
        f'PATH=/usr/bin:/bin; case "$*" in *update*) touch {machine}/indexed; [ ! -e {machine}/broken ];; *download*)\n'
        f"[ -e {machine}/indexed ] || {{ echo 'E: Unable to locate package' >&2; exit 100; }}\n"
        "for word; do shift; case $word in lib*) cp "
        f'{archive}/${{word}}_*.deb . || {{ echo "E: Unable to locate package $word" >&2; exit 100; }};; esac; done;;\n'
        "esac\n"
    )
    path.chmod(0o755)
    (machine / "path" / "dpkg-deb").symlink_to("/usr/bin/dpkg-deb")
    (machine / "path" / "tar").symlink_to("/bin/tar")
    return machine


def package(archive: Path, name: str, depends: str, files: dict[str, str]) -> None:
    root = archive / name
    (root / "DEBIAN").mkdir(parents=True)
    control = f"Package: {name}\nVersion: 1.0\nArchitecture: all\nMaintainer: x <x@example.org>\nDescription: x\n"
    (root / "DEBIAN" / "control").write_text(f"{control}Depends: {depends}\n")
    for file, text in files.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text)
    subprocess.run(
        ["/usr/bin/dpkg-deb", "--build", str(root), str(archive / f"{name}_1.0_all.deb")],
        check=True,
        capture_output=True,
        env={"PATH": "/usr/bin:/bin"},
    )


needs_dpkg = pytest.mark.skipif(not Path("/usr/bin/dpkg-deb").exists(), reason="packages are made by dpkg-deb")


@needs_dpkg
def test_a_library_is_fetched_once_with_its_shared_objects(debian: Path) -> None:
    with pytest.raises(MissingError, match="there is no Cups here yet") as caught:
        require(["cpp"])
    assert "./lab setup" in caught.value.hint
    said: list[str] = []
    provide(["cpp"], said.append)
    assert said == ["fetching Cups"]
    prefix = Path(require(["cpp"])["CMAKE_PREFIX_PATH"])
    assert (prefix / "include" / "cup" / "cup.h").is_file()
    assert (prefix / "lib" / "libcup.so").read_text() == "ELF"
    assert not list(prefix.parent.parent.glob(".fetch-*"))
    shutil.rmtree(debian / "archive")
    provide_cpp(said.append)
    assert said == ["fetching Cups"]


@needs_dpkg
def test_where_there_is_no_index_one_is_fetched(debian: Path) -> None:
    (debian / "indexed").unlink()
    (debian / "broken").touch()  # one of the user's sources: the others have an index all the same
    assert provide_cpp() == require_cpp()


@needs_dpkg
def test_a_package_that_does_not_exist_names_the_ways_out(debian: Path) -> None:
    shutil.rmtree(debian / "archive")
    with pytest.raises(MissingError, match="Cups cannot be fetched: E: Unable to locate package libcup-dev") as caught:
        provide_cpp()
    assert caught.value.hint == "Debian: apt install libcup-dev; conda: conda install cup"
    assert not list((debian / "cache").rglob("*.h"))


def test_elsewhere_the_packages_are_named(machine: Path) -> None:
    complete(machine)
    shutil.rmtree(machine / "system")
    with pytest.raises(MissingError, match="this system has no apt-get") as caught:
        provide_cpp()
    assert "libcup-dev" in caught.value.hint


def test_the_lab_knows_a_package_for_each_library() -> None:
    assert all(library.debian.endswith("-dev") for library in read_libraries())
    headers = [library.header for library in read_libraries()]
    assert len(set(headers)) == len(headers) > 0


@pytest.mark.parametrize(
    ("text", "name"),
    [('ID=debian\nVERSION_ID="12"\n', "debian-12"), ("ID=arch\n", "arch"), ("", "unknown"), (None, "unknown")],
)
def test_each_release_has_a_prefix_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, name: str
) -> None:
    file = tmp_path / "os-release"
    if text is not None:
        file.write_text(text)
    monkeypatch.setattr(libraries, "_OS_RELEASE", file)
    assert libraries.own_prefix() == user_cache() / "cpp" / name / "usr"


@pytest.fixture(autouse=True)
def _forgetful() -> None:
    # What it has seen is of another machine.
    programs._ask.cache_clear()  # noqa: SLF001
