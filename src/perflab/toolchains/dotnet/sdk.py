"""Finding a .NET SDK."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.errors import MissingError
from perflab.paths import CACHE_DIR
from perflab.toolchains.dotnet.lock import read_lock

if TYPE_CHECKING:
    from collections.abc import Iterator

MINIMUM = 8
"""The least major version of an installed SDK; older ones have no runtime that a component has been tried on."""

SDKS_DIR = CACHE_DIR / "dotnet"

_SYSTEM_FOLDERS = (
    Path("/usr/lib/dotnet"),
    Path("/usr/share/dotnet"),
    Path("/usr/local/share/dotnet"),
    Path("/opt/dotnet"),
    Path.home() / ".dotnet",
)
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(-.*)?")


@dataclass(frozen=True)
class Sdk:
    """A .NET SDK.

    Attributes:
        root: The folder of its `dotnet`, for DOTNET_ROOT.
        version: The SDK's, such as 8.0.404.
        runtime: That of the newest runtime beside it, which programs run on.
        fetched: Whether the lab has assembled it itself.
    """

    root: Path
    version: str
    runtime: str
    fetched: bool = False

    @property
    def dotnet(self) -> Path:
        """The launcher."""
        return self.root / "dotnet"

    @property
    def compiler(self) -> Path:
        """The folder of its C# compiler's assemblies."""
        return self.root / "sdk" / self.version / "Roslyn" / "bincore"

    @property
    def title(self) -> str:
        """As the doctor names it."""
        whose = "fetched by the lab" if self.fetched else f"in {self.root}"
        return f"SDK {self.version} on .NET {self.runtime}, {whose}"

    def environment(self) -> dict[str, str]:
        """Variables for commands that use it."""
        variables = {
            "DOTNET_ROOT": str(self.root),
            "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
            "DOTNET_NOLOGO": "1",
            "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
            "DOTNET_GENERATE_ASPNET_CERTIFICATE": "false",
            "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",
            # Its own settings and those of NuGet would go to the home folder.
            "DOTNET_CLI_HOME": str(SDKS_DIR / "home"),
            # Build servers that stay behind would take their share of the machine in the next measurement.
            "MSBUILDDISABLENODEREUSE": "1",
            "UseSharedCompilation": "false",
        }
        if self.fetched:
            # The SDK's own programs are for .NET Core 3.1 and run on the later runtime.
            variables["DOTNET_ROLL_FORWARD"] = "LatestMajor"
        return variables


def find_sdks() -> list[Sdk]:
    """All SDKs on this machine that will do: that of DOTNET_ROOT first, the lab's own last."""
    found: dict[Path, Sdk] = {}
    for root in _roots():
        if (sdk := _installed(root)) is not None:
            found.setdefault(root.resolve(), sdk)
    own = fetched_sdk()
    return [*found.values(), *([own] if own else [])]


def find_sdk() -> Sdk | None:
    """The first of `find_sdks`; asks no network."""
    return next(iter(find_sdks()), None)


def require_sdk() -> Sdk:
    """As `find_sdk`.

    Raises:
        MissingError: If there is none.
    """
    sdk = find_sdk()
    if sdk is None:
        raise MissingError(
            f"there is no .NET SDK {MINIMUM} or newer on this machine",
            "./lab setup fetches one; or install one (conda: conda install dotnet-sdk)",
        )
    return sdk


def fetched_folder() -> Path:
    """Where the lab's own SDK is, or would be: named by what it is made of, so that another lock is another folder."""
    lock = read_lock()
    return SDKS_DIR / f"sdk-{lock.sdk.version}-runtime-{lock.runtime.version}"


def fetched_sdk() -> Sdk | None:
    """The SDK that the lab has assembled, if it has."""
    lock, folder = read_lock(), fetched_folder()
    if not (folder / "dotnet").is_file():
        return None
    return Sdk(folder, lock.sdk.carries, lock.runtime.carries, fetched=True)


def _roots() -> Iterator[Path]:
    if root := os.environ.get("DOTNET_ROOT"):
        yield Path(root)
    if dotnet := shutil.which("dotnet"):
        yield Path(dotnet).resolve().parent
    if conda := os.environ.get("CONDA_PREFIX"):
        yield Path(conda) / "lib" / "dotnet"
    yield from _SYSTEM_FOLDERS


def _installed(root: Path) -> Sdk | None:
    # `dotnet` takes the newest SDK in its folder; asking it costs a process.
    sdks = _versions(root / "sdk", "dotnet.dll")
    runtimes = _versions(root / "shared" / "Microsoft.NETCore.App", "System.Private.CoreLib.dll")
    if not (root / "dotnet").is_file() or not sdks or not runtimes or _key(sdks[-1])[0] < MINIMUM:
        return None
    return Sdk(root, sdks[-1], runtimes[-1])


def _versions(folder: Path, marker: str) -> list[str]:
    names = [path.parent.name for path in folder.glob(f"*/{marker}")]
    return sorted((name for name in names if _VERSION.fullmatch(name)), key=_key)


def _key(version: str) -> tuple[int, int, int, bool]:
    match = _VERSION.fullmatch(version)
    if match is None:
        return (0, 0, 0, False)
    return (int(match[1]), int(match[2]), int(match[3]), match[4] is None)
