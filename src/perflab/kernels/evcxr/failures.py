"""Failures that a cell has not handled.

evcxr prints the error that a cell ends with by `?`, and calls the cell a success: a notebook that is run by a program
would go on after it. The labkit announces each failure before it returns it; if evcxr then prints the same text, nobody
has handled it.
"""

from __future__ import annotations

from typing import Any


class Failures:
    """Those of one cell."""

    def __init__(self) -> None:
        self._announced: dict[str, tuple[str, str]] = {}
        self._skipped: list[str] = []
        self._waiting: tuple[str, str] | None = None
        self._expected: set[str] = set()

    @property
    def is_open(self) -> bool:
        """Whether there is one of which standard error has not told yet what became of it."""
        return self._waiting is not None or bool(self._expected) or bool(self._announced)

    def clear(self) -> None:
        """A cell begins."""
        self._announced.clear()
        self._expected.clear()
        self._skipped, self._waiting = [], None

    def expect(self, text: str) -> None:
        """The same will be announced on standard error, which comes later than the end of the cell at times."""
        self._expected.add(text)

    def announce(self, text: str, name: str) -> None:
        """The labkit is about to return this error."""
        self._expected.discard(text)
        self._announced[text.partition("\n")[0] + "\n"] = (text, name)

    def filter(self, line: str) -> tuple[str, dict[str, Any] | None]:
        """What of a line of standard error is to be shown as such, and the cell's error, if this line completes it."""
        if self._waiting is None:
            if line not in self._announced:
                return line, None
            self._waiting = self._announced.pop(line)
            self._skipped = []
        self._skipped.append(line)
        text, name = self._waiting
        said = "".join(self._skipped)
        if said == text + "\n":
            self._waiting = None
            return "", {"ename": name, "evalue": text, "traceback": text.split("\n")}
        if not (text + "\n").startswith(said):
            self._waiting = None
            return said, None
        return "", None
