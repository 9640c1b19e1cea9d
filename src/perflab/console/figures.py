"""Charts in the console's column, which is narrower than a notebook's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perflab.charts import PLOTLY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def shown(bundles: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """MIME bundles as the outputs of a widget."""
    return tuple({"output_type": "display_data", "data": _narrow(data), "metadata": {}} for data in bundles)


def _narrow(data: Mapping[str, Any]) -> dict[str, Any]:
    """With what an axis is explained by in brackets on a line of its own."""
    figure = data.get(PLOTLY)
    axis = figure.get("layout", {}).get("xaxis", {}) if figure else {}
    text = (axis.get("title") or {}).get("text", "")
    if not figure or not text.endswith(")"):
        return dict(data)
    head, _, rest = text.rpartition(" (")
    titled = {**axis, "title": {**axis["title"], "text": f"{head}<br>({rest}"}}
    return {**data, PLOTLY: {**figure, "layout": {**figure["layout"], "xaxis": titled}}}
