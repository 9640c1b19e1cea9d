"""A git remote's address as somebody without an account may use it: https, and without what is secret in it."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from perflab.errors import UsageError

_SHORT = re.compile(r"(?:[^@/\s]+@)?(?P<host>[^:/\s@]+):(?P<path>(?!//)\S+)")
_SECURE_SHELL = {"ssh", "git+ssh", "ssh+git"}
_FETCHED = {"https", "http", "git", *_SECURE_SHELL}
# GitHub answers ssh under another name where port 22 is closed.
_ALIASES = {"www.github.com": "github.com", "ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}
_HINT = "Binder fetches what anybody can: git remote set-url origin https://HOST/PATH"


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
        UsageError: If nobody else could fetch from there. The address, which may hold a secret, is not repeated.
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
