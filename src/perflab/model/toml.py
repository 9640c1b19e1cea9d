"""TOML files that people write: read into a record, and what is wrong with one is named with its line."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import msgspec

from perflab.model.errors import UsageError
from perflab.model.located import located

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from perflab.model.located import Step


_Record = TypeVar("_Record", bound=msgspec.Struct)


def read_toml(path: Path, kind: type[_Record], hint: str) -> _Record:
    """Read and check a file."""
    try:
        text = path.read_bytes().decode()
        table = tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: {error}") from None
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        raise located(path, kind, error, partial(_line_at, text), hint) from None


def _line_at(text: str, steps: Sequence[Step]) -> int:
    """The line on which a value begins: after the last line up to which all is TOML, and the value is not there yet."""
    lines = text.splitlines(keepends=True)
    whole, line = _depth(tomllib.loads(text), steps), 1
    for number in range(len(lines)):
        with suppress(ValueError):
            if _depth(tomllib.loads("".join(lines[:number])), steps) < whole:
                line = number + 1
    return line


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
