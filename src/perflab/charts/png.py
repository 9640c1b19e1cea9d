"""Charts as images, drawn by the machine's own Chromium. Takes seconds: only for what is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.errors import BenchError, MissingError
from perflab.toolchains.chromium import find_chromium

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from perflab.charts.chart import Chart
    from perflab.charts.theme import Theme

WIDTH = 960
_SCALE = 2
_DEFAULT_HEIGHT = 450


def png(charts: Sequence[Chart], theme: Theme = "light", *, scale: int = _SCALE) -> list[bytes]:
    """Draw charts; the browser is started once for all of them.

    Args:
        charts: What to draw.
        theme: Of the page they will stand on.
        scale: Pixels per pixel of the page: 2 is sharp on a fine screen and takes three times the bytes of 1.

    Raises:
        MissingError: If there is no browser.
        BenchError: If the browser could not draw.
    """
    browser = find_chromium()
    if browser is None:
        raise MissingError(
            "no Chromium on this machine: charts cannot be drawn as images",
            "Debian: apt install chromium; or open the notebook, which draws them itself",
        )
    import kaleido  # noqa: PLC0415 - slow to import, and rarely needed

    # kaleido starts Chromium without GPU, sandbox (which root may not have), first-run pages, updates and sync.
    kaleido.start_sync_server(n=1, path=str(browser), silence_warnings=True)
    try:
        return [_draw(kaleido, chart.themed(theme), scale) for chart in charts]
    except Exception as error:
        raise BenchError(f"{browser} could not draw the chart: {error}", "is it a working Chromium?") from error
    finally:
        kaleido.stop_sync_server(silence_warnings=True)


def _draw(kaleido: ModuleType, chart: Chart, scale: int) -> bytes:
    height = chart.figure_json["layout"].get("height", _DEFAULT_HEIGHT)
    options = {"format": "png", "width": WIDTH, "height": height, "scale": scale}
    image: bytes = kaleido.calc_fig_sync(chart.figure_json, opts=options)
    return image
