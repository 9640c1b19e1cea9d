"""The C++ toolchain as a whole."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass

from perflab.errors import MissingError
from perflab.toolchains.cpp import libraries
from perflab.toolchains.cpp.programs import Program, build_tools, compilers

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
        system = set(libraries.SYSTEM_PREFIXES)
        places = [str(place) for place in libraries.prefixes() if place not in system and place.is_dir()]
        variables = {
            "CXX": str(self.compiler.path),
            "CMAKE": str(self.cmake.path),
            "CMAKE_GENERATOR": "Ninja",
        }
        if places:
            variables["CMAKE_PREFIX_PATH"] = os.pathsep.join(places)
        if shutil.which("ninja") is None:
            # CMake looks for it there, and has no variable for it.
            variables["PATH"] = os.pathsep.join([str(self.ninja.path.parent), os.environ.get("PATH", os.defpath)])
        return variables


def find_cpp() -> Cpp | None:
    """A toolchain with all libraries, if there is one; asks no network."""
    try:
        return require_cpp()
    except MissingError:
        return None


def require_cpp() -> Cpp:
    """As `find_cpp`.

    Raises:
        MissingError: If there is none; names what is missing or too old.
    """
    cpp = require_programs()
    if missing := libraries.missing_libraries():
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
