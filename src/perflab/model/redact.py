"""Redact private data in the files that `./lab export` and `./lab report` write."""

from __future__ import annotations

import contextlib
import getpass
import html
import json
import os
import re
import socket
from collections import Counter
from urllib.parse import quote

_SHORTEST_VALUE = 8
_SHORTEST_NAME = 4
_NO_NAMES = {"root", "user", "localhost", "host", "perflab"}

# JSON's escaped line ends and terminal colours end in a letter.
_START = r"(?:(?<![^\W_])|(?<=\\[nrt])|(?<=\dm))"
_TOKENS = re.compile(
    rf"{_START}(?:gh[oprsu]_\w{{10,}}|github_pat_\w{{10,}}|glpat-[\w-]{{10,}}|npm_[A-Za-z0-9]{{30,}}"
    r"|(?<![+/])AKIA[A-Z0-9]{16}|(?<![+/])AIza[\w-]{30,}|xox[abeprs]-[\w-]{10,}|sk-[\w-]{20,}"
    r"|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
    # A key up to its end marker, also as a JSON list of lines; of a truncated key, its lines.
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----"
    r"(?:[\w+/=\s\\:,\"'-]{0,20000}?-----END [A-Z ]{0,30}PRIVATE KEY-----|(?:[A-Za-z0-9+/=\s]|\\[nr])*)"
)
_NEEDLES = ("gh", "github_pat_", "glpat-", "npm_", "AKIA", "AIza", "xox", "sk-", "eyJ", "PRIVATE KEY")


class Redactor:
    """Replace the home folder, the names of user and host, and secrets in texts, and count them by kind.

    The second secret becomes `***2`, and so on, so that labels which differ in a secret stay distinct.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._stars: dict[str, str] = {}
        is_secret = re.compile("TOKEN|SECRET|PASSWORD|KEY", re.IGNORECASE)
        secrets = [one for one in os.environ.items() if is_secret.search(one[0]) and len(one[1]) >= _SHORTEST_VALUE]
        secrets.sort(key=lambda one: len(one[1]), reverse=True)
        self._secrets = [(name, value, form) for name, value in secrets for form in _forms(value)]
        self._homes = [(form, _home_pattern(form)) for home in _homes() for form in _forms(home)]
        host = socket.gethostname()
        names = dict.fromkeys([("user", _user()), ("host", host), ("host", host.partition(".")[0])])
        self._names = [
            (kind, form.casefold(), _name_pattern(kind, form))
            for kind, name in names
            if len(name) >= _SHORTEST_NAME and name.casefold() not in _NO_NAMES
            for form in _forms(name)
        ]

    def __call__(self, text: str) -> str:
        """Return the redacted text; JSON, HTML and CSV stay valid."""
        for name, value, form in self._secrets:
            if times := text.count(form):
                self._counts[name] += times
                text = text.replace(form, self._starred(value))
        if any(needle in text for needle in _NEEDLES):
            text = _TOKENS.sub(lambda found: self._counted("token", self._starred(found[0])), text)
        for form, pattern in self._homes:
            if form in text:
                text = pattern.sub(lambda _: self._counted("home folder", "~"), text)
        folded = text.casefold() if self._names else ""
        for kind, form, pattern in self._names:
            if form in folded:
                text = pattern.sub(lambda _, kind=kind: self._counted(f"{kind} name", kind), text)  # type: ignore[misc]
        return text

    def __str__(self) -> str:
        """Format the counts: `home folder 3 times, DEPLOY_TOKEN once`, or empty."""
        counts = sorted(self._counts.items())
        return ", ".join(f"{kind} {'once' if times == 1 else f'{times} times'}" for kind, times in counts)

    def _counted(self, kind: str, instead: str) -> str:
        self._counts[kind] += 1
        return instead

    def _starred(self, secret: str) -> str:
        return self._stars.setdefault(secret, f"***{len(self._stars) + 1 if self._stars else ''}")


def _forms(value: str) -> list[str]:
    """Return the value as written in JSON, text, HTML and URLs."""
    # JSON first: a value that ends in a backslash would leave half an escape.
    forms = [json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]]
    forms += [re.sub("[<>&']", lambda found: f"\\u{ord(found[0]):04x}", form) for form in forms]
    marked = html.escape(value)
    forms += [
        value,
        marked,
        html.escape(value, quote=False),
        marked.replace("&quot;", "&#34;").replace("&#x27;", "&#39;"),
    ]
    return list(dict.fromkeys([*forms, *(quote(value, safe, errors="surrogateescape") for safe in ("/", ""))]))


def _homes() -> list[str]:
    homes = [os.path.expanduser("~")]  # noqa: PTH111 - Path.home() fails where there is none
    with contextlib.suppress(ImportError, KeyError):
        import pwd  # noqa: PLC0415 - Unix only

        homes.append(pwd.getpwuid(os.getuid()).pw_dir)
    found = {home.rstrip("/") for home in homes if os.path.isabs(home)}  # noqa: PTH117
    return sorted(found - {""}, key=len, reverse=True)


def _user() -> str:
    with contextlib.suppress(ImportError, KeyError, OSError):
        return getpass.getuser()
    return ""


def _home_pattern(home: str) -> re.Pattern[str]:
    # /root is also the end of /mnt/root.
    before = r"(?:(?<![\w.~/-])|(?<=file://)|(?<=-[A-Z])|(?<=\\[nrt])|(?<=\dm))" if home.count("/") == 1 else ""
    return re.compile(rf"{before}{re.escape(home)}(?![\w-]|\.\w)")


def _name_pattern(kind: str, name: str) -> re.Pattern[str]:
    """Return a pattern for a whole word that is not a tag, a class or a field of JSON."""
    word = rf"{_START}{re.escape(name)}(?![^\W_])"
    if kind == "host":
        word = rf"(?i:{_START}{re.escape(name)}(?:\.[A-Za-z][\w-]*)*(?![^\W_]))"
    return re.compile(rf'(?<!</)(?<!<)(?<!class=")(?!(?<=")[a-z_]+"\s?:){word}')
