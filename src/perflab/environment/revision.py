"""Which commit was measured, and whether the tree differed from it."""

from __future__ import annotations

import subprocess

import msgspec

from perflab.paths import ROOT


class Revision(msgspec.Struct, frozen=True):
    """A git commit; empty outside a repository. `dirty`: tracked files differed from it."""

    commit: str = ""
    dirty: bool = False


def this_revision() -> Revision:
    """The checkout's commit."""
    commit = _git("rev-parse", "HEAD")
    return (
        Revision(commit=commit, dirty=bool(_git("status", "--porcelain", "--untracked-files=no")))
        if commit
        else Revision()
    )


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *arguments],  # noqa: S607 - whichever git the user has
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
