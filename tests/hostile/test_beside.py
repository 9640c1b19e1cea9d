"""What is bad, or merely large, beside what is good: it takes nothing with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from evidence_by_hand import lay_out
from sites import build_site

from perflab.bench.command import Pattern
from perflab.claims.ledger import find_ledgers
from perflab.model.errors import UsageError
from perflab.site.sanitizer import sanitized

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "style",
    [
        "text-decoration: overline 3000px #fff",
        "text-decoration: underline; vertical-align: 900px",
        r"text-decor\61tion: overline 3000px",
        "text-decoration/**/: overline 3000px",
    ],
)
def test_no_style_reaches_beyond_its_text(style: str) -> None:
    html = str(sanitized(f'<p style="{style}">text</p>'))
    assert "px" not in html
    assert "text" in html


def test_ordinary_styles_stay() -> None:
    html = str(sanitized('<p style="color: #333; text-decoration: Underline; text-align: right">1</p>'))
    assert "#333" in html
    assert "nderline" in html


def test_a_report_that_fails_leaves_the_older_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places, site = lay_out(tmp_path), tmp_path / "out" / "site"
    build_site(site, ["toys"], **places)
    before = sorted(path.name for path in site.iterdir())
    monkeypatch.setattr("perflab.site.site.write_machine", refuse)
    with pytest.raises(UsageError, match="it cannot be"):
        build_site(site, ["toys"], **places)
    assert sorted(path.name for path in site.iterdir()) == before
    assert list(site.parent.iterdir()) == [site]


def refuse(*_: object) -> None:
    raise UsageError("it cannot be")


@pytest.mark.parametrize("name", [".#x.yaml", "._x.yaml"])
def test_a_hidden_file_is_no_ledger(tmp_path: Path, name: str) -> None:
    (tmp_path / "good.yaml").write_text("")
    (tmp_path / name).symlink_to("nowhere")
    assert list(find_ledgers(tmp_path)) == ["good"]


def test_a_pattern_is_utf_8() -> None:
    for pattern, unit in (("\udcff([0-9])", None), ("([0-9])", "\udcff")):
        with pytest.raises(UsageError, match="UTF-8"):
            Pattern(pattern, unit)
