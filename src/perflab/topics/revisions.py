"""A topic as it was at a commit: found in that commit's work tree, and built there."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.host.git import RefusedError, run_git
from perflab.model.errors import BenchError, MissingError, UsageError
from perflab.model.lab import program
from perflab.topics.build import build
from perflab.topics.catalogue import Component
from perflab.topics.manifest import FILE_NAME, read_manifest

if TYPE_CHECKING:
    from collections.abc import Collection

    from perflab.model.lab import Lab


_SHORT = 7
_NEWEST_SHOWN = 3


@dataclass(frozen=True)
class Commit:
    """A commit: its whole id, and the first line of its message."""

    id: str
    subject: str

    @property
    def short(self) -> str:
        """The id as people write it."""
        return self.id[:_SHORT]


def top_folder(root: Path) -> Path:
    """The root of the repository that a lab's root is, or is in.

    Raises:
        UsageError: If it is in none.
    """
    try:
        return Path(run_git(root, "rev-parse", "--show-toplevel"))
    except RefusedError:
        raise
    except UsageError:
        raise UsageError(
            f"{root} is no git repository, so it has no revisions", "clone the lab instead of unpacking it"
        ) from None


def find_commit(root: Path, revision: str) -> Commit:
    """The commit that a branch, a tag, an id or anything like `HEAD~3` stands for.

    Raises:
        UsageError: If there is none.
    """
    top_folder(root)
    try:
        found = run_git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except UsageError:
        raise UsageError(f"no revision {revision!r}", _ways_out(root)) from None
    return Commit(found, run_git(root, "show", "--no-patch", "--format=%s", found))


def present_commit(root: Path) -> tuple[Commit, bool]:
    """The commit that is checked out, and whether the tree differs from it; a file that is new is built, too.

    Raises:
        UsageError: If nothing has been committed.
    """
    return find_commit(root, "HEAD"), bool(run_git(root, "status", "--porcelain"))


def added_by(root: Path, path: str) -> str:
    """The short id of the commit that first had a file; empty if none has."""
    found = run_git(root, "log", "--all", "--diff-filter=A", "--format=%h", "--", path).split()
    return found[-1][:_SHORT] if found else ""


def _ways_out(root: Path) -> str:
    if run_git(root, "rev-parse", "--is-shallow-repository") == "true":
        return "this clone is shallow: git fetch --unshallow; in a workflow, fetch-depth: 0"
    newest = run_git(root, "log", f"-{_NEWEST_SHOWN}", "--format=%h %s").splitlines()
    return "a branch, a tag or a commit; the newest: " + ", ".join(newest)


MOST_KEPT = 8
"""Trees that are kept beyond those in use; with builds in it one takes from 40 MB (mailbox) to 400 MB (supervisor)."""

DAYS_KEPT = 30
"""Days without use after which a tree goes in any case."""

_DAY_S = 86400


@dataclass(frozen=True)
class WorkTree:
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


def provide_tree(lab: Lab, commit: Commit) -> WorkTree:
    """The commit's work tree, made if it is not there or not whole.

    Raises:
        UsageError: If git cannot make it.
        MissingError: If the lab's work folder cannot be written.
    """
    folder = _trees(lab) / commit.id
    if not _is_whole(folder, commit):
        _remove(lab, folder)
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MissingError(f"cannot make a work tree: {error}", f"make {lab.work} writable") from None
        run_git(lab.root, "worktree", "add", "--detach", "--force", str(folder), commit.id)
    os.utime(folder)
    return WorkTree(commit, folder, folder.stat().st_mtime)


def find_trees(lab: Lab) -> list[WorkTree]:
    """All of them, the one used last at the end."""
    found = []
    for folder in _trees(lab).glob("*"):
        with contextlib.suppress(UsageError, OSError):
            found.append(WorkTree(find_commit(lab.root, folder.name), folder, folder.stat().st_mtime))
    return sorted(found, key=lambda tree: tree.used)


def remove_trees(lab: Lab, trees: Collection[WorkTree]) -> None:
    """Remove these, and what git knows of them."""
    for tree in trees:
        _remove(lab, tree.folder)


def prune_trees(lab: Lab, keep: Collection[Commit] = ()) -> list[WorkTree]:
    """Remove what nobody has used for long, and of the rest those that were used longest ago beyond the number kept.

    Args:
        lab: The lab whose trees they are.
        keep: Those that are in use.

    Returns:
        What was removed.
    """
    in_use = {commit.id for commit in keep}
    others = [tree for tree in find_trees(lab) if tree.commit.id not in in_use]
    too_many = others[: max(len(others) - MOST_KEPT, 0)]
    oldest = time.time() - DAYS_KEPT * _DAY_S
    gone = [tree for tree in others if tree in too_many or tree.used < oldest]
    remove_trees(lab, gone)
    return gone


def _trees(lab: Lab) -> Path:
    return lab.work / "revisions"


def _is_whole(folder: Path, commit: Commit) -> bool:
    """Whether it is this commit and nothing else: one that was interrupted, or edited, is made anew."""
    if not (folder / ".git").is_file():
        return False
    try:
        at = run_git(folder, "rev-parse", "HEAD")
        return at == commit.id and not run_git(folder, "status", "--porcelain", "--untracked-files=no")
    except UsageError:
        return False


def _remove(lab: Lab, folder: Path) -> None:
    # Not `git worktree remove`, which refuses what is only half there.
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(UsageError):
        run_git(lab.root, "worktree", "prune")


def component_at(lab: Lab, topic: str, commit: Commit) -> Component:
    """The topic's component in the commit's work tree, built, with the manifest of its time.

    The whole tree is there, so that a build may use what lies outside of the component's folder. Tools and libraries
    are the machine's of today.

    Raises:
        UsageError: If the topic is not there at this commit.
        BenchError: If its build fails; the message ends with the last lines of its log.
        MissingError: If a tool is missing.
    """
    if topic in lab.benches:
        raise UsageError(
            f"{topic} is a bench, which perflab does not build",
            f"build it twice and compare both builds, as in {program()} bench ./before ./after --gbench NAME; "
            f"of sources one benchmark beside itself: {program()} bench --go ./cache NAME --at {commit.short}",
        )
    place = _place(lab)
    folder = provide_tree(lab, commit).folder / place
    component = _find(lab, topic, folder)
    if component is None:
        came = added_by(lab.root, f"{place}/{topic}/{FILE_NAME}")
        there = ", ".join(sorted(path.parent.name for path in folder.glob(f"*/{FILE_NAME}")))
        raise UsageError(
            f"there is no topic {topic!r} at {commit.short}",
            (f"it came with {came}; " if came else "") + f"there are: {there or 'none'}",
        )
    try:
        build(component)
    except BenchError as error:
        raise BenchError(f"at {commit.short}, {error.message}", error.hint) from None
    return component


def _find(lab: Lab, topic: str, folder: Path) -> Component | None:
    """Of other topics' manifests, some may be of another time than this lab can read: they are none of our business."""
    for path in sorted(folder.glob(f"*/{FILE_NAME}")):
        try:
            manifest = read_manifest(path)
        except UsageError:
            if path.parent.name == topic:
                raise
            continue
        if manifest.name == topic:
            return Component(path.parent, manifest, lab)
    return None


def _place(lab: Lab) -> Path:
    """Where topics lie in the repository."""
    top = top_folder(lab.root)
    folder = lab.components.resolve()
    if not folder.is_relative_to(top.resolve()):
        raise UsageError(f"the topics in {folder} are not part of the checkout, so they have no revisions of it")
    return folder.relative_to(top.resolve())
