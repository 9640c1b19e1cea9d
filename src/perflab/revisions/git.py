"""What git knows of the checkout."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from perflab.errors import UsageError
from perflab.paths import ROOT
from perflab.toolchains import run_git

_SHORT = 7
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


def top_folder() -> Path:
    """The root of the repository that the checkout is, or is in.

    Raises:
        UsageError: If it is in none.
    """
    try:
        return Path(run_git("rev-parse", "--show-toplevel"))
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
        found = run_git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except UsageError:
        raise UsageError(f"no revision {revision!r}", _ways_out()) from None
    date, _, subject = run_git("show", "--no-patch", "--format=%cI %s", found).partition(" ")
    return Commit(found, date, subject)


def present_commit() -> tuple[Commit, bool]:
    """The commit that is checked out, and whether the tree differs from it; a file that is new is built, too.

    Raises:
        UsageError: If nothing has been committed.
    """
    return find_commit("HEAD"), bool(run_git("status", "--porcelain"))


def added_by(path: str) -> str:
    """The short id of the commit that first had a file; empty if none has."""
    found = run_git("log", "--all", "--diff-filter=A", "--format=%h", "--", path).split()
    return found[-1][:_SHORT] if found else ""


def _ways_out() -> str:
    if run_git("rev-parse", "--is-shallow-repository") == "true":
        return "this clone is shallow: git fetch --unshallow; in a workflow, fetch-depth: 0"
    newest = run_git("log", f"-{_NEWEST_SHOWN}", "--format=%h %s").splitlines()
    return "a branch, a tag or a commit; the newest: " + ", ".join(newest)
