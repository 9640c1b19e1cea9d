"""Fetch packages with the registries' clients, as configured by the user."""

from __future__ import annotations

import contextlib
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from filelock import FileLock

from perflab.host.processes import run_group
from perflab.model.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@contextlib.contextmanager
def fetching(cache: Path, what: str) -> Iterator[Path]:
    """Lock a cache folder and yield a scratch folder in it, to move complete files from."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(cache / "fetching.lock"), TemporaryDirectory(prefix=".fetch-", dir=cache) as scratch:
            yield Path(scratch)
    except OSError as error:
        raise MissingError(f"cannot keep {what}: {error}", f"make room in {cache}, or make it writable") from None


_OTHER_HASH = re.compile("hash mismatch|do not match the hashes", re.IGNORECASE)  # uv's words, and pip's
_ERROR = re.compile(r"(\[?error\b|E:)", re.IGNORECASE)


def fetch(command: Sequence[str], title: str, timeout_s: float, hint: str) -> None:
    """Run a client in `/`, since npm, uv and Maven read settings from the current folder."""
    try:
        done = run_group(command, folder=Path("/"), timeout_s=timeout_s)
    except subprocess.TimeoutExpired:
        raise MissingError(
            f"{title} did not arrive within {timeout_s:g} s", "check the network and try again"
        ) from None
    if done.returncode == 0:
        return
    # Maven prints errors to stdout; a JVM may print a banner to stderr.
    output = "\n".join(stream.decode("utf-8", "replace") for stream in (done.stdout, done.stderr))
    if _OTHER_HASH.search(output):
        raise other_hash(title, hint)
    lines = list(filter(None, map(str.strip, output.splitlines()))) or ["it printed nothing"]
    # The first error of uv, pip, apt and Maven; npm prefixes each line with its name and ends with the reason.
    errors = [line for line in lines if _ERROR.match(line)] or [line for line in lines if "error" in line.lower()][-1:]
    raise MissingError(f"{title} cannot be fetched: {(errors or lines[-1:])[0]}", hint)


def other_hash(title: str, hint: str) -> MissingError:
    """Return the error for a download whose hash differs from its lock; `hint` is an alternative."""
    return MissingError(
        f"the download of {title} has another hash than its lock, and was not unpacked",
        f"fetch it again from another network; {hint}",
    )


def fetch_wheel(requirements: Path, folder: Path, title: str, timeout_s: float, hint: str) -> None:
    """Download a wheel pinned by hash and unpack it, with pip, or with uv in an environment made by uv."""
    if importlib.util.find_spec("pip") is not None:
        installer = [sys.executable, "-P", "-m", "pip", "install", "--disable-pip-version-check", "--no-compile"]
    elif uv := shutil.which("uv"):
        installer = [uv, "pip", "install", "--python", sys.executable]
    else:
        raise MissingError(
            f"{title} cannot be fetched: there is neither pip nor uv", f"Debian: apt install python3-pip; {hint}"
        )
    options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--target", str(folder)]
    fetch([*installer, *options, "-r", str(requirements)], title, timeout_s, hint)
