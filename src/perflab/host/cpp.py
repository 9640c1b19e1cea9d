"""Fetching libraries that are not here: the distribution's own packages, unpacked without being installed.

`apt-get download` takes no rights and compares each package with the signed index of the distribution.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from perflab.host.processes import ask, fetch, fetching
from perflab.model.errors import MissingError
from perflab.model.lab import user_cache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


TABLE = Path(__file__).with_name("libraries.toml")

SYSTEM_PREFIXES = (Path("/usr/local"), Path("/usr"))

_OS_RELEASE = Path("/etc/os-release")


class Library(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A library: the header by which it is found, and the packages that hold it; `conda` is empty if there is none."""

    title: str
    header: str
    debian: str
    conda: str


@cache
def read_libraries() -> tuple[Library, ...]:
    """All of them."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return tuple(msgspec.convert(table["library"], list[Library]))


def own_prefix() -> Path:
    """Where the lab's own are, or would be: apart for each release of the distribution, which has other libraries."""
    return user_cache() / "cpp" / _release() / "usr"


def prefixes() -> Iterator[Path]:
    """Where CMake and the compiler are to look, those first that the user has chosen; the system's own come last."""
    for given in os.environ.get("CMAKE_PREFIX_PATH", "").split(os.pathsep):
        if given:
            yield Path(given)
    if conda := os.environ.get("CONDA_PREFIX"):
        yield Path(conda)
    yield own_prefix()
    yield from SYSTEM_PREFIXES


def missing_libraries() -> list[Library]:
    """Those that are below no prefix."""
    here = list(prefixes())
    return [one for one in read_libraries() if not any((place / "include" / one.header).is_file() for place in here)]


def _release() -> str:
    """Such as `debian-12`; `unknown` where the system does not say."""
    try:
        lines = _OS_RELEASE.read_text(encoding="utf-8").splitlines()
    except OSError:
        return "unknown"
    values = dict(line.split("=", 1) for line in lines if "=" in line)
    parts = (values.get(key, "").strip("\"'") for key in ("ID", "VERSION_ID"))
    return "-".join(part for part in parts if part) or "unknown"


_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")


@dataclass(frozen=True)
class Program:
    """A program, what it calls itself (`g++`, `clang++`, `cmake`), and its version as text and as numbers."""

    path: Path
    name: str
    version: str
    release: tuple[int, int]

    @property
    def title(self) -> str:
        """As the doctor names it."""
        return f"{self.name} {self.version}"


def compilers() -> Iterator[Program]:
    """C++ compilers on this machine: that of CXX first, then those of the PATH and conda's."""
    names = ["c++", "g++", *(f"g++-{release}" for release in range(16, 11, -1)), "clang++"]
    # conda-forge's compilers are called after their target, and its activation names them in CXX.
    for found in _distinct(_located(filter(None, [os.environ.get("CXX"), *names]))):
        if (program := _ask(found, ("-dumpfullversion", "-dumpversion"))) is not None:
            yield program


def build_tools(name: str) -> Iterator[Program]:
    """CMake or Ninja: that of the PATH, then the one in the lab's own environment, which is from PyPI."""
    beside = str(Path(sys.executable).parent)
    for found in _distinct(_located([name], None, beside)):
        if (program := _ask(found, ("--version",))) is not None:
            yield program


def _located(names: Iterator[str] | Sequence[str], *folders: str | None) -> Iterator[Path]:
    for name in names:
        for folder in folders or (None,):
            if path := shutil.which(name, path=folder):
                yield Path(path)


def _distinct(paths: Iterator[Path]) -> Iterator[Path]:
    seen: set[Path] = set()
    for path in paths:
        if (real := path.resolve()) not in seen:
            seen.add(real)
            yield path


@cache
def _ask(path: Path, arguments: tuple[str, ...]) -> Program | None:
    match = _VERSION.search(ask([path, *arguments]) or "")
    return Program(path, _name(path), match[0], (int(match[1]), int(match[2]))) if match else None


def _name(path: Path) -> str:
    """Without the target and the release, which `x86_64-conda-linux-gnu-c++` and `g++-12` have; `c++` is a link."""
    real = path.resolve().name
    known = {"clang": "clang++", "g++": "g++", "cmake": "cmake", "ninja": "ninja"}
    return next((name for mark, name in known.items() if mark in real), path.name)


MINIMUM_COMPILERS = {"g++": (12, 0), "clang++": (16, 0)}
"""The least release of each compiler that has what the components use of C++20."""

MINIMUM_CMAKE = (3, 25)
"""The first with workflow presets: configuring and building are one command."""

INSTALL_COMPILER = "Debian: apt install g++; conda: conda install cxx-compiler"


@dataclass(frozen=True)
class Cpp:
    """A toolchain: its compiler, CMake and Ninja."""

    compiler: Program
    cmake: Program
    ninja: Program

    @property
    def title(self) -> str:
        """As the doctor names it."""
        return f"{self.compiler.title}, CMake {self.cmake.version}, Ninja {self.ninja.version}"

    def environment(self) -> dict[str, str]:
        """Variables for commands that use it."""
        system = set(SYSTEM_PREFIXES)
        places = [str(place) for place in prefixes() if place not in system and place.is_dir()]
        variables = {"CXX": str(self.compiler.path), "CMAKE": str(self.cmake.path), "CMAKE_GENERATOR": "Ninja"}
        if places:
            variables["CMAKE_PREFIX_PATH"] = os.pathsep.join(places)
        if shutil.which("ninja") is None:
            # CMake looks for it there, and has no variable for it.
            variables["PATH"] = os.pathsep.join([str(self.ninja.path.parent), os.environ.get("PATH", os.defpath)])
        return variables


def require_cpp() -> Cpp:
    """A toolchain with all libraries; asks no network.

    Raises:
        MissingError: If there is none; names what is missing or too old.
    """
    cpp = require_programs()
    if missing := missing_libraries():
        raise MissingError(
            f"there is no {_listed([one.title for one in missing])} here yet", "./lab setup fetches what it can"
        )
    return cpp


def require_programs() -> Cpp:
    """As `require_cpp`, whatever libraries there are."""
    found = list(compilers())
    compiler = next((one for one in found if one.release >= MINIMUM_COMPILERS.get(one.name, (0, 0))), None)
    if compiler is None:
        seen = ", ".join(f"{one.title} in {one.path}" for one in found) or "none"
        wanted = " or ".join(f"{name} {release[0]}" for name, release in MINIMUM_COMPILERS.items())
        raise MissingError(f"no C++ compiler that is new enough, {wanted}; found {seen}", INSTALL_COMPILER)
    cmake = next((one for one in build_tools("cmake") if one.release >= MINIMUM_CMAKE), None)
    if cmake is None:
        wanted = f"CMake {MINIMUM_CMAKE[0]}.{MINIMUM_CMAKE[1]} or newer"
        raise MissingError(f"no {wanted} on this machine", "./lab setup installs it; conda: conda install cmake")
    ninja = next(build_tools("ninja"), None)
    if ninja is None:
        raise MissingError("no Ninja on this machine", "./lab setup installs it; conda: conda install ninja")
    return Cpp(compiler, cmake, ninja)


def _listed(titles: list[str]) -> str:
    return titles[0] if len(titles) == 1 else f"{', '.join(titles[:-1])} and {titles[-1]}"


_FETCH_TIMEOUT_S = 600
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")


def provide_cpp(say: Callable[[str], None] = lambda _: None) -> Cpp:
    """As `require_cpp`, after fetching the missing libraries; compiler and CMake must be installed.

    Args:
        say: Told what is being fetched.

    Raises:
        MissingError: If something is missing that cannot be fetched.
    """
    require_programs()
    if missing_libraries():
        target = own_prefix().parent
        with fetching(target.parent, "C++ libraries") as scratch:
            for library in missing_libraries():
                say(f"fetching {library.title}")
                _fetch(library, target, scratch / library.debian)
    return require_cpp()


def _fetch(library: Library, target: Path, folder: Path) -> None:
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise _unavailable(library, f"this system has no {tool}")
    folder.mkdir()
    draft = folder / "root"
    for package in _download([library.debian], library, folder):
        _run(["dpkg-deb", "--extract", str(package), str(draft)], library)
    if not (draft / "usr" / "include" / library.header).is_file():
        raise _unavailable(library, f"{library.debian} does not hold {library.header}")
    _merge(draft, target, last=draft / "usr" / "include" / library.header)


def _download(names: Sequence[str], library: Library, folder: Path) -> list[Path]:
    """The packages, and what they depend on that is called like the library: its next version, its shared objects."""
    before = set(folder.glob("*.deb"))
    _apt(["download", *names], library, folder)
    arrived = sorted(set(folder.glob("*.deb")) - before)
    stem = library.debian.removesuffix("-dev")
    further = {name for package in arrived for name in _dependencies(package, library) if name.startswith(stem)}
    known = {package.name.partition("_")[0] for package in folder.glob("*.deb")}
    return [*arrived, *(_download(sorted(further - known), library, folder) if further - known else [])]


def _dependencies(package: Path, library: Library) -> Iterable[str]:
    listed = _run(["dpkg-deb", "--field", str(package), "Depends"], library)
    return (match[0] for one in listed.split(",") if (match := _PACKAGE.match(one.strip())))


def _apt(arguments: Sequence[str], library: Library, folder: Path) -> None:
    with contextlib.suppress(MissingError):
        _run(["apt-get", "--quiet", *arguments], library, folder)
        return
    # An image often comes without the distribution's index. It can be had without rights, into a folder of one's own.
    state = folder.parent / "apt"
    options = [f"-oDir::State={state / 'state'}", f"-oDir::Cache={state / 'cache'}"]
    options.append("-oDir::State::status=/var/lib/dpkg/status")
    for needed in ("state/lists/partial", "cache/archives/partial"):
        (state / needed).mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(MissingError):  # one source of several may be broken
        _run(["apt-get", "--quiet", *options, "update"], library, folder)
    _run(["apt-get", "--quiet", *options, *arguments], library, folder)


def _run(command: Sequence[str], library: Library, folder: Path | None = None) -> str:
    return fetch(command, library.title, _FETCH_TIMEOUT_S, _instead(library), folder)


def _merge(draft: Path, target: Path, last: Path) -> None:
    """Move every file to its place; the header by which a library is found comes last, so that half a one is none."""
    files = [Path(place, name) for place, _, names in os.walk(draft) for name in names]
    for path in sorted(files, key=lambda path: path == last):
        place = target / path.relative_to(draft)
        place.parent.mkdir(parents=True, exist_ok=True)
        path.replace(place)


def _unavailable(library: Library, why: str) -> MissingError:
    return MissingError(f"{library.title} cannot be fetched: {why}", _instead(library))


def _instead(library: Library) -> str:
    conda = f"; conda: conda install {library.conda}" if library.conda else ""
    return f"Debian: apt install {library.debian}{conda}"
