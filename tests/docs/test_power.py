"""The power table of docs/measuring.md is that of the trials that were kept."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    import pytest

STUDY = CHECKOUT / "benchmarks"


def test_the_table_says_what_the_trials_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(STUDY), *sys.path])
    import summary  # noqa: PLC0415 - it is not on the path otherwise

    page = (CHECKOUT / "docs" / "measuring.md").read_text(encoding="utf-8")
    for quick, begin, end in ((False, summary.BEGIN, summary.END), (True, summary.QUICK_BEGIN, summary.QUICK_END)):
        shown = page.partition(begin)[2].partition(end)[0].strip()
        expected = summary.table(quick=quick) if summary.rows(quick=quick) else ""
        assert shown == expected.strip(), "PYTHONPATH=src .venv/bin/python benchmarks/summary.py"
