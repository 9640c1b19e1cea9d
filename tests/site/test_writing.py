"""The folder: an older report is replaced, anything else is left alone."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from sites import build_site

from perflab.model.errors import MissingError, UsageError
from perflab.site.writer import MARKER, SiteWriter, in_place_of


def write(folder: Path, path: str, text: str = "") -> None:
    with in_place_of(folder) as draft:
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


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", 'a,b\n"--token ","x, y"\n1,{home}/z\n', 'a,b\n--token ,"x, y"\n1,~/z\n'),
        ("a.csv", '1,"{home}/z', '1,"~/z'),
        ("a.csv", "user,n\n{user},{user},3\n", "user,n\nuser,{user},3\n"),
        ("a.jsonl", '{{"user":["{user}"]}}\n{{}}\n', '{{"user":["user"]}}\n{{}}\n'),
        ("a.json", '{{"a": "password: ", "b": "{home}/z"}}', '{{"a":"password: ","b":"~/z"}}'),
        ("a.jsonl", '{{"a":"--token ","b":"\\n{home}/z"}}\nno {home}\n', '{{"a":"--token ","b":"\\n~/z"}}\nno ~\n'),
        ("a.svg", '<svg a="--token " b="{home}/z">--token </svg>', '<svg a="--token " b="~/z">--token </svg>'),
    ],
)
def test_what_is_private_goes_and_a_file_stays_what_it_is(
    tmp_path: Path, name: str, text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "alice")
    SiteWriter(tmp_path).text(name, text.format(home=Path.home(), user="alice"))
    assert (tmp_path / name).read_text() == said.format(user="alice")


def test_what_is_private_is_found_out_once_for_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[None] = []
    monkeypatch.setattr(socket, "gethostname", lambda: asked.append(None) or "box")
    SiteWriter(tmp_path).text("a.jsonl", '{"a":"\\n"}\n' * 100)
    assert len(asked) < 5


@pytest.mark.parametrize("path", ["../outside.html", "a/../../outside.html", "/tmp/perflab-outside.html"])  # noqa: S108
def test_nothing_is_written_outside(tmp_path: Path, path: str) -> None:
    (tmp_path / "report").mkdir()
    writer = SiteWriter(tmp_path / "report")
    (tmp_path / "source.json").write_text("{}")
    for write in (lambda: writer.text(path, ""), lambda: writer.copy(tmp_path / "source.json", path)):
        with pytest.raises(UsageError, match="is no place in a report"):
            write()
    assert {one.name for one in tmp_path.iterdir()} == {"report", "source.json"}
