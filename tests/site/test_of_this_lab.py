"""The report of this lab's own ledgers and reference runs, whole: a fixture has not what they have."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from perflab.claims import find_ledgers, read_ledger
from perflab.paths import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE_S = 900


def test_every_claim_has_a_page_from_the_reference_runs(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PERFLAB_RESULTS": str(tmp_path / "results")}
    done = subprocess.run(
        [sys.executable, "-m", "perflab", "report", "--out", str(tmp_path / "site")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for name in find_ledgers():
        wanted = {f"{claim.id}.html" for claim in read_ledger(name).claims}
        assert {page.name for page in (tmp_path / "site" / "claims" / name).iterdir()} >= wanted
