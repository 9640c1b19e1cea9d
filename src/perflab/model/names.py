"""Valid names of runs, topics, variants and the like, which come from bench programs and other machines.

They become names of folders, pages and columns, and arguments of commands, so each is checked when decoded.
"""

from __future__ import annotations

import re
from typing import Annotated

import msgspec

_WORD = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
LONGEST = 200
"""Characters. A folder's name has 255 bytes, and `.draft` may be appended."""

Id = Annotated[str, msgspec.Meta(pattern=rf"^{_WORD}\Z", max_length=LONGEST)]
"""A letter or a digit, then letters, digits, `_`, `.` and `-`: no separator, no option, no hidden file, no `..`."""

OptionalId = Annotated[str, msgspec.Meta(pattern=rf"^({_WORD})?\Z", max_length=LONGEST)]
"""An `Id`, or empty."""

_LONGEST_LABEL = 1000
UNSEEN = r"\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"

Label = Annotated[str, msgspec.Meta(pattern=rf"^[^{UNSEEN}]*\Z", max_length=_LONGEST_LABEL)]
"""A line for people, never a path: no control, invisible or bidirectional characters.

Labels consist of ids, parameter values and user input: `linked @ HEAD~1`, `size=1 lid=off`.
"""

_ID, _LABEL = re.compile(_WORD), re.compile(rf"[^{UNSEEN}]*")


def file_name(text: str) -> str:
    """Return a file name that resembles a text."""
    return re.sub(r"[^\w.@=-]+|^\.", "-", text)[:LONGEST] or "-"


def is_unicode(text: str) -> bool:
    """Check that a text can be encoded as UTF-8, since command-line arguments may be any bytes."""
    return not any("\ud800" <= one <= "\udfff" for one in text)


def is_id(text: str) -> bool:
    """Check that a text is an `Id`."""
    return len(text) <= LONGEST and _ID.fullmatch(text) is not None


def is_label(text: str) -> bool:
    """Check that a text is a `Label`."""
    return len(text) <= _LONGEST_LABEL and _LABEL.fullmatch(text) is not None
