"""What can be taken away can be read, and says the same as the pages."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from evidence_by_hand import LARGE, PROFILE, RUN

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.view.site import SiteResult


def test_verdicts_as_json_and_as_a_table_say_the_same(site: SiteResult, folder: Path) -> None:
    claims = json.loads((folder / "data" / "verdicts.json").read_text())["claims"]
    with (folder / "data" / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(one["report"], one["id"], one["verdict"]) for one in claims] == [
        ("toys", one.claim.id, one.word) for one in site.reports[0].verdicts
    ]
    assert [(row["id"], row["verdict"], row["statement"]) for row in rows] == [
        (one["id"], one["verdict"], one["statement"]) for one in claims
    ]
    for row, one in zip(rows, claims, strict=True):
        interval = [float(row[end]) for end in ("measured_low", "measured_high") if row[end]]
        assert (interval or None) == one["interval"]


@pytest.mark.parametrize("run", [RUN, LARGE])
def test_a_runs_samples_are_there_as_parquet_and_as_a_table(folder: Path, run: str) -> None:
    files = folder / "data" / "runs" / run
    sealed, table = pd.read_parquet(files / "samples.parquet"), pd.read_csv(files / "samples.csv")
    assert len(table) == 2 * 2 * 6
    assert sealed["ns"].tolist() == table["ns"].tolist()
    assert json.loads((files / "run.json").read_text())["id"] == run


def test_a_profile_and_the_ledger_are_there(folder: Path) -> None:
    record = json.loads((folder / "data" / "profiles" / PROFILE / "profile-record.json").read_text())
    assert record["shares"]["adding too much"] == [0.3, 0.31, 0.32]
    assert "quick-sum" in (folder / "datasets" / "claims" / "toys.yaml").read_text()
