"""What git knows of the checkout."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from perflab.errors import MissingError, UsageError
from perflab.paths import ROOT

_SHORT = 7
_WITHOUT_HOOKS = ("-c", "core.hooksPath=/dev/null")
# Set where a hook runs the lab.
_OF_ANOTHER_REPOSITORY = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}
_NEWEST_SHOWN = 3


@dataclass(frozen=True)
class Commit:
    """A commit: its whole id, when it was made (ISO 8601), and the first line of its message."""

    id: str
    date: str
    subject: str

    @property
    def short(self) -> str:
        """The id as people write it."""
        return self.id[:_SHORT]


def git(*arguments: str, folder: Path | None = None) -> str:
    """What git prints.

    Args:
        arguments: The command.
        folder: Where; the checkout without one.

    Raises:
        MissingError: If there is no git.
        UsageError: If the command fails; with what git says.
    """
    try:
        done = subprocess.run(
            ["git", "-C", str(folder or ROOT), *_WITHOUT_HOOKS, *arguments],  # noqa: S607 - whichever git the user has
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


def top_folder() -> Path:
    """The root of the repository that the checkout is, or is in.

    Raises:
        UsageError: If it is in none.
    """
    try:
        return Path(git("rev-parse", "--show-toplevel"))
    except UsageError:
        raise UsageError(
            f"{ROOT} is no git repository, so it has no revisions", "clone the lab instead of unpacking it"
        ) from None


def find_commit(revision: str) -> Commit:
    """The commit that a branch, a tag, an id or anything like `HEAD~3` stands for.

    Raises:
        UsageError: If there is none.
    """
    top_folder()
    try:
        found = git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except UsageError:
        raise UsageError(f"no revision {revision!r}", _ways_out()) from None
    date, _, subject = git("show", "--no-patch", "--format=%cI %s", found).partition(" ")
    return Commit(found, date, subject)


def present_commit() -> tuple[Commit, bool]:
    """The commit that is checked out, and whether the tree differs from it; a file that is new is built, too.

    Raises:
        UsageError: If nothing has been committed.
    """
    return find_commit("HEAD"), bool(git("status", "--porcelain"))


def added_by(path: str) -> str:
    """The short id of the commit that first had a file; empty if none has."""
    found = git("log", "--all", "--diff-filter=A", "--format=%h", "--", path).split()
    return found[-1][:_SHORT] if found else ""


def _ways_out() -> str:
    if git("rev-parse", "--is-shallow-repository") == "true":
        return "this clone is shallow: git fetch --unshallow; in a workflow, fetch-depth: 0"
    newest = git("log", f"-{_NEWEST_SHOWN}", "--format=%h %s").splitlines()
    return "a branch, a tag or a commit; the newest: " + ", ".join(newest)
