"""What GCC and Clang say of a source, as far as a reader needs it: `FILE:LINE:COLUMN: KIND: TEXT`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

Kind = Literal["error", "warning"]

_MESSAGE = re.compile(
    r"(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?P<kind>fatal error|error|warning|note): (?P<text>.*)"
)
# GCC's "required from here" before, Clang's "in instantiation of" after an error in a template: who asked for it.
_CONTEXT = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): +(?:required from|required by|recursively)")
_LINKER = re.compile(r".*(undefined reference to .*|multiple definition of .*)")


@dataclass(frozen=True)
class Place:
    """A place in a source, counted from 1; a tab is as wide as the compiler makes it."""

    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Message:
    """An error or a warning.

    Attributes:
        kind: Which of the two.
        text: What is wrong.
        place: Where; None if the linker says it.
        asked_from: For a place in a template: those that asked for it, innermost first.
        notes: What the compiler adds.
    """

    kind: Kind
    text: str
    place: Place | None = None
    asked_from: tuple[Place, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def place_in(self, file: str) -> Place | None:
        """Where this file has to do with it: the place itself, or the one that asked for it."""
        places = [self.place, *self.asked_from] if self.place else []
        return next((place for place in places if place is not None and place.file == file), None)


def read(lines: Iterable[str]) -> list[Message]:
    """The errors and warnings in a compiler's and linker's output, in order."""
    found: list[Message] = []
    asked_from: list[Place] = []
    for line in lines:
        if match := _MESSAGE.fullmatch(line):
            place = Place(match["file"], int(match["line"]), int(match["column"]))
            if match["kind"] == "note":
                # What was asked for before a note is part of the note.
                asked_from = []
                if found and found[-1].place:
                    found[-1] = replace(found[-1], notes=(*found[-1].notes, match["text"].strip()))
                continue
            kind: Kind = "warning" if match["kind"] == "warning" else "error"
            found.append(Message(kind, match["text"], place, tuple(asked_from)))
            asked_from = []
        elif match := _CONTEXT.match(line):
            asked_from.append(Place(match["file"], int(match["line"]), int(match["column"])))
        elif (match := _LINKER.fullmatch(line)) and match[1] not in {one.text for one in found}:
            found.append(Message("error", match[1]))
    return found
