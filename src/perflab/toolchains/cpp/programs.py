"""Finding the compiler, CMake and Ninja."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TIMEOUT_S = 30
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
    try:
        done = subprocess.run(
            [path, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(done.stdout)
    if done.returncode != 0 or match is None:
        return None
    return Program(path, _name(path), match[0], (int(match[1]), int(match[2])))


def _name(path: Path) -> str:
    """Without the target and the release, which `x86_64-conda-linux-gnu-c++` and `g++-12` have; `c++` is a link."""
    real = path.resolve().name
    known = {"clang": "clang++", "g++": "g++", "cmake": "cmake", "ninja": "ninja"}
    return next((name for mark, name in known.items() if mark in real), path.name)
