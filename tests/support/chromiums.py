"""The Chromium of the tests: the machine's, or the distribution's package, where it may be installed unasked."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from perflab.charts.chart import find_chromium
from perflab.host.guard import VARIABLE
from perflab.model.errors import MissingError

if TYPE_CHECKING:
    from pathlib import Path

FIX = "apt install chromium, or any Chromium or Chrome on the PATH"


def provide_chromium() -> Path:
    """Find it, or install it as root on Debian."""
    found = find_chromium()
    if found is not None:
        return found
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise MissingError("no Chromium on this machine", FIX)
    # A package manager that is ended in the middle has to be repaired by hand: it is in a session of its own, which no
    # Ctrl-C reaches, and does not carry the mark of what ends with the lab.
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
        done = subprocess.run(
            ["apt-get", "--quiet", *arguments],  # noqa: S607 - where it was found
            env={**environment, "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            start_new_session=True,
        )
    found = find_chromium()
    if found is None:
        last = (done.stdout.strip().splitlines() or ["apt-get said nothing"])[-1]
        raise MissingError(f"Chromium could not be installed: {last}", FIX)
    return found
