"""Read handwritten TOML files, and locate errors by line."""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from perflab.model.errors import UsageError, one_line, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


Step = str | int
"""A key of a table, or an index of a list; a sequence is the path to a value in a document."""

_WHERE = re.compile(r"(?P<reason>.*?)(?: - at `\$(?P<steps>[^`]*)`)?", re.DOTALL)
_STEP = re.compile(r"\.(?P<key>\w+)|\[(?P<index>\d+)\]")
_QUOTED = re.compile(r"Expected `(?:int|float)\b.*, got `str`")
_NO_NAME = "[A-Za-z0-9_.-]*"
"""Part of the pattern of names, which tells users little."""
_CHOICE = re.compile(r"Invalid enum value '(?P<value>.*)'", re.DOTALL)
_UNKNOWN = re.compile(r"unknown field `(?P<key>[^`]+)`")


def located(
    path: Path,
    record: type[msgspec.Struct],
    error: msgspec.ValidationError,
    line_at: Callable[[Sequence[Step]], int],
    hint: str,
) -> UsageError:
    """Return the error for an invalid file, with the line.

    Args:
        path: The file.
        record: The expected type.
        error: The error of msgspec.
        line_at: Return the line of a value, or of its last existing parent.
        hint: The remedy; for a misspelt key, the closest one is suggested instead.
    """
    match = _WHERE.fullmatch(str(error))
    assert match is not None  # noqa: S101 - all of it is optional
    known = (match["steps"] or "").partition("[...]")[0]
    steps: list[Step] = [one["key"] or int(one["index"]) for one in _STEP.finditer(known)]
    try:
        if misspelt := _UNKNOWN.search(match["reason"]):
            hint = unknown("key", misspelt["key"], _fields(record, steps)).hint
            steps.append(misspelt["key"])
        elif _NO_NAME in match["reason"]:
            hint = f"a name has letters, digits, '.', '_' and '-', and ./lab describe lists them; {hint}"
        elif _QUOTED.search(match["reason"]):
            hint = "write a number without quotes, and without a unit behind it"
        elif match["reason"].endswith("got `null`"):
            hint = f"nothing stands behind it; {hint}"
        elif (wrong := _CHOICE.fullmatch(match["reason"])) and (choices := _choices(record, steps)):
            hint = unknown("value", wrong["value"], choices).hint
        line = line_at(steps)
    except (AttributeError, LookupError, StopIteration, TypeError):
        line = 1  # a key that looks like a path
    return UsageError(f"{path}:{line}: {one_line(match['reason'])}", hint)


def _fields(record: type[msgspec.Struct], steps: Sequence[Step]) -> list[str]:
    """Return the field names of the type at a path."""
    found = _type_at(record, steps)
    if isinstance(found, msgspec.inspect.DictType):
        found = found.value_type  # msgspec does not say which of them
    return [field.encode_name for field in found.fields]


def _choices(record: type[msgspec.Struct], steps: Sequence[Step]) -> list[str]:
    """Return the allowed values at a path; none if msgspec does not name the path."""
    return [str(value) for value in getattr(_type_at(record, steps), "values", ())]


def _type_at(record: type[msgspec.Struct], steps: Sequence[Step]) -> Any:  # noqa: ANN401 - one of msgspec's
    """Return the type at a path; of a union, the last one that is not null."""
    found: Any = msgspec.inspect.type_info(record)
    for step in steps:
        if isinstance(step, int):
            found = found.item_type
        else:
            found = next(field.type for field in found.fields if field.encode_name == step)
        for one in getattr(found, "types", ()):
            if not isinstance(one, msgspec.inspect.NoneType):
                found = one
    return found


_Record = TypeVar("_Record", bound=msgspec.Struct)


def read_toml(path: Path, kind: type[_Record], hint: str) -> _Record:
    """Read and check a TOML file."""
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
    """Return a value's first line: the one after the longest valid TOML prefix without the value."""
    lines = text.splitlines(keepends=True)
    whole, line = _depth(tomllib.loads(text), steps), 1
    for number in range(len(lines)):
        with suppress(ValueError):
            if _depth(tomllib.loads("".join(lines[:number])), steps) < whole:
                line = number + 1
    return line


def _depth(value: object, steps: Sequence[Step]) -> int:
    """Return the number of steps of a path that exist."""
    for number, step in enumerate(steps):
        try:
            value = value[step]  # type: ignore[index] # a table or a list, or else it raises
        except (KeyError, IndexError, TypeError):
            # In a table of tables, the error may be in any of them.
            tables = value.values() if isinstance(value, dict) else ()
            inner = [one[step] for one in tables if isinstance(one, dict) and step in one]
            if not inner:
                return number
            value = inner[0]
    return len(steps)
