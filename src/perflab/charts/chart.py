"""A chart: a plotly figure as JSON, and the same data as a table."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from perflab.charts.theme import TITLE_LINE_PX, TITLE_PAD_PX, TOP_PX, template

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perflab.charts.table import Table
    from perflab.charts.theme import Theme

_TITLE_CHARACTERS = 96
"""So many fit into a notebook's column; plotly cuts what does not fit."""


@dataclass(frozen=True)
class Chart:
    """What is shown.

    Args:
        figure_json: The figure, in plotly's JSON.
        text: The same data as a plain table.
        title: Of both.
        html: The table again, for a front end that draws no plotly.
    """

    figure_json: dict[str, Any]
    text: str
    title: str
    html: str = ""

    def themed(self, theme: Theme) -> Chart:
        """The same chart for a light or a dark page; as drawn, it suits both."""
        layout = {**self.figure_json["layout"], "template": template(theme)}
        return replace(self, figure_json={**self.figure_json, "layout": layout})


def draw(title: str, traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any], table: Table) -> Chart:
    """Make a chart of plotly's traces and layout, which says the height; a long title gets more lines, and room.

    Raises:
        ValueError: If plotly does not know an attribute or takes no such value for it.
    """
    import plotly.graph_objects as go  # noqa: PLC0415 - a third of a second, which a command without charts need not pay

    lines = textwrap.wrap(title, _TITLE_CHARACTERS, break_long_words=False, break_on_hyphens=False) or [title]
    more = TITLE_LINE_PX * (len(lines) - 1)
    margin = layout.get("margin", {})
    # plotly anchors the middle of the lines where one line's middle would be.
    pad = {"t": TITLE_PAD_PX + more / 2}
    complete = {
        "template": template(),
        **layout,
        "title": {**layout.get("title", {}), "text": "<br>".join(lines), "pad": pad},
        "height": layout["height"] + more,
        "margin": {**margin, "t": margin.get("t", TOP_PX) + more},
    }
    figure = go.Figure(data=[dict(trace) for trace in traces], layout=complete).to_plotly_json()
    return Chart(figure_json=figure, text=table.text(title), title=title, html=table.html(title))
