"""Finding a JDK: the machine's default `java` may be older than what a component needs."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Iterator

_JVM_FOLDERS = (Path("/usr/lib/jvm"), Path("/usr/java"), Path("/opt/java"), Path.home() / ".sdkman/candidates/java")


@dataclass(frozen=True)
class Jdk:
    """A Java development kit, or a runtime alone: its folder, its feature release (21, 25), and its full version."""

    home: Path
    version: int
    full: str

    @property
    def java(self) -> Path:
        """The launcher."""
        return self.home / "bin" / "java"


@cache
def find_jdks() -> tuple[Jdk, ...]:
    """All JDKs on this machine: that of JAVA_HOME first, then that of the PATH, then the system's, newest first."""
    found: dict[Path, Jdk] = {}
    for home in _homes():
        jdk = _read(home)
        if jdk is not None:
            found.setdefault(home.resolve(), jdk)
    return tuple(found.values())


def find_jdk(minimum: int) -> Jdk:
    """The first JDK of `find_jdks` of at least this feature release.

    Raises:
        MissingError: If there is none.
    """
    jdks = find_jdks()
    for jdk in jdks:
        if jdk.version >= minimum:
            return jdk
    seen = ", ".join(f"{jdk.full} in {jdk.home}" for jdk in jdks) or "no JDK at all"
    raise MissingError(
        f"no JDK {minimum} or newer; found {seen}",
        f"install one (Debian: apt install openjdk-{minimum}-jdk; conda: openjdk>={minimum}) or set JAVA_HOME",
    )


def _homes() -> Iterator[Path]:
    if java_home := os.environ.get("JAVA_HOME"):
        yield Path(java_home)
    if javac := shutil.which("javac"):
        yield Path(javac).resolve().parents[1]
    conda = os.environ.get("CONDA_PREFIX")
    if conda:
        yield Path(conda) / "lib" / "jvm"
    inner = [home for folder in _JVM_FOLDERS if folder.is_dir() for home in folder.iterdir()]
    yield from sorted(inner, key=lambda home: -(jdk.version if (jdk := _read(home)) else 0))


@cache
def _read(home: Path) -> Jdk | None:
    return java_at(home) if (home / "bin" / "javac").is_file() else None


def java_at(home: Path) -> Jdk | None:
    """The Java in this folder, with a compiler or without, if there is one."""
    # Its `release` file names its version, which is cheaper than starting a JVM to ask.
    release = home / "release"
    if not (home / "bin" / "java").is_file() or not release.is_file():
        return None
    match = re.search(r'^JAVA_VERSION="((?:1\.)?(\d+)[^"]*)"', release.read_text(errors="replace"), re.MULTILINE)
    return Jdk(home, int(match[2]), match[1]) if match else None
