"""Packages like the two that a .NET SDK is assembled from, and an `npm` that knows one of them."""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

NPM = """#!/bin/sh
echo asked >> "{log}"
while [ "$1" != --pack-destination ]; do shift; done
cp "{package}" "$2/dotnet-sdk-toy-1.0.0.tgz"
"""
LOCK = """
platform = "{platform}"
[sdk]
package = "dotnet-sdk-toy"
version = "1.0.0"
carries = "3.1.102"
megabytes = 1
sha512 = "{sdk_sha512}"
[runtime]
package = "toy-net-runtime"
version = "1.0.0"
carries = "8.0.4"
megabytes = 1
sha512 = "{runtime_sha512}"
"""


def make_sdk(archive: Path) -> None:
    files = {
        "package/sdk/3.1.102/dotnet.dll": "the SDK",
        "package/sdk/3.1.102/FSharp/fsc.exe": "not wanted",
        "package/packs/Ref/ref.dll": "a reference assembly",
        "package/shared/Microsoft.NETCore.App/3.1.2/libcoreclr.so": "not wanted",
        "package/LICENSE.txt": "MIT",
        "package/ThirdPartyNotices.txt": "notices",
        "package/main.js": "not wanted",
    }
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:gz") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text.encode()))


def make_runtime(links: Path) -> Path:
    info = "toy_net_runtime-1.0.0.dist-info"
    files = {
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: toy-net-runtime\nVersion: 1.0.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "dnv/net/runtime/.net/dotnet": "#!/bin/sh\necho started with $DOTNET_ROLL_FORWARD\n",
        "dnv/net/runtime/.net/shared/Microsoft.NETCore.App/8.0.4/System.Private.CoreLib.dll": "the runtime",
    }
    wheel = links / "toy_net_runtime-1.0.0-py3-none-any.whl"
    links.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        rows = [f"{path},sha256={_sha256(text)},{len(text)}" for path, text in files.items()]
        archive.writestr(f"{info}/RECORD", "\n".join([*rows, f"{info}/RECORD,,\n"]))
    return wheel


def make_npm(folder: Path, package: Path) -> Path:
    """An `npm pack` whose registry holds one package; it writes a line to `npm.log` each time it is asked."""
    folder.mkdir(parents=True, exist_ok=True)
    npm = folder / "npm"
    npm.write_text(NPM.format(log=folder / "npm.log", package=package))
    npm.chmod(0o755)
    return npm


def write_lock(path: Path, platform: str, sdk: Path, runtime: Path) -> None:
    path.write_text(
        LOCK.format(
            platform=platform,
            sdk_sha512=hashlib.sha512(sdk.read_bytes()).hexdigest(),
            runtime_sha512=hashlib.sha512(runtime.read_bytes()).hexdigest(),
        )
    )


def _sha256(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
