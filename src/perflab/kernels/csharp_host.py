"""Building the C# half of the lab's own C# kernel."""

from __future__ import annotations

import hashlib
import os
import subprocess
from typing import TYPE_CHECKING

from perflab.errors import BenchError
from perflab.paths import LAB_DIR, ROOT

if TYPE_CHECKING:
    from perflab.toolchains import Sdk

PROJECT = ROOT / "kernels" / "dotnet" / "roslyn-kernel"
HOST = PROJECT / "target" / "roslyn-kernel.dll"

_PROPS = PROJECT.parent / "Perflab.props"
_STAMP = LAB_DIR / "builds" / "roslyn-kernel.built"
_LOG_LINES_SHOWN = 30


def is_built(sdk: Sdk) -> bool:
    """Whether it is there, from the present sources, by this SDK."""
    return HOST.is_file() and _STAMP.is_file() and _STAMP.read_text() == _fingerprint(sdk)


def build(sdk: Sdk) -> None:
    """Build it, unless it is built.

    Raises:
        BenchError: If it does not build; the message ends with the last lines of the log.
    """
    if is_built(sdk):
        return
    log = _STAMP.with_suffix(".log")
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        status = subprocess.run(
            [sdk.dotnet, "build", "--configuration", "Release", "-nologo", "-verbosity:quiet", str(PROJECT)],
            env={**os.environ, **sdk.environment()},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode
    if status != 0:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-_LOG_LINES_SHOWN:])
        raise BenchError(f"the build of the C# kernel failed with status {status}:\n{tail}", f"whole log: {log}")
    _STAMP.write_text(_fingerprint(sdk))


def _fingerprint(sdk: Sdk) -> str:
    digest = hashlib.sha256(repr((str(sdk.root), sdk.version)).encode())
    for path in sorted([_PROPS, *PROJECT.glob("*.csproj"), *(PROJECT / "src").rglob("*.cs")]):
        digest.update(str(path.relative_to(ROOT)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
