"""The folder: an older report is replaced, anything else is left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sites import build_site

from perflab.model.errors import MissingError, UsageError
from perflab.site.writer import MARKER, SiteWriter, replacing_report

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, path: str, text: str = "") -> None:
    with replacing_report(folder) as draft:
        SiteWriter(draft).text(path, text)


def test_what_an_older_report_left_goes(tmp_path: Path) -> None:
    write(tmp_path / "report", "claims/gone.html")
    write(tmp_path / "report", "index.html")
    assert {path.name for path in (tmp_path / "report").iterdir()} == {MARKER, "index.html"}
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UsageError, match="something else than a report"):
        write(tmp_path, "index.html")
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_a_report_that_cannot_be_made_leaves_the_older_one(tmp_path: Path) -> None:
    write(tmp_path / "report", "index.html", "the older one")
    with pytest.raises(UsageError, match="no report 'catga-thread'"):
        build_site(tmp_path / "report", ["catga-thread"])
    assert (tmp_path / "report" / "index.html").read_text() == "the older one"


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("")
    with pytest.raises(UsageError, match="is a file"):
        write(tmp_path / "report", "index.html")
    with pytest.raises(MissingError, match="cannot write"):
        write(tmp_path / "report" / "inner", "index.html")


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    write(tmp_path / "empty", "a/b.txt", "text")
    assert (tmp_path / "empty" / "a" / "b.txt").read_text() == "text"


@pytest.mark.parametrize("path", ["../outside.html", "a/../../outside.html", "/tmp/perflab-outside.html"])  # noqa: S108
def test_nothing_is_written_outside(tmp_path: Path, path: str) -> None:
    (tmp_path / "report").mkdir()
    writer = SiteWriter(tmp_path / "report")
    (tmp_path / "source.json").write_text("{}")
    for write in (lambda: writer.text(path, ""), lambda: writer.copy(tmp_path / "source.json", path)):
        with pytest.raises(UsageError, match="is no place in a report"):
            write()
    assert {one.name for one in tmp_path.iterdir()} == {"report", "source.json"}
