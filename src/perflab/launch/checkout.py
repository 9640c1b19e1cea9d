"""What of this checkout others can fetch: its remote, and the branch, tag or commit that has been pushed there.

Nothing is asked over the network: what was pushed is what git noted of the remote when it last spoke to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflab.errors import LabError, MissingError, UsageError
from perflab.launch.links import launch_url
from perflab.launch.remote import Remote, parse_remote
from perflab.paths import ROOT
from perflab.toolchains import ask_git

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Launcher:
    """What is launched.

    Attributes:
        remote: The repository.
        ref: A branch, a tag or a full commit of it.
        note: What the reader should know about it; mostly nothing.
    """

    remote: Remote
    ref: str
    note: str = ""

    def url(self, notebook: str = "") -> str:
        """The link that opens JupyterLab, on a notebook of the checkout if one is named."""
        return launch_url(self.remote, self.ref, notebook)


def find_launcher(ref: str = "", root: Path = ROOT) -> Launcher:
    """What a link leads to.

    Args:
        ref: A branch, a tag or a commit; the present branch without it, or commit, where there is no branch.
        root: The checkout.

    Raises:
        MissingError: If there is no remote, or it has not got the ref.
        UsageError: If nobody else can fetch from the remote, or there is no such ref.
    """
    branch = _git(root, "symbolic-ref", "--quiet", "--short", "HEAD")
    name = _remote_name(root, branch)
    remote = parse_remote(_git(root, "remote", "get-url", name))
    if not ref and not branch:
        ref = "HEAD"
    if not ref:
        # The remote's branch may be called otherwise.
        merged = _git(root, "config", f"branch.{branch}.merge").removeprefix("refs/heads/")
        ref = merged if merged and _has(root, f"refs/remotes/{name}/{merged}") else branch
    return _pushed(root, remote, name, ref)


def pinned_launcher(root: Path = ROOT) -> Launcher | None:
    """What a report leads to: the present commit, or what the remote has of its branch; None if nobody can fetch it."""
    for ref in ("HEAD", ""):
        try:
            return find_launcher(ref, root)
        except LabError:
            continue
    return None


def _remote_name(root: Path, branch: str) -> str:
    names = _git(root, "remote").split()
    if not names:
        raise MissingError(
            "the checkout has no git remote, so there is nothing that Binder could fetch",
            "git remote add origin https://HOST/PATH, then git push -u origin BRANCH",
        )
    own = _git(root, "config", f"branch.{branch}.remote") if branch else ""
    return next(name for name in (own, "origin", names[0]) if name in names)


def _pushed(root: Path, remote: Remote, name: str, ref: str) -> Launcher:
    if _has(root, f"refs/remotes/{name}/{ref}"):
        ahead = _git(root, "rev-list", "--count", f"refs/remotes/{name}/{ref}..refs/heads/{ref}")
        note = (
            f"{ahead} commits of {ref} are not pushed: the links open it without them" if ahead not in {"", "0"} else ""
        )
        return Launcher(remote, ref, note)
    commit = _git(root, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    if not commit:
        raise UsageError(
            f"no branch, tag or commit {ref!r} in this checkout", f"git fetch {name}; git ls-remote {name}"
        )
    if not _git(root, "for-each-ref", "--contains", commit, f"refs/remotes/{name}"):
        raise MissingError(
            f"{ref} is not pushed to the remote {name}",
            f"git push {name} {ref}; to check: git fetch {name}; git branch --remotes --contains {ref}",
        )
    if _has(root, f"refs/tags/{ref}"):
        return Launcher(remote, ref, f"git does not note which tags were pushed; to check: git ls-remote {name} {ref}")
    return Launcher(remote, commit)


def _has(root: Path, ref: str) -> bool:
    return bool(_git(root, "rev-parse", "--verify", "--quiet", ref))


def _git(root: Path, *arguments: str) -> str:
    return ask_git(*arguments, folder=root)
