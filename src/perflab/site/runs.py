"""A page for each run that a verdict rests on: all its variants, all its charts, all its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.site import layout
from perflab.site.commands import repeat_run
from perflab.site.downloads import write_run
from perflab.site.figures import chart_figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perflab.runner import Progress
    from perflab.site.downloads import Download
    from perflab.site.evidence import Evidence
    from perflab.site.writing import SiteWriter
    from perflab.store import Run


def write_runs(
    writer: SiteWriter,
    runs: Sequence[Run],
    evidence: Evidence,
    used_by: Mapping[str, Sequence[tuple[str, str]]],
    progress: Progress,
) -> dict[str, list[Download]]:
    """Write the pages and the files.

    Args:
        writer: The site.
        runs: The runs.
        evidence: Draws them.
        used_by: By run, which claims rest on it: report and claim.
        progress: Told of each run.

    Returns:
        The files of each run.
    """
    files = {}
    for number, run in enumerate(runs):
        progress.update(number / len(runs), f"run {run.id}")
        files[run.id] = write_run(writer, run)
        writer.page(
            layout.run_page(run.id),
            "run.html",
            run=run,
            header=run.header,
            command=repeat_run(run.header),
            figures=[chart_figure(chart) for chart in evidence.charts_of(run)],
            files=files[run.id],
            claims=used_by.get(run.id, ()),
        )
    return files
