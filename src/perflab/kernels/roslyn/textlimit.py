"""A limit to what is printed past .NET's console, whose own limit is in the C# half."""

from __future__ import annotations

import threading

LIMIT_PER_CELL = 1_000_000


class TextLimit:
    """Lets through so many characters per cell, then one note, then nothing."""

    def __init__(self, limit: int = LIMIT_PER_CELL) -> None:
        self._limit = limit
        self._room = limit
        self._lock = threading.Lock()

    def reset(self) -> None:
        """Begin a cell."""
        with self._lock:
            self._room = self._limit

    def take(self, text: str) -> str:
        """What of the text is to be shown."""
        with self._lock:
            room = self._room
            self._room -= len(text)
        if room < 0:
            return ""
        return (
            text
            if len(text) <= room
            else f"{text[:room]}\n[more than {self._limit} characters: the rest is left out]\n"
        )
