"""Building what C# notebooks need: the C# half of the lab's own kernel, and the labkit, which either kernel loads."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from perflab.paths import LAB_DIR, ROOT
from perflab.toolchains import build_lock, run_build

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from perflab.toolchains import Sdk

_FOLDER = ROOT / "kernels" / "dotnet"
_PROJECTS = {
    _FOLDER / "roslyn-kernel": _FOLDER / "roslyn-kernel" / "target" / "roslyn-kernel.dll",
    _FOLDER / "labkit" / "Lab" / "src": _FOLDER / "labkit" / "Lab" / "target" / "Perflab.Lab.dll",
}
HOST = _PROJECTS[_FOLDER / "roslyn-kernel"]

_STAMP = LAB_DIR / "builds" / "csharp-kernel.built"


def is_built(sdk: Sdk) -> bool:
    """Whether both are there, from the present sources, by this SDK."""
    return (
        all(product.is_file() for product in _PROJECTS.values())
        and _STAMP.is_file()
        and _STAMP.read_text() == _fingerprint(sdk)
    )


def build(sdk: Sdk) -> None:
    """Build both, unless they are built.

    Raises:
        BenchError: If one does not build; the message ends with the last lines of the log.
    """
    with build_lock(_STAMP):
        if is_built(sdk):
            return
        sources = _fingerprint(sdk)
        # Until all are built nothing is: an older stamp may fit sources that have been put back.
        _STAMP.unlink(missing_ok=True)
        for project in _PROJECTS:
            _build(sdk, project)
        _STAMP.write_text(sources)


def _build(sdk: Sdk, project: Path) -> None:
    command: list[str | Path] = [
        sdk.dotnet,
        "build",
        "--configuration",
        "Release",
        "-nologo",
        "-verbosity:quiet",
        str(project),
    ]
    environment = {**os.environ, **sdk.environment()}
    run_build(command, str(project.relative_to(ROOT)), _STAMP.with_suffix(".log"), environment)


def _fingerprint(sdk: Sdk) -> str:
    digest = hashlib.sha256(repr((str(sdk.root), sdk.version)).encode())
    for path in sorted(_sources()):
        digest.update(str(path.relative_to(ROOT)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    yield _FOLDER / "Perflab.props"
    for project in _PROJECTS:
        yield from project.glob("*.csproj")
        # What MSBuild itself writes there changes with each build.
        yield from (path for path in project.rglob("*.cs") if "obj" not in path.parts)
