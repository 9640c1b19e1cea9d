"""Git revisions, their work trees, and topics built in them."""

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
from perflab.model.project import PRIVATE_FOLDER, hide_private
from perflab.topics.build import build
from perflab.topics.catalogue import Component
from perflab.topics.manifest import FILE_NAME, read_manifest

if TYPE_CHECKING:
    from collections.abc import Collection

    from perflab.model.lab import Lab


_SHORT = 7


@dataclass(frozen=True)
class Commit:
    """A commit's id, and the first line of its message."""

    id: str
    subject: str

    @property
    def short(self) -> str:
        """The short id."""
        return self.id[:_SHORT]


def top_folder(root: Path) -> Path:
    """Return the root of a folder's repository."""
    try:
        return Path(run_git(root, "rev-parse", "--show-toplevel"))
    except RefusedError:
        raise
    except UsageError:
        raise UsageError(
            f"{root} is no git repository, so it has no revisions", "clone the lab instead of unpacking it"
        ) from None


def find_commit(root: Path, revision: str) -> Commit:
    """Find the commit of a branch, tag, id or expression like `HEAD~3`."""
    top_folder(root)
    try:
        found = run_git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except UsageError:
        if run_git(root, "rev-parse", "--is-shallow-repository") == "true":
            hint = "this clone is shallow: git fetch --unshallow; in a workflow, fetch-depth: 0"
        else:
            newest = run_git(root, "log", "-3", "--format=%h %s").splitlines()
            hint = "a branch, a tag or a commit; the newest: " + ", ".join(newest)
        raise UsageError(f"no revision {revision!r}", hint) from None
    return Commit(found, run_git(root, "show", "--no-patch", "--format=%s", found))


def present_commit(root: Path) -> tuple[Commit, bool]:
    """Return the current commit, and whether the tree has changed or new files."""
    return find_commit(root, "HEAD"), bool(run_git(root, "status", "--porcelain"))


MOST_KEPT = 8
"""Number of unused trees to keep; with builds, a tree takes from 40 MB (mailbox) to 400 MB (supervisor)."""

DAYS_KEPT = 30
"""Days without use after which a tree is always removed."""


@dataclass(frozen=True)
class WorkTree:
    """A work tree; `used` is its last use, in seconds since the epoch."""

    commit: Commit
    folder: Path
    used: float

    @property
    def size(self) -> int:
        """Total size of its files in bytes."""
        return sum(path.lstat().st_size for path in self.folder.rglob("*") if not path.is_dir())


def provide_tree(lab: Lab, commit: Commit) -> WorkTree:
    """Return the commit's work tree; create it if it is missing, incomplete or edited."""
    folder = lab.work / "revisions" / commit.id
    whole = False
    if (folder / ".git").is_file():
        with contextlib.suppress(UsageError):
            at, changes = run_git(folder, "rev-parse", "HEAD"), ("status", "--porcelain", "--untracked-files=no")
            whole = at == commit.id and not run_git(folder, *changes)
    if not whole:
        _remove(lab, folder)
        try:
            if lab.work.parent.name == PRIVATE_FOLDER:
                hide_private(lab.work.parent)
            folder.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MissingError(f"cannot make a work tree: {error}", f"make {lab.work} writable") from None
        run_git(lab.root, "worktree", "add", "--detach", "--force", str(folder), commit.id)
    os.utime(folder)
    return WorkTree(commit, folder, folder.stat().st_mtime)


def find_trees(lab: Lab) -> list[WorkTree]:
    """Return all work trees, the most recently used last."""
    found = []
    for folder in (lab.work / "revisions").glob("*"):
        with contextlib.suppress(UsageError, OSError):
            found.append(WorkTree(find_commit(lab.root, folder.name), folder, folder.stat().st_mtime))
    return sorted(found, key=lambda tree: tree.used)


def remove_trees(lab: Lab, trees: Collection[WorkTree]) -> None:
    """Remove work trees from the disk and from git."""
    for tree in trees:
        _remove(lab, tree.folder)


def prune_trees(lab: Lab, keep: Collection[Commit] = ()) -> list[WorkTree]:
    """Remove and return old and surplus trees, except those to `keep`."""
    in_use = {commit.id for commit in keep}
    others = [tree for tree in find_trees(lab) if tree.commit.id not in in_use]
    too_many = others[: max(len(others) - MOST_KEPT, 0)]
    oldest = time.time() - DAYS_KEPT * 86400
    gone = [tree for tree in others if tree in too_many or tree.used < oldest]
    remove_trees(lab, gone)
    return gone


def _remove(lab: Lab, folder: Path) -> None:
    # Not `git worktree remove`, which refuses incomplete trees.
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(UsageError):
        run_git(lab.root, "worktree", "prune")


def component_at(lab: Lab, topic: str, commit: Commit) -> Component:
    """Build the topic in the commit's work tree, with the commit's manifest and the current tools."""
    if topic in lab.benches:
        raise UsageError(
            f"{topic} is a bench, which perflab does not build",
            f"build it twice and compare both builds, as in {program()} bench ./before ./after --gbench NAME; "
            f"of sources one benchmark beside itself: {program()} bench --go ./cache NAME --at {commit.short}",
        )
    top, components = top_folder(lab.root).resolve(), lab.components.resolve()
    if not components.is_relative_to(top):
        raise UsageError(f"the topics in {components} are not part of the checkout, so they have no revisions of it")
    place = components.relative_to(top)
    folder = provide_tree(lab, commit).folder / place
    component = _find(lab, topic, folder)
    if component is None:
        path = f"{place}/{topic}/{FILE_NAME}"
        added = run_git(lab.root, "log", "--all", "--diff-filter=A", "--format=%h", "--", path).split()
        there = ", ".join(sorted(path.parent.name for path in folder.glob(f"*/{FILE_NAME}")))
        raise UsageError(
            f"there is no topic {topic!r} at {commit.short}",
            (f"it came with {added[-1][:_SHORT]}; " if added else "") + f"there are: {there or 'none'}",
        )
    try:
        build(component)
    except BenchError as error:
        raise BenchError(f"at {commit.short}, {error.message}", error.hint) from None
    return component


def _find(lab: Lab, topic: str, folder: Path) -> Component | None:
    # Other topics' old manifests may be unreadable for this lab.
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
