"""What a long piece of work tells of itself while it runs."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Somebody who wants to know how far it is."""

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        """Called as often as there is news; `done` runs from 0 to 1."""

    def note(self, text: str) -> None:
        """Called for what a user should read even if it scrolls by: a warning, a dropped variant."""


class Silent:
    """Nobody wants to know."""

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        """Ignore it."""

    def note(self, text: str) -> None:
        """Ignore it."""


class Portion:
    """A part of a longer piece of work, which is told of the whole.

    Args:
        whole: Who wants to know.
        begin: Where the part begins in it, from 0 to 1.
        end: Where it ends.
    """

    def __init__(self, whole: Progress, begin: float, end: float) -> None:
        self._whole, self._begin, self._end = whole, begin, end

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        """Pass it on at its place."""
        self._whole.update(self._begin + done * (self._end - self._begin), text, seconds_left)

    def note(self, text: str) -> None:
        """Pass it on."""
        self._whole.note(text)
