"""What names are: those of runs, topics, variants and the like come from bench programs and from other machines.

They become names of folders, pages and columns, and words of commands, so each is checked where it is decoded.
"""

from __future__ import annotations

import re
from typing import Annotated

import msgspec

_WORD = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
LONGEST = 200
"""Characters. A folder's name has 255 bytes, and `.draft` may be put behind it."""

Id = Annotated[str, msgspec.Meta(pattern=rf"^{_WORD}\Z", max_length=LONGEST)]
"""A letter or a digit, then letters, digits, `_`, `.` and `-`: no separator, no option, no hidden file, no `..`."""

OptionalId = Annotated[str, msgspec.Meta(pattern=rf"^({_WORD})?\Z", max_length=LONGEST)]
"""An `Id`, or empty where there is none."""

_LONGEST_LABEL = 1000
UNSEEN = r"\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"

Label = Annotated[str, msgspec.Meta(pattern=rf"^[^{UNSEEN}]*\Z", max_length=_LONGEST_LABEL)]
"""A line for people, never a path: no control characters, and nothing that is not seen or turns the text around.

The lab makes labels of arms from ids, values of parameters, and what people type: `linked @ HEAD~1`, `size=1 lid=off`.
"""

_ID, _LABEL = re.compile(_WORD), re.compile(rf"[^{UNSEEN}]*")


def file_name(text: str) -> str:
    """A file's name that says as much of a text as it can."""
    return re.sub(r"[^\w.@=-]+|^\.", "-", text)[:LONGEST] or "-"


def is_unicode(text: str) -> bool:
    """Whether it can be written as UTF-8: an argument of the command line may be any bytes."""
    return not any("\ud800" <= one <= "\udfff" for one in text)


def is_id(text: str) -> bool:
    """Whether this is an `Id`."""
    return len(text) <= LONGEST and _ID.fullmatch(text) is not None


def is_label(text: str) -> bool:
    """Whether this is a `Label`."""
    return len(text) <= _LONGEST_LABEL and _LABEL.fullmatch(text) is not None
