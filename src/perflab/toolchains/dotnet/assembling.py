"""Assembling an SDK from its two packages."""

from __future__ import annotations

import platform
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from perflab.errors import MissingError
from perflab.toolchains.dotnet import sdk as sdks
from perflab.toolchains.dotnet.fetching import fetch
from perflab.toolchains.dotnet.lock import read_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from perflab.toolchains.dotnet.sdk import Sdk

# Of the SDK: the compiler, the build tools, all reference assemblies (MSBuild asks NuGet for a pack that is not here,
# even if nothing uses it), and its licences. Its own runtime stays out: it needs an OpenSSL that Linux no longer has.
_OF_THE_SDK = (
    "sdk/",
    "packs/",
    "LICENSE.txt",
    "ThirdPartyNotices.txt",
)
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
    found = sdks.find_sdk()
    if found is not None:
        return found
    _check_platform()
    target = sdks.fetched_folder()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # Whoever waits here finds it fetched; the last step is a rename, so nobody sees half of it.
        with FileLock(target.parent / "fetching.lock"):
            if sdks.fetched_sdk() is None:
                _assemble(target, say)
    except OSError as error:
        raise MissingError(
            f"cannot keep a .NET SDK: {error}", f"make room in {target.parent}, or make it writable"
        ) from None
    return sdks.require_sdk()


def _check_platform() -> None:
    here = f"{sys.platform}-{platform.machine()}"
    if here != read_lock().platform:
        raise MissingError(
            f"the lab can fetch a .NET SDK for {read_lock().platform} only, and this is {here}",
            f"install a .NET SDK {sdks.MINIMUM} or newer (conda: conda install dotnet-sdk)",
        )


def _assemble(target: Path, say: Callable[[str], None]) -> None:
    lock = read_lock()
    downloads = target.parent / "downloads"
    downloads.mkdir(exist_ok=True)
    archives = []
    for package in (lock.sdk, lock.runtime):
        say(f"fetching {package.title} ({package.bytes / 1e6:.0f} MB)")
        archives.append(fetch(package, downloads))
    say("unpacking the .NET SDK")
    with tempfile.TemporaryDirectory(prefix=".assemble-", dir=target.parent) as scratch:
        draft = Path(scratch, target.name)
        _unpack_sdk(archives[0], draft)
        _unpack_runtime(archives[1], draft)
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
