"""What a component's manifest may ask for (`requires`), and the placeholders of its commands."""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from perflab.host.cpp import provide_cpp, require_cpp
from perflab.host.dotnet import provide_sdk, require_sdk
from perflab.host.jdk import find_jdk, provide_jre, require_jre
from perflab.host.processes import version_line
from perflab.host.rust import require_rust
from perflab.model.errors import MissingError, UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


class Tool(Protocol):
    """A compiler, a runtime or a build tool that is on this machine."""

    @property
    def title(self) -> str:
        """As the doctor names it."""

    def environment(self) -> dict[str, str]:
        """Variables for commands that use it."""


@dataclass(frozen=True)
class _VersionCommand:
    path: str

    @property
    def title(self) -> str:
        return version_line(self.path)

    def environment(self) -> dict[str, str]:
        return {}


_COMMANDS = {
    "maven": ("mvn", "Debian: apt install maven; conda: conda install maven"),
    "cmake": ("cmake", "Debian: apt install cmake; conda: conda install cmake"),
    "cxx": ("c++", "Debian: apt install g++; conda: conda install cxx-compiler"),
}


def _command(tool: str, _: int = 0) -> _VersionCommand:
    name, fix = _COMMANDS[tool]
    path = shutil.which(name)
    if path is None:
        raise MissingError(f"{tool} is not on this machine (no {name!r} on the PATH)", fix)
    return _VersionCommand(path)


_FIND: dict[str, Callable[[int], Tool]] = {
    "jdk": find_jdk,
    "jre": require_jre,
    "dotnet": lambda _: require_sdk(),
    "rust": lambda _: require_rust(),
    "cpp": lambda _: require_cpp(),
    "python": lambda _: _VersionCommand(sys.executable),
    **{tool: partial(_command, tool) for tool in _COMMANDS},
}
_FETCH: dict[str, Callable[[int, Callable[[str], None]], object]] = {
    "jre": lambda release, _: provide_jre(release),
    "dotnet": lambda _, say: provide_sdk(say),
    "cpp": lambda _, say: provide_cpp(say),
}
_EXACT = "jre"
_WRITTEN = {"jdk": "jdk>=21", _EXACT: f"{_EXACT}==21"}
_REQUIREMENT = re.compile(r"(?P<tool>[a-z]+)((?P<relation>>=|==)(?P<version>\d{1,4}))?")


def find_tool(requirement: str) -> Tool:
    """The tool on this machine that meets a requirement, such as `jdk>=21`, `jre==21` or `maven`.

    Raises:
        MissingError: If there is none.
        UsageError: If the requirement is unknown.
    """
    tool, version = parse_requirement(requirement)
    return _FIND[tool](version)


def require(requirements: Iterable[str]) -> dict[str, str]:
    """The environment variables for commands that use these tools; if two name a Java, the last one takes effect.

    Raises:
        MissingError: If a tool is not on this machine.
        UsageError: If a requirement is unknown.
    """
    environment: dict[str, str] = {}
    for requirement in requirements:
        environment |= find_tool(requirement).environment()
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
        tool, version = parse_requirement(requirement)
        if tool in _FETCH:
            _FETCH[tool](version, say)


def parse_requirement(requirement: str) -> tuple[str, int]:
    """The tool of a requirement, and its version or 0.

    Raises:
        UsageError: If the requirement is unknown.
    """
    match = _REQUIREMENT.fullmatch(requirement)
    # One exact release is asked of a runtime, which can be fetched, and of nothing else.
    if not match or (match["tool"] == _EXACT) != (match["relation"] == "=="):
        known = ", ".join(_WRITTEN.get(tool, tool) for tool in _FIND)
        raise UsageError(f"cannot read the requirement {requirement!r}", f"write it as one of: {known}")
    if match["tool"] not in _FIND:
        raise unknown("requirement", match["tool"], _FIND)
    return match["tool"], int(match["version"] or 0)


def expand(command: Sequence[str], environment: Mapping[str, str], **more: str) -> list[str]:
    """Put what was found on this machine in place of `{java}`, `{dotnet}`, `{maven}`, ..., and of what is in `more`.

    Raises:
        MissingError: If a program that the command names is not here.
        UsageError: If a placeholder is unknown.
    """
    return [_PLACEHOLDER.sub(lambda match: _place(match[1], environment, more), word) for word in command]


_PLACEHOLDER = re.compile(r"\{([a-z]+)\}")
_PLACES: dict[str, Callable[[Mapping[str, str]], str]] = {
    "java": lambda found: _java(found.get("JAVA_HOME") or os.environ.get("JAVA_HOME")),
    "dotnet": lambda found: f"{found.get('DOTNET_ROOT') or require_sdk().root}/dotnet",
    "cargo": lambda found: found.get("CARGO") or str(require_rust().cargo),
    "rustc": lambda found: found.get("RUSTC") or str(require_rust().rustc),
    "python": lambda _: sys.executable,
}


def _java(home: str | None) -> str:
    return f"{home}/bin/java" if home else "java"


def _place(name: str, environment: Mapping[str, str], more: Mapping[str, str]) -> str:
    if name in more:
        return more[name]
    if name in _PLACES:
        return _PLACES[name](environment)
    if name in _COMMANDS:
        # What `cpp` requires goes beyond what is on the PATH.
        return environment.get(name.upper()) or _command(name).path
    raise unknown("placeholder", name, [*_PLACES, *_COMMANDS, *more])
