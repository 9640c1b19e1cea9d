"""Programs that run as a user who has no name, no home and no right to write anywhere."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

STRANGER = 54321
"""The number of a user whom no passwd has."""


def words() -> list[str]:
    """What a command begins with to run as the stranger, who may read everything: this Python may lie in root's home.

    The test is skipped where nobody can be somebody else.
    """
    if os.geteuid() != 0:
        pytest.skip("only root can be somebody else")
    found = _words()
    if not found:
        pytest.skip("setpriv cannot keep the right to read here")
    return found


@functools.cache
def _words() -> list[str]:
    who = ["--reuid", str(STRANGER), "--regid", str(STRANGER), "--clear-groups"]
    reads = ["--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"]
    found = [shutil.which("setpriv") or "setpriv", *who, *reads]
    try:
        done = subprocess.run([*found, "true"], capture_output=True, check=False)
    except OSError:
        return []
    return found if done.returncode == 0 else []


def run_as_stranger(
    command: Sequence[str | Path], environment: Mapping[str, str], folder: Path
) -> subprocess.CompletedProcess[str]:
    """A whole command, without a controlling terminal."""
    return subprocess.run(
        [*words(), *command],
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
