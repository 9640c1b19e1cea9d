"""A result to take away: as CSV, as JSON, as a line for a shell, as a cell for a notebook."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import json
from typing import TYPE_CHECKING, Any

from perflab.console.rows import Row, rows
from perflab.errors import MissingError
from perflab.paths import RESULTS_DIR, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from perflab.console.commands import Command

FORMATS = {"shell line": "sh", "notebook cell": "py", "CSV": "csv", "JSON": "json"}
"""What there is to choose, and the suffix of each as a file."""

FOLDER = "console"
"""Of the results."""


def export(format_: str, command: Command, result: Mapping[str, Any]) -> str:
    """The result as text.

    Args:
        format_: A key of `FORMATS`.
        command: What found it.
        result: What it found.
    """
    match format_:
        case "CSV":
            return _csv(result)
        case "JSON":
            return json.dumps({"command": command.shell, "result": result}, indent=1, default=str) + "\n"
        case "notebook cell":
            return command.cell + "\n"
        case _:
            return command.shell + "\n"


def save(format_: str, name: str, command: Command, result: Mapping[str, Any]) -> Path:
    """Write it as a file beside the other results, under a name that is free.

    Returns:
        Its path, from the checkout where it lies in it.

    Raises:
        MissingError: If it cannot be written.
    """
    folder = RESULTS_DIR / FOLDER
    numbered = (folder / f"{name}{end}.{FORMATS[format_]}" for end in _ends())
    path = next(one for one in numbered if not one.exists())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(export(format_, command, result), encoding="utf-8")
    except OSError as error:
        raise MissingError(
            f"cannot write {path}: {error.strerror}", "point PERFLAB_RESULTS to a folder that can be written"
        ) from None
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def _ends() -> Iterator[str]:
    yield ""
    yield from (f"-{number}" for number in itertools.count(2))


def _csv(result: Mapping[str, Any]) -> str:
    """Tidy: a line for each comparison, numbers unrounded."""
    out = io.StringIO()
    writer = csv.DictWriter(out, [field.name for field in dataclasses.fields(Row)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(dataclasses.asdict(row) for row in rows(result))
    return out.getvalue()
