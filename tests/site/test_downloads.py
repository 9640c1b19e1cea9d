"""What can be taken away can be read, and says the same as the pages."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import msgspec
import pytest
from evidence_by_hand import ARMS, LARGE, PROFILE, RUN, SUM, lay_out
from runs import HEADER, write_run
from sites import build_site

from perflab.host.machine import this_machine
from perflab.site.layout import claim_page
from perflab.store.tables import read_lines

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.site.site import SiteResult


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_verdicts_as_json_and_as_a_table_say_the_same(site: SiteResult, folder: Path) -> None:
    claims = json.loads((folder / "data" / "verdicts.json").read_text())["claims"]
    rows = rows_of(folder / "data" / "verdicts.csv")
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
def test_a_runs_tables_are_there_as_lines_and_as_csv(folder: Path, run: str) -> None:
    files = folder / "data" / "runs" / run
    for name, rows in (("samples", 2 * 2 * 6), ("forks", 2 * 6)):
        raw, table = read_lines(files / f"{name}.jsonl", name).rows, rows_of(files / f"{name}.csv")
        assert len(table) == raw.rows == rows
        assert [list(row) for row in table] == [list(raw)] * rows
        assert [row["variant"] for row in table] == raw["variant"].tolist()
    assert [float(row["wall_s"]) for row in table] == raw["wall_s"].tolist()
    assert json.loads((files / "run.json").read_text())["id"] == run


def test_a_claim_links_to_no_other_run_that_has_the_name_of_its_own(tmp_path: Path) -> None:
    places, here = lay_out(tmp_path), this_machine()
    header = msgspec.structs.replace(HEADER, scenario=SUM, arms=ARMS, baseline="wasteful")
    values = {"wasteful": [100.0, 102, 104], "plain": [50.0, 51, 52]}
    write_run(tmp_path / "results", name=LARGE, header=header, values=values, machine=here, cpu=here.cpu)
    root = build_site(tmp_path / "site", results=tmp_path / "results", **places).index.parent
    of_theirs, of_its_own = ((root / claim_page("toys", claim)).read_text() for claim in ("grows", "third"))
    assert all(LARGE in page for page in (of_theirs, of_its_own))
    assert (f"{LARGE}.html" in of_theirs, f"{LARGE}.html" in of_its_own) == (False, True)
    assert "plain size=10" in of_theirs
    samples = rows_of(root / "data" / "runs" / LARGE / "samples.csv")
    assert {row["variant"] for row in samples} == {"wasteful", "plain"}


def test_a_profile_and_the_ledger_are_there(folder: Path) -> None:
    record = json.loads((folder / "data" / "profiles" / PROFILE / "profile-record.json").read_text())
    assert record["shares"]["adding too much"] == [0.3, 0.31, 0.32]
    assert "quick-sum" in (folder / "datasets" / "claims" / "toys.yaml").read_text()
