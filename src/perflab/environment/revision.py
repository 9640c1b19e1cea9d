"""Which commit was measured, and whether the tree differed from it."""

from __future__ import annotations

import msgspec

from perflab.toolchains import ask_git


class Revision(msgspec.Struct, frozen=True):
    """A git commit; empty outside a repository. `dirty`: tracked files differed from it."""

    commit: str = ""
    dirty: bool = False


def this_revision() -> Revision:
    """The checkout's commit."""
    commit = ask_git("rev-parse", "HEAD")
    return (
        Revision(commit=commit, dirty=bool(ask_git("status", "--porcelain", "--untracked-files=no")))
        if commit
        else Revision()
    )
