"""Command lines of the lab and of bench programs."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def typed(value: object) -> str:
    """A parameter's value as one types it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def assignments(params: Mapping[str, object] | None) -> list[str]:
    """Parameters as `--param` takes them."""
    return [f"{name}={typed(value)}" for name, value in (params or {}).items()]


def option_words(options: Iterable[tuple[str, object]]) -> list[str]:
    """Options with their values: none for None and False, a flag for True, the option once for each of a list."""
    words: list[str] = []
    for name, value in options:
        if value is True:
            words.append(f"--{name}")
        elif value is not None and value is not False:
            for one in value if isinstance(value, (list, tuple)) else [value]:
                words += [f"--{name}", str(one)]
    return words


def shell_line(command: str, *arguments: str, **options: object) -> str:
    """A command of the lab as one types it in a shell."""
    return shlex.join(["./lab", command, *arguments, *option_words(options.items())])
