"""Which commands need a shell, and what /bin/sh does not have of the syntax that they use."""

from __future__ import annotations

import re
import shlex
import shutil
from typing import TYPE_CHECKING

from perflab.host.processes import ask
from perflab.model.errors import UsageError, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


SHELL = "/bin/sh"

_OUTSIDE = re.compile(r"\\.|'[^']*'|\$'(?:\\.|[^'\\])*'|.", re.DOTALL)
_INSIDE = re.compile(r"\\.|\$\(|\$\{[^}]*\}|\$\w+|.", re.DOTALL)
"""Tokens outside and inside double quotes."""
_BRACES = r"(?<!\$)\{[^{}\s]*(?:,|\.\.)[^{}\s]*\}"
_SYNTAX = re.compile(r"[|&;<>()`*?\n\\]|\[[^\]\s$]+\]|\$[A-Za-z_{('@$!#]|^\s*\w+=|(?:^|\s)[~#]|" + _BRACES)
"""Shell syntax. Not `$0` or `s[`: in `awk !s[$0]++ words` they belong to awk."""
_WORD = re.compile(
    r"(?:^|[\n;&|(])\s*(?:(?:then|do|else|elif|if|while|until|!|\{)\s+|\w+=\S*\s+)*"
    r"([^\s;&|()<>$`%\\/]+)(?=[\s;&|()]|$)"
)
"""A word where a command begins."""
_LACKING = (
    # what, where it stands, a command that fails in a shell without it
    ("&>", r"&>", 'test -z "$(echo a &> /dev/null)"'),
    ("<( )", r"[<>]\(", ": <(:)"),
    ("<<<", r"<<<", ": <<< a"),
    ("|&", r"\|&", ": |& :"),
    ("(( ))", r"(?:^|[\n;&|])\s*\(\(", "((1))"),
    ("{a,b}", _BRACES, 'test "$(echo {a,b})" = "a b"'),
    ("$' '", r"\$'", "test $'\\x61' = a"),
    ("an array", r"\w=\(", "a=(1)"),
    ("echo -e", r"\becho\s+-[nE]*e", 'test "$(echo -e a)" = a'),
    ("$NAME", r"\$\{?(RANDOM|SRANDOM|SECONDS|EPOCH\w+|BASH\w*)\b", 'test -n "$NAME"'),
)


def shell_of(option: str | None, commands: Sequence[str], others: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words that start the shell of all commands; none if they run without one; and notes for the user.

    Args:
        option: `none`, `default`, or a shell with its arguments; by default, `SHELL` if a command needs one.
        commands: What is measured.
        others: What runs before and after it.

    Raises:
        UsageError: If the default shell lacks syntax that is used: some of it has another meaning there.
    """
    if option not in {None, "default"}:
        return ([] if option == "none" else split(str(option))), []
    needing = [text for text in commands if option or _needs_shell(text)]
    for text in (*needing, *others):
        if lacking := next(_lacking(text), ""):
            raise UsageError(
                f"{SHELL} has no {lacking}, as in {one_line(text)!r}", "--shell bash, or --shell sh to run it as it is"
            )
    if not needing:
        return [], []
    if len(needing) == len(commands):
        return [SHELL], []
    said = one_line(needing[0])
    return [SHELL], [f"all commands run in {SHELL}, as {said[:100]!r} needs it: its start is in every figure"]


def split(text: str) -> list[str]:
    """Split a command into words as a shell does."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"cannot read the command {one_line(text)!r}: {error}", "see --help") from None
    if not words:
        raise UsageError("a command is empty", "see --help")
    return words


def _needs_shell(text: str) -> bool:
    bare = _unquoted(text)
    if _SYNTAX.search(bare):
        return True
    first = split(text)[0]
    return shutil.which(first) is None and (_knows(SHELL, first) or _knows("bash", first))


def _lacking(text: str) -> Iterator[str]:
    """Yield the syntax in a command that the default shell does not have."""
    bare = _unquoted(text)
    for what, pattern, probe in _LACKING:
        for found in re.finditer(pattern, bare):
            name = found[1] if found.re.groups else ""
            if ask([SHELL, "-c", probe.replace("NAME", name)]) is None:
                yield what.replace("NAME", name)
    for word in dict.fromkeys(_WORD.findall(bare)):
        if shutil.which(word) is None and not _knows(SHELL, word) and _knows("bash", word):
            yield word


def _knows(shell: str, word: str) -> bool:
    """Say whether a word is one of the shell's own, such as `cd` or `if`."""
    return ask([shell, "-c", 'command -v "$1"', shell, word]) is not None


def _unquoted(text: str) -> str:
    r"""Replace what quotes make plain text by `%`, but `\` stays where splitting would not do what a shell does."""
    found: list[str] = []
    closing: list[str] = []
    at = 0
    while match := (_INSIDE if closing[-1:] == ['"'] else _OUTSIDE).match(text, at):
        part, at = match[0], match.end()
        quoted = closing[-1:] == ['"']
        if part in {"(", "$("} and not (quoted and part == "("):
            closing.append(")")
        elif part == '"' and not quoted:
            closing.append('"')
        elif part == '"' or (part == ")" and not quoted):
            closing = closing[:-1]
        if quoted:
            plain = part != "`" and part[0] != "$" and part not in {"\\$", "\\`", "\\\n"}
        else:
            plain = part == '"' or (part[0] in "'\\" and len(part) > 1 and part != "\\\n")
        found.append("%" if plain else "$'" if part[:2] == "$'" else part)
    return "".join(found)
