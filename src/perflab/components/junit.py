"""JUnit reports, which the test runners of all languages write."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from junitparser.xunit2 import JUnitXml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from junitparser import TestSuite


# What XML 1.0 has no way to write.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def writable(text: str) -> str:
    """The text without what XML cannot hold, such as the escapes of colours."""
    return _UNWRITABLE.sub("", text)


def read_suites(folder: Path, pattern: str, since: float) -> Iterator[TestSuite]:
    """The suites of all reports below a folder that were written since a moment, in seconds since the epoch."""
    for path in sorted(folder.glob(pattern)):
        # Reports of earlier runs lie in the same folder.
        if path.stat().st_mtime >= since - 1:
            yield from JUnitXml.fromfile(str(path))
