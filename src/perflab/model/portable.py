"""Text that is handed on says nothing of who measured and where, and lets nobody in."""

from __future__ import annotations

import contextlib
import csv
import functools
import getpass
import html
import io
import json
import os
import re
import socket
import tempfile
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # One of the first, in lower case, a text must have to be worth a look, for a report has megabytes of it.
    Rule = tuple[tuple[str, ...], re.Pattern[str], Callable[[re.Match[str]], str]]


def portable(text: str, *folders: Path) -> str:
    """Text without this user's folders and name, the host's name, passwords and tokens.

    Paths in the checkout become relative to it, those in the home folder begin with `~`, temporary ones with `/tmp`.

    Args:
        text: What is to be handed on. A document's marks between its texts would be taken for parts of them:
            `portable_json` and `portable_markup` are for those.
        folders: More places of which only the last name is kept.
    """
    return _cleaner(*folders)(text)


def portable_name(text: str, *folders: Path) -> str:
    """What somebody called a thing, such as a benchmark: as `portable`, but what only looks like a secret stays.

    Results are compared by names: two that differ in `Cookie:1` and `Cookie:2` may not become one.
    """
    return _cleaner(*folders, forms=False)(text)


def portable_value(value: Any, *folders: Path) -> Any:  # noqa: ANN401 - JSON
    """A JSON value with all its strings, those that are names too, as `portable` makes them; pictures stay.

    A text that stands as a list of its lines is looked at as a whole, and a value together with its name.
    """
    return ValueCleaner(*folders)(value)


class ValueCleaner:
    """`portable_value` for many values: made once, as that takes a while."""

    def __init__(self, *folders: Path) -> None:
        self.text = functools.lru_cache(_REMEMBERED)(_cleaner(*folders))
        self.name = functools.lru_cache(_REMEMBERED)(_cleaner(*folders, forms=False))

    def __call__(self, value: Any, name: str = "", above: str = "", *, secret: bool = False) -> Any:  # noqa: ANN401
        """The value, which stands under a name, and this under another; `secret` if one above is a secret's."""
        if not isinstance(value, str | list | tuple | dict):
            return value
        secret = secret or bool(_SECRET_NAME.fullmatch(name))
        if isinstance(value, str):
            # What a run's parameters and variants are called says less than a name elsewhere.
            secret = secret or (above not in _OWN_NAMES and bool(_NAMED.fullmatch(name)))
            return "***" if value and secret else self._told(value, name, above)
        if isinstance(value, list | tuple):
            if not secret and value and all(isinstance(one, str) for one in value):
                return self._listed(value, name, above)
            return [self(one, name if _PICTURE.match(name) else "", secret=secret) for one in value]
        return {self.name(str(key)): self(one, str(key), name, secret=secret) for key, one in value.items()}

    def _told(self, text: str, name: str, above: str) -> str:
        if _PICTURE.match(name):
            return text
        if name in _NAMES:
            return self.name(text)
        # A person's or a host's name may be any word: the name that it stands under says what it is.
        for kind, named in _KINDS.items():
            if named.search(f"{above[-_LONGEST:]}.{name[-_LONGEST:]}"):
                return self.text(f"{kind}={text}").removeprefix(f"{kind}=")
        return self.text(text)

    def _listed(self, values: Sequence[str], name: str, above: str) -> list[str]:
        said = [self._told(one, name, above) for one in values]
        between = "\n" if name == "traceback" else ""
        if not between and not all(one.endswith("\n") for one in values[:-1]):
            return said
        whole = self._told(between.join(values), name, above)
        if whole == between.join(said):
            return said
        return whole.split("\n") if between else whole.splitlines(keepends=True)

    def json(self, text: str) -> str:
        """As `portable_json`."""
        try:
            value = json.loads(text)
            cleaned = self(value)
        except (ValueError, RecursionError):
            return self.text(text)
        if cleaned == value:
            return text
        if "\n" in text.strip():
            return json.dumps(cleaned, ensure_ascii=False, indent=1)
        return json.dumps(cleaned, ensure_ascii=False, separators=(",", ":"))


def portable_json(text: str, *folders: Path) -> str:
    """A JSON document with `portable_value` of it, on one line if it was; what is none is a text like any other."""
    return ValueCleaner(*folders).json(text)


def portable_lines(text: str, *folders: Path) -> str:
    """Lines of which each is a JSON document, with each as `portable_json` makes it."""
    clean = ValueCleaner(*folders)
    # A run may have a million, with nothing in them.
    folded = text.casefold()
    if "\\" not in text and not any(one in folded for one in (*_SECRETS, *_PEOPLE)) and clean.text(text) == text:
        return text
    target = io.StringIO()
    for line in io.StringIO(text):
        document = line.removesuffix("\n")
        target.write(clean.json(document) + line[len(document) :])
    return target.getvalue()


def portable_rows(text: str, *folders: Path) -> str:
    """A table as CSV with each cell as `portable` makes it; the first line has the columns' names."""
    clean = ValueCleaner(*folders)
    try:
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        # Those that say of what is below them how to look at it.
        named = [
            one if one in _NAMES or any(kind.search(one) for kind in _KINDS.values()) else "" for one in next(rows, [])
        ]
        if not any(named) and clean.text(text) == text:
            return text
        target = io.StringIO()
        writer = csv.writer(target, lineterminator="\n")
        for row in csv.reader(io.StringIO(text, newline=""), strict=True):
            writer.writerow([clean(cell, name) for cell, name in zip(row, chain(named, repeat("")), strict=False)])
    except csv.Error:
        return clean.text(text)
    return target.getvalue()


def portable_markup(text: str, *folders: Path) -> str:
    """HTML or SVG with each text, each attribute's value and each chart's JSON as `portable` makes them by themselves.

    The tags stay what they are.

    Args:
        text: As templates and the sanitizer write it: values stand in double quotes, and `<` begins a tag.
        folders: As of `portable`.
    """
    clean = ValueCleaner(*folders)

    def told(written: str) -> str:
        text = html.unescape(written)
        said = text if text.startswith("data:image/") else clean.text(text)
        return written if said == text else html.escape(said)

    def cleaned(part: re.Match[str]) -> str:
        if part["data"]:
            return part["script"] + clean.json(part["data"]).translate(_ESCAPED)
        if part["tag"]:
            return _QUOTED.sub(lambda found: found[0] if found["style"] else f'"{told(found["value"])}"', part["tag"])
        return told(part[0])

    return _MARKUP.sub(cleaned, text)


_COLOUR = re.compile(r"(?:\x1b|\\x1b|\\u001b|\\033|#x1b|&#27;|\^\[)(?:\[[0-9;:]*[A-Za-z]|\(B)", re.IGNORECASE)
"""As `COLOUR`, and as Python, JSON, XML and others write it out."""
_REMEMBERED = 10_000
"""Texts, of which a document has the same again and again."""
_LONGEST = 80
"""Characters of a name that are looked at."""
_PICTURE = re.compile(r"image/(?!svg)")
_MARKUP = re.compile(
    r'(?P<script><script type="application/json">)(?P<data>[^<]+)|(?P<tag><[^>"]*(?:"[^"]*"[^>"]*)*>)|[^<]+'
)
# Styles have a grammar of their own; of others', the sanitizer leaves none with something private in it.
_QUOTED = re.compile(r'(?P<style> style=)?"(?P<value>[^"]*)"')
_ESCAPED = {ord(one): f"\\u{ord(one):04x}" for one in "<>&'"}


def _cleaner(*folders: Path, forms: bool = True) -> Callable[[str], str]:
    homes = [os.path.expanduser("~"), *_home_of_account()]  # noqa: PTH111 - Path.home() fails where there is none
    places = [
        (str(CHECKOUT), ""),
        *((home, "~") for home in homes),
        (tempfile.gettempdir(), "/tmp"),  # noqa: S108 - a name in a text
        *((str(folder.absolute()), folder.name) for folder in (*map(Path, _given()), *folders)),
    ]
    rules = [
        *_known(tuple(os.environ.items())),
        *(_FORMS if forms else ()),
        *_rules(tuple(places), _user(), socket.gethostname()),
    ]

    def clean(text: str) -> str:
        # Colours may begin within what is looked for: IPython's tracebacks have them behind a name.
        said = bare = _COLOUR.sub("", text)
        folded = bare.casefold()
        for needles, pattern, instead in rules:
            if any(needle in folded for needle in needles):
                said = pattern.sub(instead, said)
        return text if said == bare else said

    return clean


def _given() -> list[str]:
    """Where topics, claims and results are, if that is not the checkout."""
    return list(filter(None, map(os.environ.get, ("PERFLAB_COMPONENTS", "PERFLAB_CLAIMS", "PERFLAB_RESULTS"))))


@functools.lru_cache(maxsize=1)
def _known(environment: tuple[tuple[str, str], ...]) -> list[Rule]:
    """For values of an environment that are secrets by their names, and passwords of proxies."""
    values = [value for name, value in environment if _NAMED.fullmatch(name)]
    for name, value in environment:
        if name.lower().endswith("_proxy"):
            with contextlib.suppress(ValueError):
                password = urlsplit(value if "://" in value else f"//{value}").password or ""
                values += [password, unquote(password)]
    # Texts are looked at without their colours.
    values += [_COLOUR.sub("", value) for value in values]
    values = [value for value in values if len(value) >= _SHORTEST]
    forms = {*values, *(quote(value, "", errors="surrogateescape") for value in values)}
    # One may begin as another does.
    secrets = sorted(forms, key=len, reverse=True)
    return [((value.casefold(),), re.compile(re.escape(value)), lambda _: "***") for value in secrets]


@functools.cache
def _home_of_account() -> list[str]:
    # HOME may say something else. Asked once: accounts may be a network's.
    with contextlib.suppress(ImportError, KeyError):
        import pwd  # noqa: PLC0415 - Unix only, as the lab is, but for reading results

        return [pwd.getpwuid(os.getuid()).pw_dir]
    return []


def _user() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return ""


_NO_PERSON = {"", "root"}
_NO_HOST = {"", "localhost"}
_DISTINCT = 4
"""A host's name of so many characters, with a digit or a mark, is no other word; others count in an address only."""
# What follows `scheme://`, up to the last `@` before the host; and the same without a scheme, before a host with a port
# or a domain, an address, or Go's `tcp(host)`. A digest (`image:tag@sha256:1f3a`) and a version are none of these.
_LOGIN = re.compile(
    r"(?P<kept>://)[^\s/'\"<>]+@|(?<![\w.%+:/@-])(?!mailto:)[\w.%+-]+:[^\s:/'\"<>]*[^\s:/'\"<>@]@"
    r"(?=(?!sha\d+:)[\w.-]+:\d|(?:tcp|unix)\(|(?:[\w-]+\.){1,9}[A-Za-z]{2,}(?!\w|\.\w)|(?:\d{1,3}\.){3}\d|localhost\b|\[)"
)
_WORDS = (
    r"passw(?:or)?d|passphrase|secret|token(?!i[sz])|credential|authorization"
    r"|(?:api|access|auth|private|subscription)[_-]?key"
)
# Variables end in a word that is too usual elsewhere.
_NAME = (
    rf"(?:[\w.-]{{0,80}}(?:{_WORDS})[\w.-]{{0,40}}"
    r"|(?-i:[A-Z][A-Z0-9_]{0,80}_(?:KEY|PASS|PAT|PWD))|[\w.-]{0,80}db[_-]?pass)"
)
_FIELD = r"(?:Proxy-)?Authorization|(?:Set-)?Cookie|X-[\w-]{0,40}(?:Key|Token|Secret)"
_NAMED = re.compile(rf"{_NAME}|{_FIELD}", re.IGNORECASE)
# All below such a name is one, and a variant or parameter only if it is called like that.
_SECRET_NAME = re.compile(rf"[\w.-]{{0,80}}(?:{_WORDS})s?", re.IGNORECASE)
_OWN_NAMES = {"params", "failures"}
# What stands under these is a name that somebody chose, and that results are compared by.
_NAMES = {"baseline", "benchmark", "candidate", "label", "labels", "variant", "variants", "void"}
_SHORTEST = 8
"""Characters of a secret: a shorter one is also a part of other words."""
_QUOTE = r"\\{0,8}[\"']"
# Behind an escaped end of a line and an option's letter, too.
_BEGIN = r"(?:(?<![\w.-])|(?<=\\[nrt])|(?<=\s-[De]))"
# `tokens=128` is a number of them, also within a benchmark's name.
_NUMBER = (
    r"\d{1,10}(?:\.\d{1,20})?[kMGx%]?"
    r"(?:\.?[)\]}'\"]{0,3}(?:[\s,;<]|\Z)|&\w{1,80}=|(?-i:/[a-z_]{1,40}[:=]))"
)
# Of a header the rest of the line goes, whatever quotation marks and other fields stand in it. Here and below a tag,
# as in a table of a notebook, stays.
_HEADER = re.compile(
    rf"(?P<kept>(?:\b|(?<=\\[nrt]))(?:{_FIELD})"
    rf"(?:{_QUOTE}\s?[:=,]|\s{{0,9}}:(?!:)|(?<=ation)\s?=)(?!{_NUMBER})[ \t]*+)[^\n<]+",
    re.IGNORECASE,
)
_HEADERS = ("authorization", "cookie", "key", "token", "secret")
# Up to the quotation mark that ends it, behind which nothing else of it follows, or up to the next space. Parts are
# looked ahead for, since a repeated group would remember each step; of a possessive one, Python before 3.11.5 takes too
# much (python/cpython#106052).
_VALUE = (
    rf"(?P<quote>{_QUOTE})(?:(?=(?P<part>(?:(?P=quote){{2}}|(?!(?P=quote)(?:[\s,;:&)}}\]<>]|\Z))"
    r"(?:[^\n\\\"']+|\\.|[^\n])){1,1000}))(?P=part))*(?P<end>(?P=quote)?)"
    r"|(?:(?-i:ApiKey|Basic|BEARER|[Bb]earer|Digest|Token) +){0,9}[^\s<]+"
)
_OF_PASSWORDS = r"[\w.-]{0,80}(?:passw(?:or)?d|passphrase)"
# `NAME=…`, `"NAME": "…"`, `password: …`, and `--NAME …`, also as a list has it; after `token: ` only what looks like a
# secret is one, and no call of a function.
_IS_SECRET = (
    rf"Bearer +(?!tokens?\b)|pwd=|{_OF_PASSWORDS}(?:=|%3D|\s?[:=][ \t]+)"
    rf"|{_NAME}(?:(?:=|%3D)(?!{_NUMBER})|{_QUOTE}\s{{0,9}}[:=]\s{{0,9}}(?=[bfru]?{_QUOTE})"
    rf"|(?:\s?[:=]\s|(?<=key)\s?[:=](?!:))(?!{_NUMBER})(?=(?:Some\()?[^\s(]{{8}})(?=(?:Some\()?[^\s(]{{0,200}}\d))"
    rf"|--?{_NAME}(?:{_QUOTE},\s{{0,200}}|{_QUOTE}?\s{{1,9}}(?:- )?)(?!{_QUOTE}?--)"
)
_SECRET = re.compile(
    rf"{_BEGIN}(?P<kept>(?:{_IS_SECRET})(?:(?:[bfru]|Some\()(?={_QUOTE}))?)(?:{_VALUE})", re.IGNORECASE
)
_SECRETS = (
    "passw",
    "passphrase",
    "_pass",
    "-pass",
    "dbpass",
    "_pat",
    "pwd",
    "secret",
    "token",
    "key",
    "credential",
    "authorization",
    "bearer",
)
_PEM = re.compile(
    r"(?P<kept>-----BEGIN (?:[A-Z]{1,20} ){0,3}PRIVATE KEY-----)(?:(?!-----)[\w+/=\s\\:,|'\"-]){20,20000}"
)
_CURL = re.compile(
    r"(?P<kept>\bcurl\b(?:\\\n|[^\n|;]){1,200}?(?<=[\s\"'])(?:-[A-Za-z]{0,9}[uU]|--(?:proxy-)?user)"
    r"[ =,\"']{0,4}[\w.@+-]{1,80}:)[^\s<]+"
)
# As GitHub, GitLab, npm, Google, AWS, Slack and services of language models begin theirs, and JSON Web Tokens.
_TOKEN = re.compile(
    r"\b(?:(?:gh[oprsu]_|github_pat_|gl(?:cbt|pat|rt)-(?=[\w-]{0,80}[\dA-Z])|A[KS]IA|xapp-|xox[abeprs]-|ya29\.)[\w-]{10,}|hf_[A-Za-z0-9]{30,}|npm_[A-Za-z0-9]{30,}|AIza[\w-]{30,}|sk-[\w-]{20,}|(?<![\w-])eyJ[\w-]{8,4000}\.[\w-]{8,4000}\.[\w-]*)"
)
_TOKENS = (
    "gh",
    "github_pat_",
    "glcbt-",
    "glpat-",
    "glrt-",
    "npm_",
    "aiza",
    "akia",
    "asia",
    "xapp-",
    "xox",
    "ya29.",
    "hf_",
    "sk-",
    "eyj",
)
# A JVM's greeting.
_OPTIONS = re.compile(r"(?P<kept>Picked up [A-Z_]{0,40}JAVA_[A-Z_]{0,40}OPTIONS: )[^\"\\\n]*")
_PATH = re.compile(r"(?:(?<![\w.~/+])|(?<=\bfile://)|(?<=[\s\"'=]-[A-Za-z]))/[\w.+@%=,:~-]+(?:/+[\w.+@%=,:~-]+)*")

# A line of `ls -l`, up to the group.
_LISTED = re.compile(r"(?<![\w-])[bcdlps-][rwxsStT-]{9}[.+@]?\s{1,9}\d{1,9}\s{1,9}\S{1,64}\s{1,9}\S{1,64}")
_IS = r"(?:[\"']?\s?[:=]\s?[\"']?|\s[\"']?)"
_USER = r"(?:(?<![A-Za-z])|(?<=-D))(?i:user(?:[._-]?name)?|logname|login|owner)"
_HOST = r"(?<![A-Za-z])(?i:host(?:[._-]?name)?|nodename)"
_PEOPLE = ("user", "logname", "login", "owner", "host", "nodename")
_KINDS = {"user": re.compile(rf"{_USER}\Z"), "host": re.compile(rf"{_HOST}\Z")}
_USER_IS = rf"{_USER}{_IS}"
_HOST_IS = rf"{_HOST}{_IS}|UnknownHostException: "
# With a network's name at the end, and two before it in the web: `java.net` and `x.tar` are none.
_DOMAIN = (
    r"(?:(?:\.[A-Za-z][\w-]*){0,8}\.(?:corp|internal|intranet|lan|local|localdomain)"
    r"|(?:\.[A-Za-z][\w-]*){1,8}\.(?:ch|cn|com|de|edu|eu|example|fr|jp|net|nl|org|uk))(?![\w-]|\.\w)"
)
_ADDRESS = r"/\d{1,3}(?:\.\d{1,3}){3}"
_UNKNOWN = r": (?:Name or service not known|Temporary failure in name resolution|nodename nor servname)"


_FORMS: list[Rule] = [
    (("picked up",), _OPTIONS, lambda found: f"{found['kept']}***"),
    (_HEADERS, _HEADER, lambda found: f"{found['kept']}***"),
    (_SECRETS, _SECRET, lambda found: f"{found['kept']}{found['quote'] or ''}***{found['end'] or ''}"),
    (_TOKENS, _TOKEN, lambda _: "***"),
    (("private key",), _PEM, lambda found: f"{found['kept']}***"),
    (("curl",), _CURL, lambda found: f"{found['kept']}***"),
    (("@",), _LOGIN, lambda found: f"{found['kept'] or ''}***@"),
]


@functools.lru_cache(maxsize=16)
def _rules(places: tuple[tuple[str, str], ...], user: str, host: str) -> list[Rule]:
    rules: list[Rule] = []
    # A folder before the one that it lies in.
    for place, name in sorted(places, key=lambda one: -len(one[0])):
        folder = place.rstrip("/")
        if folder.startswith("/"):
            # Also as it stands in an address, in JSON and in HTML.
            forms = {folder, json.dumps(folder)[1:-1], html.escape(folder)}
            forms |= {quote(folder, safe, errors="surrogateescape") for safe in ("/", "")}
            rules += [_of_place(written, name) for written in sorted(forms)]
    if user not in _NO_PERSON:
        word = re.compile(rf"(?<![^\W_]){re.escape(user)}(?![^\W_])")
        # Elsewhere it may be any word.
        needle = (user.casefold(),)
        rules += [(needle, pattern, lambda found: word.sub("user", found[0])) for pattern in (_PATH, _LISTED)]
        before = rf"(?P<kept>{_USER_IS}|(?:[ug]id=|groups=|,)\d{{1,10}}\(|(?<![\w/~])~)"
        rules.append((needle, re.compile(rf"{before}{re.escape(user)}(?![\w-])"), lambda found: f"{found['kept']}user"))
        rules.append((needle, re.compile(rf"(?<![\w.-]){re.escape(user)}(?=@)"), lambda _: "user"))
    # A host is also called by its name without the network's, and in any case.
    for name in dict.fromkeys((host, host.partition(".")[0])):
        if name in _NO_HOST:
            continue
        domain = rf"{re.escape(name)}(?:\.[A-Za-z][\w-]*)*(?![\w-])"
        needle = (name.casefold(),)
        if len(name) >= _DISTINCT and re.search(r"[\d.-]", name):
            rules.append((needle, re.compile(rf"(?<![\w-]){domain}", re.IGNORECASE), lambda _: "host"))
        else:
            alone = rf"(?<![\w.-]){re.escape(name)}(?:{_DOMAIN}|(?={_ADDRESS}|{_UNKNOWN}))"
            named = re.compile(rf"(?P<kept>//|@|{_HOST_IS}){domain}|{alone}", re.IGNORECASE)
            rules.append((needle, named, lambda found: f"{found['kept'] or ''}host"))
    return rules


def _of_place(place: str, name: str) -> Rule:
    # One folder below the top, such as /root, is also a part of others, such as /mnt/root. A longer path is found even
    # behind letters, such as a compiler's -I or the end of a terminal's colour.
    before = r"(?:(?<![\w./~-])|(?<=-[A-Za-z]))" if place.count("/") == 1 else ""
    pattern = re.compile(rf"{before}{re.escape(place)}(?:(?P<below>/+)(?=[^\s/])|(?![\w-]|\.\w))")
    return (place.casefold(),), pattern, lambda found: (name + "/" if name else "") if found["below"] else name or "."
