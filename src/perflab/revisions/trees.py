"""Work trees: made when first asked for, kept by the commit's id, and pruned when nobody has used them for long."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflab.errors import MissingError, UsageError
from perflab.paths import LAB_DIR
from perflab.revisions.git import find_commit
from perflab.toolchains import run_git

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from perflab.revisions.git import Commit

MOST_KEPT = 8
"""Trees that are kept beyond those in use; with builds in it one takes from 40 MB (mailbox) to 400 MB (supervisor)."""

DAYS_KEPT = 30
"""Days without use after which a tree goes in any case."""

_DAY_S = 86400


@dataclass(frozen=True)
class Tree:
    """A work tree.

    Attributes:
        commit: What is checked out in it.
        folder: Where it is.
        used: When it was last asked for, in seconds since the epoch.
    """

    commit: Commit
    folder: Path
    used: float

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        found = 0
        for folder, _, names in os.walk(self.folder):
            for name in names:
                with contextlib.suppress(OSError):
                    found += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 - a hundred thousand files
        return found


def provide_tree(commit: Commit) -> Tree:
    """The commit's work tree, made if it is not there or not whole.

    Raises:
        UsageError: If git cannot make it.
        MissingError: If the lab's state folder cannot be written.
    """
    folder = _trees() / commit.id
    if not _is_whole(folder, commit):
        _remove(folder)
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MissingError(f"cannot make a work tree: {error}", f"make {LAB_DIR} writable") from None
        run_git("worktree", "add", "--detach", "--force", str(folder), commit.id)
    os.utime(folder)
    return Tree(commit, folder, folder.stat().st_mtime)


def find_trees() -> list[Tree]:
    """All of them, the one used last at the end."""
    found = []
    for folder in _trees().glob("*"):
        with contextlib.suppress(UsageError, OSError):
            found.append(Tree(find_commit(folder.name), folder, folder.stat().st_mtime))
    return sorted(found, key=lambda tree: tree.used)


def remove_trees(trees: Collection[Tree]) -> None:
    """Remove these, and what git knows of them."""
    for tree in trees:
        _remove(tree.folder)


def prune_trees(keep: Collection[Commit] = ()) -> list[Tree]:
    """Remove what nobody has used for long, and of the rest those that were used longest ago beyond the number kept.

    Args:
        keep: Those that are in use.

    Returns:
        What was removed.
    """
    in_use = {commit.id for commit in keep}
    others = [tree for tree in find_trees() if tree.commit.id not in in_use]
    too_many = others[: max(len(others) - MOST_KEPT, 0)]
    oldest = time.time() - DAYS_KEPT * _DAY_S
    gone = [tree for tree in others if tree in too_many or tree.used < oldest]
    remove_trees(gone)
    return gone


def _trees() -> Path:
    return LAB_DIR / "revisions"


def _is_whole(folder: Path, commit: Commit) -> bool:
    """Whether it is this commit and nothing else: one that was interrupted, or edited, is made anew."""
    if not (folder / ".git").is_file():
        return False
    try:
        at = run_git("rev-parse", "HEAD", folder=folder)
        return at == commit.id and not run_git("status", "--porcelain", "--untracked-files=no", folder=folder)
    except UsageError:
        return False


def _remove(folder: Path) -> None:
    # Not `git worktree remove`, which refuses what is only half there.
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(UsageError):
        run_git("worktree", "prune")
