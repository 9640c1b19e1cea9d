"""Images of a notebook's charts, for readers whose page runs no script: GitHub, nbviewer, print."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

from perflab.charts import PLOTLY, Chart, png
from perflab.toolchains import find_chromium

if TYPE_CHECKING:
    from nbformat import NotebookNode

_COLOURS = 64


def add_images(notebook: NotebookNode) -> int:
    """Draw every plotly output as a PNG into the same bundle, all of them with one browser.

    They are small, because a notebook with dozens of them is to be kept in a repository. The image takes the place of
    the HTML table: such pages prefer HTML to an image, and the picture says more.

    Returns:
        How many were drawn; none where this machine has no Chromium.

    Raises:
        BenchError: If the browser could not draw.
    """
    bundles = [
        output.data
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if PLOTLY in output.get("data", {})
    ]
    if not bundles or find_chromium() is None:
        return 0
    charts = [Chart(figure_json=data[PLOTLY], text=data.get("text/plain", ""), title="") for data in bundles]
    for data, image in zip(bundles, png(charts, scale=1), strict=True):
        data["image/png"] = base64.b64encode(_with_few_colours(image)).decode("ascii")
        data.pop("text/html", None)
    return len(bundles)


def _with_few_colours(image: bytes) -> bytes:
    """A PNG with a palette, a third of the bytes: a chart has few colours, and the shades at their edges can be fewer."""
    from PIL import Image  # noqa: PLC0415 - only where images are drawn

    target = io.BytesIO()
    with Image.open(io.BytesIO(image)) as picture:
        # Coverage and not the median of all pixels: a colour that only the legend has is one of them.
        few = picture.convert("RGB").quantize(_COLOURS, Image.Quantize.MAXCOVERAGE)
        few.save(target, format="PNG", optimize=True)
    return target.getvalue()
