"""Which libraries C++ components need, and where they are."""

from __future__ import annotations

import os
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from perflab.paths import CACHE_DIR

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLE = Path(__file__).with_name("libraries.toml")

PREFIXES_DIR = CACHE_DIR / "cpp"
"""Where the lab unpacks packages, one prefix per release of the distribution: the next one has other libraries."""

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
    """Where the lab's own are, or would be."""
    return PREFIXES_DIR / _release() / "usr"


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
