"""Progress of long tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Progress(Protocol):
    """Receives the progress of a long task."""

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        """Report progress; `done` runs from 0 to 1."""

    def note(self, text: str) -> None:
        """Report something that users must not miss: a warning, a dropped variant."""


class PartialProgress:
    """Reports progress of a part, from `begin` to `end` (0 to 1), as progress of the whole task.

    `after_s`: estimated seconds for the rest of the whole after this part.
    """

    def __init__(
        self, whole: Progress, begin: float = 0.0, end: float = 1.0, after_s: Callable[[], float] = lambda: 0.0
    ) -> None:
        self._whole, self._begin, self._end, self._after_s = whole, begin, end, after_s

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        """Report progress of the part."""
        left = None if seconds_left is None else seconds_left + self._after_s()
        self._whole.update(self._begin + done * (self._end - self._begin), text, left)

    def note(self, text: str) -> None:
        """Pass a note on."""
        self._whole.note(text)
