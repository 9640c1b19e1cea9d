"""What a component's manifest may ask for (`requires`), and the placeholders of its commands."""

from __future__ import annotations

import os
import re
import shutil
import sys
from typing import TYPE_CHECKING

from perflab.machine.cpp import provide_cpp, require_cpp
from perflab.machine.dotnet import provide_sdk, require_sdk
from perflab.machine.jdk import find_jdk, find_jre, provide_jre
from perflab.machine.rust import require_rust
from perflab.model.errors import MissingError, UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


_PROGRAMS = {
    "maven": ("mvn", "Debian: apt install maven; conda: conda install maven"),
    "cmake": ("cmake", "Debian: apt install cmake; conda: conda install cmake"),
    "cxx": ("c++", "Debian: apt install g++; conda: conda install cxx-compiler"),
}
_REQUIREMENT = re.compile(r"(?P<tool>[a-z]+)((?P<relation>>=|==)(?P<version>\d+))?")
_EXACT = "jre"
_DOTNET = "dotnet"
_RUST = "rust"
_CARGO = "cargo"
_CPP = "cpp"
_KNOWN = ", ".join(["jdk>=21", f"{_EXACT}==21", _DOTNET, _RUST, _CPP, "python", *_PROGRAMS])


def require(requirements: Iterable[str]) -> dict[str, str]:
    """Find the required tools, and return environment variables for the commands that use them.

    Args:
        requirements: Tools, a JDK with its minimum feature release, or a Java runtime with its exact one, as in
            `["jdk>=21", "maven", "jre==21"]`. If two name a Java, the last one takes effect.

    Raises:
        MissingError: If a tool is not on this machine.
        UsageError: If a requirement is unknown.
    """
    environment: dict[str, str] = {}
    for requirement in requirements:
        tool, version = _parse(requirement)
        if tool == "jdk":
            environment["JAVA_HOME"] = str(find_jdk(version).home)
        elif tool == _EXACT:
            if (java := find_jre(version)) is None:
                raise MissingError(f"there is no Java {version} runtime here yet", "./lab setup fetches it")
            environment["JAVA_HOME"] = str(java.home)
        elif tool == _DOTNET:
            environment |= require_sdk().environment()
        elif tool == _RUST:
            environment |= require_rust().environment()
        elif tool == _CPP:
            environment |= require_cpp().environment()
        elif tool == "python":
            continue
        elif tool in _PROGRAMS:
            _program(tool)
        else:
            raise unknown("requirement", tool, ["jdk", _EXACT, _DOTNET, _RUST, _CPP, "python", *_PROGRAMS])
    return environment


def provide(requirements: Iterable[str], say: Callable[[str], None] = lambda _: None) -> None:
    """Fetch missing requirements that the lab can fetch: Java runtimes, a .NET SDK, C++ libraries.

    Args:
        requirements: As for `require`.
        say: Receives progress messages.

    Raises:
        MissingError: If one cannot be fetched.
        UsageError: If a requirement is unknown.
    """
    for requirement in requirements:
        tool, version = _parse(requirement)
        if tool == _EXACT:
            provide_jre(version)
        elif tool == _DOTNET:
            provide_sdk(say)
        elif tool == _CPP:
            provide_cpp(say)


def _parse(requirement: str) -> tuple[str, int]:
    match = _REQUIREMENT.fullmatch(requirement)
    # One exact release is asked of a runtime, which can be fetched, and of nothing else.
    if not match or (match["tool"] == _EXACT) != (match["relation"] == "=="):
        raise UsageError(f"cannot read the requirement {requirement!r}", f"write it as one of: {_KNOWN}")
    return match["tool"], int(match["version"] or 0)


def expand(command: Sequence[str], environment: Mapping[str, str], **more: str) -> list[str]:
    """Put what was found on this machine in place of `{java}`, `{dotnet}`, `{maven}`, ..., and of what is in `more`.

    Raises:
        MissingError: If a program that the command names is not here.
        UsageError: If a placeholder is unknown.
    """
    return [_PLACEHOLDER.sub(lambda match: _place(match[1], environment, more), word) for word in command]


_PLACEHOLDER = re.compile(r"\{([a-z]+)\}")


def _place(name: str, environment: Mapping[str, str], more: Mapping[str, str]) -> str:
    if name in more:
        return more[name]
    if name == "python":
        return sys.executable
    if name == "java":
        home = environment.get("JAVA_HOME") or os.environ.get("JAVA_HOME")
        return f"{home}/bin/java" if home else "java"
    if name == _DOTNET:
        root = environment.get("DOTNET_ROOT")
        return f"{root}/dotnet" if root else str(require_sdk().dotnet)
    if name == _CARGO:
        return environment.get("CARGO") or str(require_rust().cargo)
    if name in _PROGRAMS:
        # What `cpp` requires goes beyond what is on the PATH.
        return environment.get(name.upper()) or _program(name)
    raise unknown("placeholder", name, ["java", _DOTNET, _CARGO, "python", *_PROGRAMS, *more])


def _program(tool: str) -> str:
    name, fix = _PROGRAMS[tool]
    path = shutil.which(name)
    if path is None:
        raise MissingError(f"{tool} is not on this machine (no {name!r} on the PATH)", fix)
    return path
