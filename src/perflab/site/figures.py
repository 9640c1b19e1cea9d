"""A chart on a page: plotly's data for the script that draws it, and the table of the same data for everybody else."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perflab.charts import Chart

_USUAL_HEIGHT_PX = 420


def chart_figure(chart: Chart) -> Markup:
    """A chart of the lab's."""
    return figure(chart.figure_json, chart.title, chart.html)


def figure(figure_json: Mapping[str, Any], title: str, table: str) -> Markup:
    """A figure that is drawn when it comes into view.

    Args:
        figure_json: In plotly's JSON.
        title: What it shows.
        table: The same as HTML.
    """
    height = figure_json.get("layout", {}).get("height") or _USUAL_HEIGHT_PX
    named = escape(f"Chart: {title}. The table below it holds the same data.", quote=True)
    return Markup(  # noqa: S704 - every part is escaped or made by the lab itself
        f'<figure class="chart"><div class="plot" role="group" aria-label="{named}" '
        f'style="min-height:{height:.0f}px"></div>'
        f'<script type="application/json">{_inline(figure_json)}</script>'
        f'<details><summary>The same data as a table</summary><div class="scroll" tabindex="0" role="group" '
        f'aria-label="{escape(title, quote=True)}: table">{table}</div></details></figure>'
    )


def _inline(data: Mapping[str, Any]) -> str:
    """JSON that cannot end the script element that it stands in."""
    from plotly.utils import PlotlyJSONEncoder  # noqa: PLC0415 - a third of a second

    text = json.dumps(data, cls=PlotlyJSONEncoder, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
