"""Git, as the lab asks it: without the user's hooks, and about the folder it names even where a hook runs the lab."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import msgspec

from perflab.model.errors import LabError, MissingError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


_WITHOUT_HOOKS = ("-c", "core.hooksPath=/dev/null")
# Set where a hook runs the lab.
_OF_ANOTHER_REPOSITORY = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}


def run_git(folder: Path, *arguments: str) -> str:
    """What git prints.

    Args:
        folder: Where.
        arguments: The command.

    Raises:
        MissingError: If there is no git.
        UsageError: If the command fails; with what git says.
    """
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *_WITHOUT_HOOKS, *arguments],  # noqa: S607 - whichever git the user has
            env={name: value for name, value in os.environ.items() if name not in _OF_ANOTHER_REPOSITORY},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError:
        raise MissingError("git is not on this machine", "Debian: apt install git; conda: conda install git") from None
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise UsageError(f"git {arguments[0]} failed: {said[-1] if said else 'it said nothing'}", "git status")
    return done.stdout.strip()


def ask_git(folder: Path, *arguments: str) -> str:
    """The same where git is not needed: nothing if it fails or is not here."""
    try:
        return run_git(folder, *arguments)
    except LabError:
        return ""


class Revision(msgspec.Struct, frozen=True):
    """A git commit; empty outside a repository. `dirty`: tracked files differed from it."""

    commit: str = ""
    dirty: bool = False


def this_revision(folder: Path) -> Revision:
    """The commit that a folder's repository is at."""
    commit = ask_git(folder, "rev-parse", "HEAD")
    return Revision(commit, dirty=bool(commit and ask_git(folder, "status", "--porcelain", "--untracked-files=no")))
