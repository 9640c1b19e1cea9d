"""Where a document is wrong: msgspec names a value as `$.claims[3].kind`, people look for a line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from perflab.model.errors import UsageError, one_line, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


Step = str | int
"""A key of a table, or an index of a list; several lead from the top of a document to a value."""

_WHERE = re.compile(r"(?P<reason>.*?)(?: - at `\$(?P<steps>[^`]*)`)?", re.DOTALL)
_STEP = re.compile(r"\.(?P<key>\w+)|\[(?P<index>\d+)\]")
_QUOTED = re.compile(r"Expected `(?:int|float)\b.*, got `str`")
_NO_NAME = "[A-Za-z0-9_.-]*"
"""In the pattern of names, which says little to people."""
_CHOICE = re.compile(r"Invalid enum value '(?P<value>.*)'", re.DOTALL)
_UNKNOWN = re.compile(r"unknown field `(?P<key>[^`]+)`")


def located(
    path: Path,
    record: type[msgspec.Struct],
    error: msgspec.ValidationError,
    line_at: Callable[[Sequence[Step]], int],
    hint: str,
) -> UsageError:
    """What to say of a file that is no such record.

    Args:
        path: The file.
        record: What it should hold.
        error: What msgspec says.
        line_at: The line on which a value stands, or the last of its parents that there are.
        hint: What to do about it; for a misspelt key, the nearest one is named instead.
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
        line = 1  # a key that reads like such a place leads nowhere
    return UsageError(f"{path}:{line}: {one_line(match['reason'])}", hint)


def _fields(record: type[msgspec.Struct], steps: Sequence[Step]) -> list[str]:
    """The names of the fields of what these steps lead to."""
    found = _type_at(record, steps)
    if isinstance(found, msgspec.inspect.DictType):
        found = found.value_type  # of which msgspec does not say which
    return [field.encode_name for field in found.fields]


def _choices(record: type[msgspec.Struct], steps: Sequence[Step]) -> list[str]:
    """The values that may stand where these steps lead; none if msgspec does not say where that is."""
    return [str(value) for value in getattr(_type_at(record, steps), "values", ())]


def _type_at(record: type[msgspec.Struct], steps: Sequence[Step]) -> Any:  # noqa: ANN401 - one of msgspec's
    """What these steps lead to; of several types the last one that is not null."""
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
