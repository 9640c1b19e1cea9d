"""TOML files that people write: read into a record, and what is wrong with one is named with its line."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import msgspec

from perflab.model.errors import UsageError
from perflab.model.files import read_bytes
from perflab.model.limits import limit
from perflab.model.located import located

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from perflab.model.located import Step


_Record = TypeVar("_Record", bound=msgspec.Struct)


def read_toml(path: Path, kind: type[_Record], hint: str) -> _Record:
    """Read and check a file.

    Raises:
        UsageError: If it is no TOML, or a key is missing, misspelt or of the wrong type; names the file and the line.
    """
    try:
        text = read_bytes(path, _LARGEST).decode()
        # Not `splitlines`: a quoted key may hold what that takes for the end of a line.
        dots = [line.count(".") for line in text.split("\n")]
        limit(max(dots) * sum(dots), _MOST_DOTS, "the most dots of a line, times those of all lines")
        table = tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: {error}") from None
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        raise located(path, kind, error, partial(_line_at, text), hint) from None


_LARGEST = 1 << 18
"""Bytes; the longest manifest has 4,600."""
_MOST_DOTS = 1 << 16
"""A key of many parts takes the square of their number, and each key below a table of such a name takes all of them.

The manifest with most comes to 1,200.
"""
_TRIES, _MOST_READ = 100, 1 << 21
"""To find the line of an error: each reads up to all of the characters."""


def _line_at(text: str, steps: Sequence[Step]) -> int:
    """The line on which a value begins: after the last line up to which all is TOML, and the value is not there yet.

    That is sought by halves. Within a value of many lines no line ends TOML, so that some more are tried.
    """
    lines = text.splitlines(keepends=True)
    whole = _depth(tomllib.loads(text), steps)
    # Up to `low` it is not there; from `high` on it is, or nothing is TOML.
    low, high, tries = 0, len(lines), min(_TRIES, _MOST_READ // max(len(text), 1))
    while low + 1 < high and tries > 0:
        number = middle = (low + high) // 2
        while number < high and tries > 0:
            tries -= 1
            with suppress(ValueError, RecursionError):
                if _depth(tomllib.loads("".join(lines[:number])), steps) < whole:
                    low = number
                break
            number += 1
        if low < middle:
            high = middle
    return low + 1


def _depth(value: object, steps: Sequence[Step]) -> int:
    """How many of these steps there are."""
    for number, step in enumerate(steps):
        try:
            value = value[step]  # type: ignore[index] # a table or a list, or else it raises
        except (KeyError, IndexError, TypeError):
            # Of a table of tables the error may be in any.
            tables = value.values() if isinstance(value, dict) else ()
            inner = [one[step] for one in tables if isinstance(one, dict) and step in one]
            if not inner:
                return number
            value = inner[0]
    return len(steps)
