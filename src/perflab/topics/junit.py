"""JUnit reports, which the test runners of all languages write."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

from junitparser import JUnitXmlError
from junitparser.xunit2 import JUnitXml

from perflab.model.errors import COLOUR, BenchError, UsageError, one_line
from perflab.model.files import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from junitparser import TestSuite


# What XML 1.0 has no way to write.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def writable(text: str) -> str:
    """Return the text without what XML cannot hold, such as colours."""
    return _UNWRITABLE.sub("", COLOUR.sub("", text))


Reports = Mapping["Path", tuple[int, ...]]
"""Reports by path, each with what changes when it is written again, whatever the clock says."""


def find_reports(folder: Path, pattern: str) -> Reports:
    """Find all reports below a folder."""
    try:
        found = [(path, path.stat()) for path in folder.glob(pattern)]
    except ValueError as error:
        raise UsageError(
            f"reports = {pattern!r} is no pattern of paths: {error}", "see docs/adding-a-topic.md"
        ) from None
    return {path: (one.st_ino, one.st_mtime_ns, one.st_ctime_ns, one.st_size) for path, one in found}


def read_suites(folder: Path, pattern: str, earlier: Reports) -> Iterator[TestSuite]:
    """Read the suites of all reports below a folder that are not among the `earlier` ones."""
    for path, state in sorted(find_reports(folder, pattern).items()):
        if earlier.get(path) != state:
            try:
                yield from JUnitXml.fromfile(str(path))
            except (ParseError, JUnitXmlError, LookupError, TypeError, ValueError, *UNREADABLE) as error:
                raise BenchError(f"{path.name} is no report of tests: {one_line(error)}", "run them again") from None
