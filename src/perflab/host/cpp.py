"""C++: a compiler, CMake, Ninja and the components' libraries, which Debian packages."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from perflab.host.fetch import fetch
from perflab.host.processes import ask
from perflab.model.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


MINIMUM_COMPILERS = {"g++": (12, 0), "clang++": (16, 0)}
"""The oldest releases with what the components use of C++20."""

MINIMUM_CMAKE = (3, 25)
"""The first with workflow presets."""

SYSTEM_PREFIXES = (Path("/usr/local"), Path("/usr"))


class Library(NamedTuple):
    """A library: the header that identifies it, and its packages; `conda` is empty if there is none."""

    title: str
    header: str
    debian: str
    conda: str


LIBRARIES = (
    Library("JSON for Modern C++", "nlohmann/json.hpp", "nlohmann-json3-dev", "nlohmann_json"),
    Library("GoogleTest", "gtest/gtest.h", "libgtest-dev", "gtest"),
    Library("Google Benchmark", "benchmark/benchmark.h", "libbenchmark-dev", "benchmark"),
    # For the sequencer topic's comparison.
    Library("Abseil", "absl/synchronization/mutex.h", "libabsl-dev", ""),
    Library("Boost's headers", "boost/lockfree/queue.hpp", "libboost-dev", "libboost-headers"),
    Library("moodycamel's ConcurrentQueue", "concurrentqueue/concurrentqueue.h", "libconcurrentqueue-dev", ""),
    Library("atomic_queue", "atomic_queue/atomic_queue.h", "libatomic-queue-dev", ""),
)
"""The libraries that components need."""


def _prefixes() -> Iterator[Path]:
    yield from map(Path, filter(None, os.environ.get("CMAKE_PREFIX_PATH", "").split(os.pathsep)))
    if conda := os.environ.get("CONDA_PREFIX"):
        yield Path(conda)
    yield from SYSTEM_PREFIXES


def _missing_libraries() -> list[Library]:
    prefixes = list(_prefixes())
    return [one for one in LIBRARIES if not any((prefix / "include" / one.header).is_file() for prefix in prefixes)]


@dataclass(frozen=True)
class Program:
    """A compiler or build tool: its path, its usual name (`g++`, `clang++`, `cmake`), and its version."""

    path: Path
    name: str
    version: str

    @property
    def release(self) -> tuple[int, int]:
        """The first two numbers of the version."""
        major, minor, *_ = self.version.split(".")
        return int(major), int(minor)

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}"

    def environment(self) -> dict[str, str]:
        """Return the variables for commands that use a compiler."""
        return {"CXX": str(self.path)}


def compilers() -> Iterator[Program]:
    """Find C++ compilers: CXX first, then the PATH."""
    names = ["c++", "g++", *(f"g++-{release}" for release in range(16, 11, -1)), "clang++"]
    # conda-forge names compilers after their target, and its activation sets CXX.
    paths = map(shutil.which, filter(None, [os.environ.get("CXX"), *names]))
    return _programs(paths, ("-dumpfullversion", "-dumpversion"))


def _build_tool(name: str, minimum: tuple[int, int], fix: str) -> Program:
    """Find CMake or Ninja on the PATH, else beside this Python (from PyPI)."""
    paths = [shutil.which(name), shutil.which(name, path=str(Path(sys.executable).parent))]
    for program in _programs(paths, ("--version",)):
        if program.release >= minimum:
            return program
    wanted = f"{name} {minimum[0]}.{minimum[1]} or newer" if any(minimum) else name
    raise MissingError(f"no {wanted} on this machine", fix)


def _programs(paths: Iterable[str | None], options: tuple[str, ...]) -> Iterator[Program]:
    distinct: dict[Path, Path] = {}
    for path in map(Path, filter(None, paths)):
        distinct.setdefault(path.resolve(), path)
    for path in distinct.values():
        if (program := _ask(path, options)) is not None:
            yield program


@cache
def _ask(path: Path, options: tuple[str, ...]) -> Program | None:
    version = re.search(r"\d+\.\d+(\.\d+)?", ask([path, *options]) or "")
    real = path.resolve().name  # `c++` is a link; names may include a target and a release
    name = next((name for name in ("clang", "g++", "cmake", "ninja") if name in real), path.name)
    return Program(path, "clang++" if name == "clang" else name, version[0]) if version else None


@dataclass(frozen=True)
class Cpp:
    """A toolchain: its compiler, CMake and Ninja."""

    compiler: Program
    cmake: Program
    ninja: Program

    @property
    def title(self) -> str:
        """The versions."""
        return f"{self.compiler.title}, CMake {self.cmake.version}, Ninja {self.ninja.version}"

    def environment(self) -> dict[str, str]:
        """Return the variables for commands that use it."""
        prefixes = [str(prefix) for prefix in _prefixes() if prefix not in SYSTEM_PREFIXES and prefix.is_dir()]
        variables = {"CXX": str(self.compiler.path), "CMAKE": str(self.cmake.path), "CMAKE_GENERATOR": "Ninja"}
        if prefixes:
            variables["CMAKE_PREFIX_PATH"] = os.pathsep.join(prefixes)
        if shutil.which("ninja") is None:
            # CMake finds Ninja only on the PATH.
            variables["PATH"] = os.pathsep.join([str(self.ninja.path.parent), os.environ.get("PATH", os.defpath)])
        return variables


def require_cpp() -> Cpp:
    """Find a toolchain with all libraries."""
    cpp = _require_programs()
    if missing := _missing_libraries():
        raise MissingError(f"no {', '.join(one.title for one in missing)} on this machine", _install(missing))
    return cpp


def require_compiler() -> Program:
    """Find a compiler that is new enough."""
    found = list(compilers())
    for compiler in found:
        if compiler.release >= MINIMUM_COMPILERS.get(compiler.name, (0, 0)):
            return compiler
    seen = ", ".join(f"{one.title} in {one.path}" for one in found) or "none"
    wanted = " or ".join(f"{name} {release[0]}" for name, release in MINIMUM_COMPILERS.items())
    raise MissingError(
        f"no C++ compiler that is new enough, {wanted}; found {seen}",
        "Debian: apt install g++; conda: conda install cxx-compiler",
    )


def _require_programs() -> Cpp:
    compiler = require_compiler()
    cmake = _build_tool("cmake", MINIMUM_CMAKE, "pip install cmake; conda: conda install cmake")
    ninja = _build_tool("ninja", (0, 0), "pip install ninja; conda: conda install ninja")
    return Cpp(compiler, cmake, ninja)


def _install(libraries: list[Library]) -> str:
    debian = f"Debian: apt install {' '.join(one.debian for one in libraries)}"
    conda = " ".join(one.conda for one in libraries if one.conda)
    return f"{debian}; conda: conda install {conda}" if conda else debian


_INSTALL_S = 600


def provide_cpp(say: Callable[[str], None] = lambda _: None) -> Cpp:
    """Find a toolchain like `require_cpp`; as root, install missing libraries from Debian's packages."""
    _require_programs()
    missing, apt = _missing_libraries(), shutil.which("apt-get")
    if missing and apt and os.geteuid() == 0:
        packages = [one.debian for one in missing]
        say(f"installing {', '.join(packages)}")
        with contextlib.suppress(MissingError):  # one of several package sources may be broken
            fetch([apt, "-qq", "update"], "Debian's list of packages", _INSTALL_S, _install(missing))
        install = ["env", "DEBIAN_FRONTEND=noninteractive", apt, "-qq", "-y", "--no-install-recommends", "install"]
        fetch([*install, *packages], ", ".join(packages), _INSTALL_S, _install(missing))
    return require_cpp()
