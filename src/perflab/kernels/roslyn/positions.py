"""Positions in a cell: Jupyter counts characters, C# counts UTF-16 units, of which some characters take two."""

from __future__ import annotations


def to_utf16(text: str, position: int) -> int:
    """The same place in UTF-16 units."""
    return len(text[:position].encode("utf-16-le", "surrogatepass")) // 2


def from_utf16(text: str, position: int) -> int:
    """The same place in characters."""
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * position]
    return len(units.decode("utf-16-le", "ignore"))
