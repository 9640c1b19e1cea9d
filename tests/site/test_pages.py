"""Each claim has its page, with what was run, what came of it, and the way to repeat it."""

from __future__ import annotations

import re
import shlex
from html import unescape
from typing import TYPE_CHECKING

import click
import pytest
from evidence_by_hand import HOSTILE, LARGE, PROFILE, RUN
from sites import dead_links, pages_of

from perflab.claims.ledger import KINDS as KINDS_OF_CLAIMS
from perflab.claims.verdict import VERDICTS
from perflab.cli.main import lab
from perflab.site.layout import KIND_WORDS, VERDICT_WORDS

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.site.site import SiteResult

KINDS = ["third", "quick-sum", "grows", "wastes", "adds-twice", "elsewhere", "far-away", "unrun"]


def test_each_verdict_and_each_kind_has_its_words() -> None:
    assert list(VERDICT_WORDS) == list(VERDICTS)
    assert len({word.key for word in VERDICT_WORDS.values()}) == len({word.sign for word in VERDICT_WORDS.values()})
    assert set(KIND_WORDS) == set(KINDS_OF_CLAIMS)


def claim(folder: Path, name: str) -> str:
    return (folder / "claims" / "toys" / f"{name}.html").read_text(encoding="utf-8")


def test_every_claim_has_a_page_with_its_verdict_and_its_statement(site: SiteResult, folder: Path) -> None:
    (report,) = site.reports
    assert [one.claim.id for one in report.verdicts] == KINDS
    for verdict in report.verdicts:
        text = unescape(re.sub(r"<[^>]+>", "", claim(folder, verdict.claim.id)))
        assert re.sub(r"<[^>]+>", "", verdict.claim.statement) in text or verdict.claim.id == "far-away"
        assert verdict.word in text
        assert verdict.reason in text or verdict.claim.id == "far-away"


def test_the_index_has_them_all_and_counts_them(site: SiteResult, folder: Path) -> None:
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<tr data-report="toys" data-verdict="([^"]+)"', index) == [
        one.word for one in site.reports[0].verdicts
    ]
    counts = {word: int(number) for number, word in re.findall(r"</span> (\d+) ([a-z ]+)</a></li>", index)}
    assert counts == {word: number for word, number in site.reports[0].counts.items() if number}


def test_one_can_walk_from_the_first_claim_to_the_last(folder: Path) -> None:
    walked, name = [], "third"
    while name:
        walked.append(name)
        forward = re.search(r'rel="next" href="([^"]+)\.html"', claim(folder, name))
        name = forward[1].rpartition("/")[2] if forward else ""
    assert walked == KINDS


@pytest.mark.parametrize(
    ("name", "charts", "says"),
    [
        ("third", 2, [RUN, "preset quick, 6 rounds", "published 2 x, here 2.01x ["]),
        ("quick-sum", 2, [RUN, "at most 1.00 µs"]),
        ("grows", 2, [LARGE, "size=1 to 10"]),
        ("wastes", 1, [PROFILE, "adding too much", "30.0 %", "32.0 %", "one &amp; two"]),
        ("adds-twice", 0, ["SumTest#twice", "passed, 2026-01-01", "the claim is refuted"]),
        ("elsewhere", 2, [RUN, "another machine&#39;s figure"]),
        ("far-away", 0, ["Nothing. Testing it would take a cluster"]),
        ("unrun", 0, ["has not been run"]),
    ],
)
def test_a_page_shows_its_evidence(folder: Path, name: str, charts: int, says: list[str]) -> None:
    text = claim(folder, name)
    assert text.count('<figure class="chart">') == charts
    for said in says:
        assert said in text


def test_a_note_links_to_the_claims_that_it_names(folder: Path) -> None:
    assert '<a href="quick-sum.html">quick-sum</a>' in claim(folder, "third")


def test_what_is_written_in_a_ledger_is_text_and_never_markup(folder: Path) -> None:
    for path, page in pages_of(folder).items():
        assert HOSTILE not in page.text, path


def test_no_link_is_dead_and_nothing_is_loaded_from_elsewhere(folder: Path) -> None:
    assert dead_links(folder) == []
    loads = {load for page in pages_of(folder).values() for load in page.loads}
    assert [load for load in loads if ":" in load and not load.startswith("data:")] == []


def test_ids_are_unique(folder: Path) -> None:
    for path, page in pages_of(folder).items():
        assert len(page.ids) == len(set(page.ids)), path


def test_the_command_lines_are_ones_that_the_lab_takes(folder: Path) -> None:
    commands = [
        line
        for path, page in pages_of(folder).items()
        if path.parts[-2] == "runs" or "claims" in path.parts
        for block in re.findall(r'<pre tabindex="0"><code>(.*?)</code>', page.text, re.DOTALL)
        for line in unescape(block).splitlines()
    ]
    assert len(commands) >= len(KINDS)
    for line in commands:
        launcher, name, *arguments = shlex.split(line)
        command = lab.get_command(click.Context(lab), name)
        assert launcher == "./lab"
        assert command is not None
        command.make_context(name, arguments)  # parses, and runs nothing
