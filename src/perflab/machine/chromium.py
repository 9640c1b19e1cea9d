"""Finding a Chromium, which draws charts as PNG and in which the browser test runs."""

from __future__ import annotations

import shutil
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
