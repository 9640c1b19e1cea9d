"""The power table of docs/measuring.md is that of the trials that were kept."""

from __future__ import annotations

import summary

from perflab.model.lab import CHECKOUT


def test_the_table_says_what_the_trials_say() -> None:
    page = (CHECKOUT / "docs" / "measuring.md").read_text(encoding="utf-8")
    for quick, begin, end in ((False, summary.BEGIN, summary.END), (True, summary.QUICK_BEGIN, summary.QUICK_END)):
        shown = page.partition(begin)[2].partition(end)[0].strip()
        expected = summary.table(quick=quick) if summary.rows(quick=quick) else ""
        assert shown == expected.strip(), "PYTHONPATH=src .venv/bin/python benchmarks/summary.py"
