"""MIME bundles: one chart in every form that a front end may be able to show."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from perflab.charts.png import png

if TYPE_CHECKING:
    from perflab.charts.chart import Chart

PLOTLY = "application/vnd.plotly.v1+json"


def bundle(chart: Chart, *, with_png: bool = False) -> dict[str, Any]:
    """What a notebook displays.

    Args:
        chart: What to show.
        with_png: Whether to add an image, for pages that run no script. It takes the place of the HTML table there:
            such pages prefer HTML to an image, and the picture says more.

    Returns:
        Data by MIME type.

    Raises:
        MissingError: If an image is asked for and there is no browser to draw it.
    """
    data: dict[str, Any] = {PLOTLY: chart.figure_json, "text/plain": chart.text}
    if with_png:
        data["image/png"] = base64.b64encode(png([chart])[0]).decode("ascii")
    else:
        data["text/html"] = chart.html
    return data
