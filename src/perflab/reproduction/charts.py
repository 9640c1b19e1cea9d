"""The charts of a reproduction, as files that open without the lab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.analysis import analyse
from perflab.gallery import run_charts, write_html

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from perflab.runner import Progress
    from perflab.store import Run


def write_charts(folder: Path, runs: Sequence[Run], progress: Progress) -> list[Path]:
    """Draw each run's charts, with the published figures beside the measured ones.

    Returns:
        The files.
    """
    written = []
    for number, run in enumerate(runs):
        progress.update(number / len(runs), f"drawing {run.header.scenario.name}")
        # Two runs of one scenario differ in their parameters.
        name = "-".join([run.header.scenario.name, *(f"{key}{value}" for key, value in run.header.params.items())])
        written += [
            write_html(chart, folder / f"{name}-{kind}.html") for kind, chart in run_charts(analyse(run)).items()
        ]
    return written
