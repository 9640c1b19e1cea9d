"""What of this checkout others can fetch: its remote, and the branch, tag or commit that has been pushed there.

Nothing is asked over the network: what was pushed is what git noted of the remote when it last spoke to it.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from perflab.host.git import ask_git
from perflab.model.errors import LabError, MissingError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


_SHORT = re.compile(r"(?:[^@/\s]+@)?(?P<host>[^:/\s@]+):(?P<path>(?!//)\S+)")
_SECURE_SHELL = {"ssh", "git+ssh", "ssh+git"}
_FETCHED = {"https", "http", "git", *_SECURE_SHELL}
# GitHub answers ssh under another name where port 22 is closed.
_ALIASES = {"www.github.com": "github.com", "ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}
_HINT = "Binder fetches public repositories: git remote set-url origin https://HOST/PATH"


@dataclass(frozen=True)
class Remote:
    """A repository that can be fetched from elsewhere.

    Attributes:
        host: Its host in lower case, without a port.
        path: Its path there, without `.git`.
        url: What to fetch; it names no user and holds no password or token.
    """

    host: str
    path: str
    url: str


def parse_remote(address: str) -> Remote:
    """Read an address as git does: a URL, or `user@host:path`.

    Raises:
        UsageError: If it cannot be fetched from elsewhere. The address, which may hold a secret, is not repeated.
    """
    scheme, host, port, path = _parts(address.strip())
    host = _ALIASES.get(host, host)
    if not _looks_public(host):
        raise UsageError("the git remote's host has no public name", _HINT)
    if not (path := path.strip("/")):
        raise UsageError("the git remote names a host and no repository", _HINT)
    # The port of ssh says nothing about that of https.
    kept = f":{port}" if port and scheme not in _SECURE_SHELL else ""
    fetched = "https" if scheme in _SECURE_SHELL else scheme
    return Remote(host, path.removesuffix(".git"), f"{fetched}://{host}{kept}/{path}")


def _parts(address: str) -> tuple[str, str, int | None, str]:
    """Scheme, host, port and path; user, password and query are left behind."""
    if "://" not in address:
        if not (match := _SHORT.fullmatch(address)):
            raise UsageError("the git remote is a folder of this machine", _HINT)
        return "ssh", match["host"].lower(), None, match["path"]
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise UsageError("the git remote's address cannot be read", _HINT) from None
    scheme = parts.scheme.lower()
    if scheme not in _FETCHED:
        raise UsageError(f"Binder cannot fetch from a git remote of the sort {scheme}://", _HINT)
    return scheme, host, port, parts.path


def _looks_public(host: str) -> bool:
    """Whether others could know this name: not this machine's, a bare address or a local network's."""
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return "." in host.strip(".") and not host.endswith(
            (".local", ".localhost", ".localdomain", ".internal", ".lan")
        )


SERVER = "https://mybinder.org"
BADGE = f"{SERVER}/badge_logo.svg"


@dataclass(frozen=True)
class Launcher:
    """What is launched on mybinder.org.

    Sources of its addresses: BinderHub's documentation, "Repository Providers"
    (https://binderhub.readthedocs.io/en/latest/developer/repoproviders.html), and mybinder.org's, "User interfaces"
    (https://mybinder.readthedocs.io/en/latest/howto/user_interface.html).

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
        opened = f"lab/tree/{notebook}" if notebook else "lab"
        # A slash in a ref stays one: all that follows the repository is the ref.
        path = quote(opened, safe="", errors="surrogateescape")
        return f"{SERVER}/v2/{_repository(self.remote)}/{quote(self.ref, safe='/')}?urlpath={path}"


def _repository(remote: Remote) -> str:
    if remote.host == "github.com" and remote.path.count("/") == 1:
        return f"gh/{remote.path}"
    if remote.host == "gitlab.com":
        return f"gl/{quote(remote.path, safe='')}"
    return f"git/{quote(remote.url, safe='')}"


def find_launcher(root: Path, ref: str = "") -> Launcher:
    """What a link leads to.

    Args:
        root: The checkout.
        ref: A branch, a tag or a commit; the present branch without it, or commit, where there is no branch.

    Raises:
        MissingError: If there is no remote, or it has not got the ref.
        UsageError: If the remote cannot be fetched from elsewhere, or there is no such ref.
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


def pinned_launcher(root: Path) -> Launcher | None:
    """What a report leads to: the present commit, else the branch at its remote; None if neither can be fetched."""
    for ref in ("HEAD", ""):
        try:
            return find_launcher(root, ref)
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


def _git(root: Path, *arguments: str) -> str:
    return ask_git(root, *arguments)


def _has(root: Path, ref: str) -> bool:
    return bool(_git(root, "rev-parse", "--verify", "--quiet", ref))
