"""Where async-profiler's native library is, and how it gets there."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from platformdirs import user_cache_path

from perflab.errors import BenchError, MissingError

VERSION = "4.6"

_ARTIFACT = f"tools.profiler:async-profiler:{VERSION}"
_JAR = f"async-profiler-{VERSION}.jar"
_JAR_SHA256 = "a5d3d9f4582c2033fa9db518046e73ef97219801f3e7542b82e3e09261ebe493"
_LIBRARY = "libasyncProfiler.so"
_FOLDERS = {
    ("Linux", "x86_64"): "linux-x64",
    ("Linux", "aarch64"): "linux-arm64",
    ("Darwin", "x86_64"): "macos",
    ("Darwin", "arm64"): "macos",
}
_FETCH_TIMEOUT_S = 300


def cache_folder() -> Path:
    """The per-user folder of this version of the profiler."""
    return user_cache_path("perflab") / "async-profiler" / VERSION


def find() -> Path | None:
    """The native library, if it has been fetched; asks no network."""
    library = cache_folder() / _LIBRARY
    return library if library.is_file() else None


def provide() -> Path:
    """The native library, fetched with the machine's Maven if it is not here yet.

    The jar is checked against the hash that this version of the lab was tested with before anything of it is unpacked.

    Raises:
        MissingError: If it is not here and cannot be fetched, or if there is none for this kind of machine.
        BenchError: If what was fetched is not the artifact that the lab knows.
    """
    library = find()
    if library is not None:
        return library
    folder = _FOLDERS.get((platform.system(), platform.machine()))
    if folder is None:
        raise MissingError(f"async-profiler has no library for {platform.system()} on {platform.machine()}")
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    # Next to the target, so that the last step is a rename: another process sees the whole library or none.
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=cache) as scratch:
        jar = _fetch(Path(scratch))
        _check(jar)
        unpacked = Path(scratch) / _LIBRARY
        with zipfile.ZipFile(jar) as archive:
            unpacked.write_bytes(archive.read(f"{folder}/{_LIBRARY}"))
        unpacked.chmod(0o755)
        os.replace(unpacked, cache / _LIBRARY)  # noqa: PTH105 - Path.replace says the same less clearly
    return cache / _LIBRARY


def _fetch(folder: Path) -> Path:
    maven = shutil.which("mvn")
    if maven is None:
        raise MissingError(
            f"async-profiler {VERSION} is not in the cache and Maven, which would fetch it, is not on the PATH",
            "Debian: apt install maven; conda: conda install maven",
        )
    # Resolving plug-ins by their prefix reads the settings of the user, mirrors included: no address stands here.
    command = [maven, "-q", "-B", "dependency:copy", f"-Dartifact={_ARTIFACT}", f"-DoutputDirectory={folder}"]
    try:
        # From a folder without a pom.xml, or Maven would act on the project that it finds there.
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=_FETCH_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as slow:
        raise MissingError(
            f"Maven did not fetch {_ARTIFACT} within {_FETCH_TIMEOUT_S} s", "check the network and try again"
        ) from slow
    jar = folder / _JAR
    if done.returncode != 0 or not jar.is_file():
        said = (done.stdout + done.stderr).strip().splitlines()
        reason = next(
            (line for line in said if "ERROR" in line), said[-1] if said else f"exit status {done.returncode}"
        )
        raise MissingError(f"Maven could not fetch {_ARTIFACT}: {reason}", "check the network and Maven's settings")
    return jar


def _check(jar: Path) -> None:
    found = hashlib.sha256(jar.read_bytes()).hexdigest()
    if found != _JAR_SHA256:
        raise BenchError(
            f"{_ARTIFACT} has the SHA-256 {found}, not {_JAR_SHA256}",
            "do not use it: remove it from Maven's repository and fetch it again from another network",
        )
