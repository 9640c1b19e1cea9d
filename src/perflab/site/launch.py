"""Links that launch this checkout on mybinder.org.

The network is not used: a commit counts as pushed if git's remote-tracking branches have it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from perflab.host.git import ask_git
from perflab.model.errors import LabError, MissingError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


SERVER = "https://mybinder.org"
BADGE = f"{SERVER}/badge_logo.svg"


def public_url(address: str) -> str:
    """Return a git remote's public URL, without user, password, token and ssh port."""
    if short := re.fullmatch(r"(?:[^@/\s]+@)?([^:/\s@]+):(?!//)(\S+)", address.strip()):
        address = f"ssh://{short[1]}/{short[2]}"
    try:
        parts = urlsplit(address.strip())
        host, port, path = parts.hostname or "", parts.port, parts.path.strip("/")
    except ValueError:
        host, port, path = "", None, ""
    ssh = "ssh" in parts.scheme if host else False
    if not path or not re.search(r"\.[a-z][\w-]*$", host) or host.endswith((".local", ".internal", ".lan")):
        raise UsageError(
            "the git remote has no address that others can fetch",
            "Binder fetches public repositories: git remote set-url origin https://HOST/PATH",
        )
    # GitHub's host name for ssh over port 443.
    host = {"www.github.com": "github.com", "ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}.get(
        host, host
    )
    return f"{'https' if ssh else parts.scheme}://{host}{f':{port}' if port and not ssh else ''}/{path}"


@dataclass(frozen=True)
class Launcher:
    """A launch target: a repository's URL, its branch, tag or full commit, and notes for the reader."""

    repository: str
    ref: str
    note: str = ""

    def url(self, notebook: str = "") -> str:
        """Return the link that opens JupyterLab, on a notebook of the checkout if one is named.

        Sources: BinderHub's documentation, "Repository Providers", and mybinder.org's, "User interfaces".
        """
        opened = quote(f"lab/tree/{notebook}" if notebook else "lab", safe="", errors="surrogateescape")
        _, _, host, path = self.repository.removesuffix(".git").split("/", 3)
        place = f"git/{quote(self.repository, safe='')}"
        if host == "github.com" and path.count("/") == 1:
            place = f"gh/{path}"
        elif host == "gitlab.com":
            place = f"gl/{quote(path, safe='')}"
        # Slashes in a ref stay unescaped: everything after the repository is the ref.
        return f"{SERVER}/v2/{place}/{quote(self.ref, safe='/')}?urlpath={opened}"


def find_launcher(root: Path, ref: str = "") -> Launcher:
    """Return the target of a launch link.

    Args:
        root: The checkout.
        ref: A branch, a tag or a commit; by default the current branch, or the commit if HEAD is detached.
    """
    branch = ask_git(root, "symbolic-ref", "--quiet", "--short", "HEAD")
    remotes = ask_git(root, "remote").split()
    if not remotes:
        raise MissingError(
            "the checkout has no git remote, so there is nothing that Binder could fetch",
            "git remote add origin https://HOST/PATH, then git push -u origin BRANCH",
        )
    own = ask_git(root, "config", f"branch.{branch}.remote") if branch else ""
    remote = next(name for name in (own, "origin", remotes[0]) if name in remotes)
    repository = public_url(ask_git(root, "remote", "get-url", remote))
    if not ref:
        # The remote branch may have another name.
        merged = ask_git(root, "config", f"branch.{branch}.merge").removeprefix("refs/heads/") if branch else ""
        ref = merged if merged and _commit(root, f"refs/remotes/{remote}/{merged}") else branch or "HEAD"
    if _commit(root, f"refs/remotes/{remote}/{ref}"):
        ahead = ask_git(root, "rev-list", "--count", f"refs/remotes/{remote}/{ref}..refs/heads/{ref}")
        missing = f"{ahead} commits of {ref} are not pushed: the links open it without them"
        return Launcher(repository, ref, missing if ahead not in {"", "0"} else "")
    commit = _commit(root, f"{ref}^{{commit}}")
    if not commit:
        raise UsageError(
            f"no branch, tag or commit {ref!r} in this checkout", f"git fetch {remote}; git ls-remote {remote}"
        )
    if not ask_git(root, "for-each-ref", "--contains", commit, f"refs/remotes/{remote}"):
        raise MissingError(
            f"{ref} is not pushed to the remote {remote}",
            f"git push {remote} {ref}; to check: git fetch {remote}; git branch --remotes --contains {ref}",
        )
    return Launcher(repository, commit)


def pinned_launcher(root: Path) -> Launcher | None:
    """Return a report's launch target: the current commit, else its remote branch; None if neither is pushed."""
    for ref in ("HEAD", ""):
        try:
            return find_launcher(root, ref)
        except LabError:
            continue
    return None


def _commit(root: Path, ref: str) -> str:
    return ask_git(root, "rev-parse", "--verify", "--quiet", ref)
