"""Fetching a package by its registry's ordinary client, as the user has set that up, and comparing its hash."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.errors import MissingError
from perflab.toolchains.processes import run_fetch

if TYPE_CHECKING:
    from perflab.toolchains.dotnet.lock import Package

_TIMEOUT_S = 1200
_INSTEAD = "or install a .NET SDK 8 or newer (conda: conda install dotnet-sdk)"


def fetch(package: Package, folder: Path) -> Path:
    """Put the package's archive, whole and compared with its hash, into a folder; one that is there already stays.

    Raises:
        MissingError: If it cannot be fetched, or is not what the lab knows by its hash.
        OSError: If it cannot be kept.
    """
    archive = folder / f"{package.package}-{package.version}.{_ENDINGS[package.registry]}"
    if archive.is_file():
        if _is_intact(package, archive):
            return archive
        archive.unlink()
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as scratch:
        _run(package, _CLIENTS[package.registry](package, Path(scratch)), Path(scratch))
        fetched = [path for path in Path(scratch).iterdir() if path.suffix in {".tgz", ".whl"}]
        if len(fetched) != 1 or not _is_intact(package, fetched[0]):
            raise MissingError(
                f"what came as {package.title} is not what the lab knows by its hash, and was not unpacked",
                f"fetch it again from another network, {_INSTEAD}",
            )
        return fetched[0].rename(archive)


def _is_intact(package: Package, archive: Path) -> bool:
    if archive.stat().st_size != package.bytes:
        return False
    with archive.open("rb") as file:
        return hashlib.file_digest(file, "sha512").hexdigest() == package.sha512


def _npm(package: Package, folder: Path) -> list[str]:
    npm = shutil.which("npm")
    if npm is None:
        raise MissingError(
            f"{package.title} cannot be fetched: npm is not on this machine",
            f"Debian: apt install npm; conda: conda install nodejs; {_INSTEAD}",
        )
    spec = f"{package.package}@{package.version}"
    return [npm, "pack", spec, "--silent", "--ignore-scripts", "--pack-destination", str(folder)]


def _pip(package: Package, folder: Path) -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        pip = [sys.executable, "-m", "pip"]
    elif uv := shutil.which("uv"):
        # It cannot download a wheel without unpacking it, but run a pip that can.
        pip = [uv, "tool", "run", "--quiet", "pip"]
    else:
        raise MissingError(
            f"{package.title} cannot be fetched: there is neither pip nor uv",
            f"Debian: apt install python3-pip; {_INSTEAD}",
        )
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--retries=1"]
    return [*pip, "download", *options, "--dest", str(folder), f"{package.package}=={package.version}"]


_CLIENTS = {"npm": _npm, "pypi": _pip}
_ENDINGS = {"npm": "tgz", "pypi": "whl"}


def _run(package: Package, command: list[str], folder: Path) -> None:
    done = run_fetch(command, package.title, _TIMEOUT_S, folder)
    if done.returncode != 0:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        reason = next((line for line in reversed(lines) if "error" in line.lower()), lines[-1] if lines else "?")
        raise MissingError(
            f"{package.title} cannot be fetched: {reason}", f"it takes the network once; try again, {_INSTEAD}"
        )
