"""Tools that a component's manifest may require, and placeholders in its commands."""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from perflab.host.cpp import provide_cpp, require_compiler, require_cpp
from perflab.host.dotnet import provide_sdk, require_sdk
from perflab.host.jdk import find_jdk, provide_jre, require_jre
from perflab.host.processes import ask, version_line
from perflab.model.errors import MissingError, UsageError, unknown
from perflab.model.lab import user_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


class Tool(Protocol):
    """An installed compiler, runtime or build tool."""

    @property
    def title(self) -> str:
        """Its name in the doctor's output."""

    def environment(self) -> dict[str, str]:
        """Return the variables for commands that use it."""


@dataclass(frozen=True)
class _Command:
    path: str

    @property
    def title(self) -> str:
        return version_line(self.path)

    def environment(self) -> dict[str, str]:
        return {}


def _maven(_: int = 0) -> _Command:
    if path := shutil.which("mvn"):
        return _Command(path)
    raise MissingError("Maven is not on this machine", "Debian: apt install maven; conda: conda install maven")


_FIND: dict[str, Callable[[int], Tool]] = {
    "jdk": find_jdk,
    "jre": require_jre,
    "maven": _maven,
    "dotnet": lambda _: require_sdk(),
    "rust": lambda _: require_rust(),
    "cpp": lambda _: require_cpp(),
    "cxx": lambda _: require_compiler(),
    "python": lambda _: _Command(sys.executable),
}
_FETCH: dict[str, Callable[[int, Callable[[str], None]], object]] = {
    "jre": lambda release, _: provide_jre(release),
    "dotnet": lambda _, say: provide_sdk(say),
    "cpp": lambda _, say: provide_cpp(say),
}
_WRITTEN = {"jdk": "jdk>=21", "jre": "jre==21"}
_REQUIREMENT = re.compile(r"(?P<tool>[a-z]+)((?P<relation>>=|==)(?P<version>\d{1,4}))?")


def find_tool(requirement: str) -> Tool:
    """Find an installed tool that meets a requirement, such as `jdk>=21`, `jre==21` or `maven`."""
    tool, version = parse_requirement(requirement)
    return _FIND[tool](version)


def require(requirements: Iterable[str]) -> dict[str, str]:
    """Return the environment variables for commands that use these tools; of several Javas the last one counts."""
    environment: dict[str, str] = {}
    for requirement in requirements:
        environment |= find_tool(requirement).environment()
    return environment


def provide(requirements: Iterable[str], say: Callable[[str], None] = lambda _: None) -> None:
    """Fetch missing requirements that perflab can fetch: Java runtimes, a .NET SDK, C++ libraries."""
    for requirement in requirements:
        tool, version = parse_requirement(requirement)
        if tool in _FETCH:
            _FETCH[tool](version, say)


def parse_requirement(requirement: str) -> tuple[str, int]:
    """Return the tool of a requirement, and its version or 0."""
    match = _REQUIREMENT.fullmatch(requirement)
    # Only runtimes, which can be fetched, are required by exact release.
    if not match or (match["tool"] == "jre") != (match["relation"] == "=="):
        known = ", ".join(_WRITTEN.get(tool, tool) for tool in _FIND)
        raise UsageError(f"cannot read the requirement {requirement!r}", f"write it as one of: {known}")
    if match["tool"] not in _FIND:
        raise unknown("requirement", match["tool"], _FIND)
    return match["tool"], int(match["version"] or 0)


def expand(command: Sequence[str], environment: Mapping[str, str], **more: str) -> list[str]:
    """Replace `{java}`, `{dotnet}`, `{maven}`, ..., and the names in `more` with the values for this machine."""

    def place(match: re.Match[str]) -> str:
        name = match[1]
        if name in more:
            return more[name]
        if name not in _PLACES:
            raise unknown("placeholder", name, [*_PLACES, *more])
        return _PLACES[name](environment)

    return [re.sub(r"\{([a-z]+)\}", place, word) for word in command]


_PLACES: dict[str, Callable[[Mapping[str, str]], str]] = {
    "java": lambda found: _java(found.get("JAVA_HOME") or os.environ.get("JAVA_HOME")),
    "maven": lambda _: _maven().path,
    "dotnet": lambda found: f"{found.get('DOTNET_ROOT') or require_sdk().root}/dotnet",
    "cargo": lambda found: found.get("CARGO") or str(require_rust().cargo),
    "rustc": lambda found: found.get("RUSTC") or str(require_rust().rustc),
    "cmake": lambda found: found.get("CMAKE") or str(require_cpp().cmake.path),
    "cxx": lambda found: found.get("CXX") or str(require_compiler().path),
    "python": lambda _: sys.executable,
}


def _java(home: str | None) -> str:
    return f"{home}/bin/java" if home else "java"


MINIMUM = (1, 88)
"""The oldest release that builds the components."""

INSTALL = "install it with rustup (https://rustup.rs), or conda: conda install rust"

_RELEASE = re.compile(r"^release: ((\d+)\.(\d+)\.\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Rust:
    """A Rust toolchain: its programs' folder, its version (1.95.0), and its release (1, 95)."""

    bin: Path
    version: str
    release: tuple[int, int]

    @property
    def cargo(self) -> Path:
        """The build tool."""
        return self.bin / "cargo"

    @property
    def rustc(self) -> Path:
        """The compiler."""
        return self.bin / "rustc"

    @property
    def title(self) -> str:
        """Version and folder."""
        return f"Rust {self.version} in {self.bin}"

    def environment(self) -> dict[str, str]:
        """Return the variables for commands that use it."""
        # Cargo would otherwise use the compiler on the PATH, if any.
        return {"CARGO": str(self.cargo), "RUSTC": str(self.rustc)}


def toolchain_of(rustc: Path) -> tuple[Path | None, str]:
    """Return the folder of a compiler's libraries, and the name of rustup's toolchain, if it is one."""
    output = (ask([rustc, "--print", "sysroot"]) or "").strip()
    sysroot = Path(output) if output else None
    return sysroot, sysroot.name if sysroot and sysroot.parent.name == "toolchains" else ""


def require_rust(minimum: tuple[int, int] = MINIMUM, needed_for: str = "") -> Rust:
    """Find the first toolchain that is new enough: on the PATH, in conda's environment, of rustup."""
    found = [rust for folder in dict.fromkeys(_folders()) if (rust := _ask(folder)) is not None]
    for rust in found:
        if rust.release >= minimum:
            return rust
    seen = ", ".join(rust.title for rust in found) or "no cargo with a rustc beside it"
    wanted = f"no Rust {minimum[0]}.{minimum[1]} or newer" + (f" for {needed_for}" if needed_for else "")
    raise MissingError(
        f"{wanted}; found {seen}", "rustup update stable" if found and shutil.which("rustup") else INSTALL
    )


def _folders() -> Iterator[Path]:
    if cargo := shutil.which("cargo"):
        # Unresolved: rustup's `cargo` is a link to a program that checks its own name.
        yield Path(cargo).parent
    if conda := os.environ.get("CONDA_PREFIX"):
        yield Path(conda) / "bin"
    yield Path(os.environ.get("CARGO_HOME") or user_home() / ".cargo") / "bin"


@cache
def _ask(folder: Path) -> Rust | None:
    if not (folder / "cargo").is_file() or not (folder / "rustc").is_file():
        return None
    # rustup without a default toolchain fails here.
    match = _RELEASE.search(ask([folder / "rustc", "-vV"]) or "")
    return Rust(folder, match[1], (int(match[2]), int(match[3]))) if match else None
