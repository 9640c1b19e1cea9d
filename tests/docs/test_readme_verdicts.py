"""README's verdicts are those of the committed reference runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.claims.ledger import find_ledgers, read_ledger
from perflab.claims.verdict import judge_ledger
from perflab.model.lab import CHECKOUT, Lab

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.claims.verdict import Verdict

LAB = Lab.from_environment()

HEADING = "## What came out"
ROW = "| `"


def test_readme_says_what_the_reference_runs_say(results: Path) -> None:
    assert not results.exists(), "this machine's own runs would come first"
    section = (CHECKOUT / "README.md").read_text(encoding="utf-8").partition(f"{HEADING}\n")[2].partition("\n## ")[0]
    shown = [line for line in section.splitlines() if line.startswith(ROW)]
    rows = {}
    for report in find_ledgers(LAB.claims):
        ledger = read_ledger(report, LAB.claims)
        found = [_row(report, verdict) for verdict in judge_ledger(LAB, ledger)]
        assert any(_named(row) == _named(line) for row in found for line in shown), f"README says nothing of {report}"
        rows |= {_named(row): row for row in found}
    assert shown == [rows.get(_named(line)) for line in shown], "README has other verdicts than datasets/reference"


def _row(report: str, verdict: Verdict) -> str:
    claim = verdict.claim
    statement = f"*ours:* {claim.statement}" if claim.ours else claim.statement
    return f"{ROW}{report}` | {statement} | **{verdict.word}** | {verdict.reason} |"


def _named(row: str) -> tuple[str, ...]:
    """The report and the statement, which no two claims of it share."""
    return tuple(row.split(" | ")[:2])
