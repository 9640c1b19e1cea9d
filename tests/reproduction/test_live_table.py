"""What is on the screen while a reproduction runs."""

from __future__ import annotations

import io
from pathlib import Path
from typing import cast

import pytest
from claiming import make_claim
from rich.console import Console
from rich.live import Live

from perflab.claims.evidence import Evidence
from perflab.claims.ledger import Claim, Published
from perflab.claims.reproduce import Reproduction, Settings
from perflab.claims.verdict import Verdict
from perflab.cli.reproduce import _LiveTable
from perflab.model.estimate import Estimate
from perflab.model.lab import Lab


def claim(name: str, kind: str = "ratio", **more: object) -> Claim:
    about = {"statement": f"What is said of {name}.", "published": Published("x", 3.0), **more}
    return cast("Claim", make_claim(kind, name, **about))


def verdict(name: str, word: str, *measured: float) -> Verdict:
    return Verdict(claim(name), word, "why", Evidence(Estimate(*measured, unit="x")))  # type: ignore[arg-type]


@pytest.fixture
def result() -> Reproduction:
    names = ("first", "second", "third")
    expected = {("toys", name): verdict(name, "refuted", 1.10, 1.00, 1.20) for name in names}
    expected["others", "far"] = verdict("far", "reproduced", 2.90, 2.50, 3.30)
    return Reproduction(
        Lab.from_environment(), Path("unused"), Settings([], "quick", headlines=True), "", expected=expected
    )


def screen(table: _LiveTable, height: int = 40) -> str:
    console = Console(file=io.StringIO(), width=110, height=height, record=True)
    table._live.console.size = console.size  # noqa: SLF001 - it has the height of the user's
    console.print(table._picture())  # noqa: SLF001 - what the user would see
    return console.export_text()


def test_before_anything_is_measured_there_are_the_reference_machines_verdicts(result: Reproduction) -> None:
    said = screen(_LiveTable(Live(console=Console(file=io.StringIO())), result))
    assert said.count("1.10x [1.00, 1.20]   refuted") == 3
    assert "What is said of far." in said
    assert "grey: the verdict on the reference machine" in said


def test_an_interval_narrows_and_the_verdict_falls(result: Reproduction) -> None:
    table = _LiveTable(Live(console=Console(file=io.StringIO())), result)
    table.narrowed("toys", verdict("first", "undecided", 1.50, 0.50, 4.50))
    assert "1.50x [0.50, 4.50]   ..." in screen(table)
    found = verdict("first", "reproduced", 2.80, 2.60, 3.00)
    result.verdicts["toys", "first"] = found
    table.judged("toys", found)
    said = screen(table)
    assert "2.80x [2.60, 3.00]   reproduced" in said
    assert "1.50x" not in said


def test_on_a_small_screen_only_the_current_reports_claims_have_rows(result: Reproduction) -> None:
    result.verdicts["toys", "first"] = verdict("first", "reproduced", 2.80, 2.60, 3.00)
    said = screen(_LiveTable(Live(console=Console(file=io.StringIO())), result), height=10)
    assert "What is said of second." in said
    assert "What is said of far." not in said
    assert "others" in said


def test_what_is_published_is_a_figure_a_bound_or_a_direction() -> None:
    assert Verdict(claim("first"), "refuted", "").published == "3 x"
    bound = claim("bound", kind="bound", published=Published(), at_most=5e9)
    measured = Evidence(Estimate(4e9, unit="ns"))
    assert Verdict(bound, "reproduced", "", measured).published == "at most 5.00 s"
    assert Verdict(bound, "not run", "").published == ""
    assert Verdict(claim("order", kind="order", published=Published()), "refuted", "").published == "better"


def test_a_terminal_obeys_no_statement(result: Reproduction) -> None:
    foreign = Verdict(claim("far", statement="a\x1b[2Jb"), "refuted", "why", Evidence())
    result.expected["others", "far"] = foreign
    assert "a\ufffd[2Jb" in screen(_LiveTable(Live(console=Console(file=io.StringIO())), result))
