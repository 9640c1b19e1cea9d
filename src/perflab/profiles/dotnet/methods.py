"""Names of managed methods, as the runtime writes them into its perf map, for humans."""

from __future__ import annotations

import re
from functools import lru_cache

# `RETURN TYPE [ASSEMBLY] TYPE::METHOD(ARGUMENTS)[TIER]`: of all brackets only the assembly's have a space behind them.
_METHOD = re.compile(r"(?:^|\s)\[[\w.+-]+\] (?P<type>\S.*?)::(?P<method>[^(]+)\(")
_INNERMOST_ARGUMENTS = re.compile(r"`\d+|\[[^\[\]]*\]|(?<=\w)<[^<>]*>")
_CLOSURE = re.compile(r"\.<>c(__DisplayClass\d+_\d+)?(?=\.|$)")
_LAMBDA = re.compile(r"<(?P<owner>[\w.]+)>b__[\d_]+$")
_LOCAL_FUNCTION = re.compile(r"<(?P<owner>[\w.]+)>g__(?P<name>\w+)\|[\d_]+$")
_STATE_MACHINE = re.compile(r"\.<(?P<owner>\w+)>d__\d+\.MoveNext$")


@lru_cache(maxsize=1 << 16)
def method(symbol: str) -> str:
    """A perf map's symbol as `Namespace.Type.Method`; what is no managed method comes back as it is.

    Lambdas and asynchronous methods get the name of the method that they stand in: the compiler's own names for them
    have numbers that change with any edit above. The tier of the compiler goes, so that a method is one frame.
    """
    found = _METHOD.search(symbol)
    if not found:
        return symbol
    kind = _without_arguments(found["type"]).replace("+", ".")
    member = _without_arguments(found["method"])
    member = {".ctor": "<constructor>", ".cctor": "<static constructor>"}.get(member, member)
    name = _CLOSURE.sub("", f"{kind}.{member}")
    name = _STATE_MACHINE.sub(r".\g<owner>", name)
    name = _LOCAL_FUNCTION.sub(r"\g<owner>.\g<name>", name)
    return _LAMBDA.sub(r"\g<owner>.<lambda>", name)


def _without_arguments(name: str) -> str:
    """A generic type or method without what it is applied to, which may be generic itself."""
    shorter = _INNERMOST_ARGUMENTS.sub("", name)
    return shorter if shorter == name else _without_arguments(shorter)
