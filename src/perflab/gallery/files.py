"""Charts as files that open without the lab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.errors import MissingError

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.charts import Chart


def write_html(chart: Chart, path: Path) -> Path:
    """Write a chart as a page; plotly's script is put beside it once, so that the folder works without a network.

    Raises:
        MissingError: If the folder cannot be written.
    """
    import plotly.io  # noqa: PLC0415 - a third of a second

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        plotly.io.write_html(chart.figure_json, path, include_plotlyjs="directory", validate=False)
    except OSError as error:
        raise MissingError(f"cannot write {path.name}: {error.strerror}", "point PERFLAB_RESULTS elsewhere") from None
    return path
