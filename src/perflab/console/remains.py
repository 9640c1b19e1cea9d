"""What a command has left on disk that was stopped before it could say what it had found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perflab.charts import bundle
from perflab.console.live import figures_so_far, newest_run, newest_sweep
from perflab.gallery import run_charts, sweep_charts
from perflab.sweeps import collect

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Remains:
    """What is left: as the command would have said it with `--json`, and as MIME bundles of charts."""

    result: dict[str, Any]
    charts: list[dict[str, Any]] = field(default_factory=list)


def remains(name: str, since: float, results: Path | None = None) -> Remains | None:
    """What a command left that began at `since` (seconds since the epoch); `None` if there is nothing to see of it.

    Args:
        name: As in `measure`. Of a search nothing is left: its trials only choose.
        since: When it began.
        results: The results folder.
    """
    if name == "sweep":
        return _of_sweep(since, results)
    return _of_run(since, results) if name == "measure" else None


def _of_run(since: float, results: Path | None) -> Remains | None:
    run = newest_run(since, results)
    analysis = figures_so_far(run, results) if run else None
    if analysis is None:
        return None
    return Remains(analysis.to_dict(), [bundle(chart) for chart in run_charts(analysis, {"ratios"}).values()])


def _of_sweep(since: float, results: Path | None) -> Remains | None:
    sweep = newest_sweep(since, results)
    if sweep is None or not sweep.records:
        return None
    result = collect(sweep, results=results)
    return Remains(result.to_dict(), [bundle(chart) for chart in sweep_charts(result).values()])
