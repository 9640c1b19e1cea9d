"""The data behind the report, to take away: verdicts, published figures, ledgers, and what runs and profiles left."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab import __version__
from perflab.errors import LabError
from perflab.paths import CLAIMS_DIR, PUBLISHED_DIR
from perflab.site import layout

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from perflab.site.reports import JudgedReport
    from perflab.site.writing import SiteWriter
    from perflab.store import ProfileRecord, Run

VERDICTS_CSV = "data/verdicts.csv"
VERDICTS_JSON = "data/verdicts.json"


@dataclass(frozen=True)
class Download:
    """A file of the site and what it holds."""

    path: str
    about: str
    size: int


def write_verdicts(writer: SiteWriter, reports: Iterable[JudgedReport]) -> list[Download]:
    """Write all verdicts as JSON, as `./lab claims --json` prints them, and as a table."""
    claims = [{"report": report.name, **one.to_dict()} for report in reports for one in report.verdicts]
    writer.text(VERDICTS_JSON, json.dumps({"perflab": __version__, "claims": claims}, indent=1, allow_nan=False))
    writer.text(VERDICTS_CSV, _csv([_flat(claim) for claim in claims]))
    return [
        _download(writer, VERDICTS_CSV, "each claim with its verdict, as a table"),
        _download(writer, VERDICTS_JSON, "the same as JSON"),
    ]


def write_sources(writer: SiteWriter, reports: Iterable[JudgedReport]) -> list[Download]:
    """Copy the ledgers and the published figures."""
    found = []
    for report in reports:
        for source, path, about in (
            (PUBLISHED_DIR / f"{report.name}.csv", published_path(report.name), "its figures as published"),
            (CLAIMS_DIR / f"{report.name}.yaml", ledger_path(report.name), "its ledger: each claim, how it is tested"),
        ):
            if source.exists():
                writer.copy(source, path)
                found.append(_download(writer, path, f"{report.ledger.title}: {about}"))
    return found


def published_path(report: str) -> str:
    """Where a report's published figures are, in the checkout and in the site."""
    return f"datasets/published/{report}.csv"


def ledger_path(report: str) -> str:
    """Where a report's ledger is, in the checkout and in the site."""
    return f"datasets/claims/{report}.yaml"


def write_run(writer: SiteWriter, run: Run) -> list[Download]:
    """Copy a run's files, and its samples as a table that any program reads."""
    folder = layout.run_data(run.id)
    found = []
    for source in sorted(path for path in run.folder.iterdir() if path.suffix in {".json", ".jsonl", ".parquet"}):
        writer.copy(source, f"{folder}/{source.name}")
        found.append(_download(writer, f"{folder}/{source.name}", _RUN_FILES.get(source.name, "raw lines")))
    try:
        table = run.samples().to_csv(index=False)
    except LabError:
        # A run that was killed at once has none.
        return found
    writer.text(f"{folder}/samples.csv", table)
    return [*found, _download(writer, f"{folder}/samples.csv", "every sample, as a table")]


def write_profile(writer: SiteWriter, record: ProfileRecord, source: Path) -> list[Download]:
    """Copy a profile's files."""
    folder = layout.profile_data(record.id)
    found = []
    for path in sorted(path for path in source.iterdir() if path.suffix in {".json", ".collapsed"}):
        writer.copy(path, f"{folder}/{path.name}")
        found.append(_download(writer, f"{folder}/{path.name}", "the profile's record or stacks"))
    return found


_RUN_FILES = {
    "run.json": "what was run: scenario, variants, machine, revision",
    "end.json": "how it ended",
    "samples.parquet": "every sample",
    "forks.parquet": "every process, with the operating system's counters",
}


def _flat(claim: dict[str, Any]) -> dict[str, Any]:
    published, interval = claim["published"], claim["interval"] or (None, None)
    rest = {key: value for key, value in claim.items() if key not in {"published", "interval", "runs", "busy"}}
    return rest | {
        "published_value": published["value"],
        "published_low": published["low"],
        "published_high": published["high"],
        "published_unit": published["unit"],
        "measured_low": interval[0],
        "measured_high": interval[1],
        "runs": " ".join(claim["runs"]),
        "busy": " ".join(claim["busy"]),
    }


def _csv(rows: list[dict[str, Any]]) -> str:
    target = io.StringIO()
    if rows:
        table = csv.DictWriter(target, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    return target.getvalue()


def _download(writer: SiteWriter, path: str, about: str) -> Download:
    return Download(path, about, (writer.folder / path).stat().st_size)
