"""What was run in this session, for consoles that offer it again."""

from __future__ import annotations

import fnmatch

Entry = tuple[int, int, str]
"""Session, number of the cell, source; the session is always the present one, 0."""

WithOutput = tuple[int, int, tuple[str, str | None]]
"""The same with the text of the cell's result, if it had one."""


class History:
    """Inputs in their order; lost with the kernel."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._results: dict[int, str] = {}

    def add(self, number: int, source: str) -> None:
        """Take in what was run."""
        self._entries.append((0, number, source))

    def add_result(self, number: int, text: str) -> None:
        """Take in what a cell resulted in."""
        self._results[number] = text

    def with_outputs(self, entries: list[Entry]) -> list[WithOutput]:
        """The same entries with their results."""
        return [(session, number, (source, self._results.get(number))) for session, number, source in entries]

    def tail(self, count: int) -> list[Entry]:
        """The last ones."""
        return self._entries[-count:] if count > 0 else []

    def range(self, session: int, start: int, stop: int | None) -> list[Entry]:
        """Those with a number from `start` to before `stop`; other sessions are not kept."""
        if session != 0:
            return []
        return [entry for entry in self._entries if start <= entry[1] and (stop is None or entry[1] < stop)]

    def search(self, pattern: str, count: int | None, *, unique: bool) -> list[Entry]:
        """The last ones whose source matches a pattern with `*` and `?`."""
        found = [entry for entry in self._entries if fnmatch.fnmatchcase(entry[2], pattern)]
        if unique:
            last = {source: (session, number, source) for session, number, source in found}
            found = sorted(last.values(), key=lambda entry: entry[1])
        return found[-count:] if count else found
