"""Finding a Chromium, which draws charts as PNG and in which the browser test runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

FLAGS = (
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Quiet and without a screen; a Chromium of root also needs `--no-sandbox`."""


def find_chromium() -> Path | None:
    """The machine's Chromium or Chrome, if there is one."""
    return next((Path(path) for name in _NAMES if (path := shutil.which(name))), None)


def install_chromium() -> Path | None:
    """Install the distribution's package, where that can be done unasked: as root on Debian.

    Returns:
        Where it is now, or None if it could not be installed.
    """
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
        subprocess.run(
            ["apt-get", "--quiet", *arguments],  # noqa: S607 - where it was found
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    return find_chromium()
