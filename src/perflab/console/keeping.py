"""Results that were kept: under a name, in a file, until they are let go."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from perflab.console.commands import Command
from perflab.errors import MissingError, UsageError
from perflab.paths import RESULTS_DIR

if TYPE_CHECKING:
    from pathlib import Path

FILE_NAME = "console/kept.json"


class Kept(msgspec.Struct, frozen=True):
    """A result, and the command that found it. `created` is ISO 8601 in UTC."""

    name: str
    command: Command
    result: dict[str, Any]
    created: str


class Shelf:
    """What is kept, by name. Written at once; another console's entries are read again before each change.

    Args:
        path: The file; the results folder's own without it.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or RESULTS_DIR / FILE_NAME

    def all(self) -> list[Kept]:
        """In the order in which they were kept; none if the file cannot be read."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=list[Kept])
        except (OSError, msgspec.MsgspecError):
            return []

    def get(self, name: str) -> Kept:
        """The one of this name.

        Raises:
            UsageError: If there is none.
        """
        found = next((one for one in self.all() if one.name == name), None)
        if found is None:
            raise UsageError(f"nothing is kept as {name!r}", "choose one that is in the list")
        return found

    def keep(self, name: str, command: Command, result: dict[str, Any]) -> Kept:
        """Keep a result.

        Raises:
            UsageError: If the name is empty or taken.
            MissingError: If the file cannot be written.
        """
        name = name.strip()
        if not name:
            raise UsageError("a kept result needs a name", "type one, as in: before the change")
        kept = self.all()
        if name in {one.name for one in kept}:
            raise UsageError(f"something is kept as {name!r} already", "choose another name, or let that one go first")
        new = Kept(name, command, result, datetime.now(UTC).isoformat(timespec="seconds"))
        self._write([*kept, new])
        return new

    def drop(self, name: str) -> None:
        """Let the one of this name go; the runs behind it stay in the store.

        Raises:
            MissingError: If the file cannot be written.
        """
        self._write([one for one in self.all() if one.name != name])

    def _write(self, kept: list[Kept]) -> None:
        draft = self._path.with_suffix(".draft")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=1))
            draft.rename(self._path)
        except OSError as error:
            raise MissingError(
                f"cannot keep it: {error.strerror}: {self._path}",
                "point PERFLAB_RESULTS to a folder that can be written",
            ) from None
