"""Badges count what a report itself says and what can be tested."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from claiming import make_claim

from perflab.claims.ledger import Ledger
from perflab.claims.verdict import Verdict
from perflab.model.lab import Lab
from perflab.site.badges import badge_svg
from perflab.site.site import JudgedReport

if TYPE_CHECKING:
    from perflab.site.site import SiteResult

SVG = "{http://www.w3.org/2000/svg}"


def report(*words: str, ours: int = 0, title: str = "A report") -> JudgedReport:
    """The last `ours` claims are not the report's."""
    claims = [make_claim("order", str(number), ours=number >= len(words) - ours) for number in range(len(words))]
    verdicts = [Verdict(claim, word, "") for claim, word in zip(claims, words, strict=True)]  # type: ignore[arg-type]
    return JudgedReport(
        Lab.from_environment(), Ledger(report="a", title=title, component="toy", claims=claims), verdicts
    )


@pytest.mark.parametrize(
    ("judged", "says"),
    [
        (report("void", "reproduced"), "1 of 2 claims reproduced"),
        (report("reproduced", "refuted", "not run"), "1 of 3 claims reproduced"),
        (report("reproduced", "untestable here"), "1 of 1 claims reproduced"),
        (report("refuted", "reproduced", "reproduced", ours=2), "0 of 1 claims reproduced"),
        (report("direction only", "undecided"), "0 of 2 claims reproduced"),
        (report("untestable here"), "no claim tested"),
        (report(), "no claim tested"),
    ],
)
def test_a_badge_says_how_many_of_the_testable_claims_held(judged: JudgedReport, says: str) -> None:
    root = ET.fromstring(badge_svg(judged))  # noqa: S314 - our own
    assert [text.text for text in root.iter(f"{SVG}text")] == ["perflab", says]
    assert says in root.attrib["aria-label"]


def test_a_title_is_text_and_never_markup() -> None:
    root = ET.fromstring(badge_svg(report("reproduced", title='<g onload="x">&')))  # noqa: S314
    found = root.find(f"{SVG}title")
    assert found is not None
    assert found.text == '<g onload="x">&: 1 of 1 claims reproduced'


def test_the_site_has_them(site: SiteResult) -> None:
    (badge,) = site.badges
    # Six of the eight are the report's and can be tested; `third`, `quick-sum`, `grows` and `wastes` hold.
    assert "4 of 6 claims reproduced" in badge.read_text()
