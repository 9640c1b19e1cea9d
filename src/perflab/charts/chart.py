"""A chart: a plotly figure as JSON, and the same data as a table."""

from __future__ import annotations

import base64
import html
import io
import math
import re
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from perflab.charts.theme import TITLE_LINE_PX, TITLE_PAD_PX, TOP_PX, WHITE, template
from perflab.model.errors import BenchError, LabError, MissingError, one_line
from perflab.model.files import atomic
from perflab.model.names import file_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from markupsafe import Markup

    Figure = Mapping[str, Any]


MOST_VARIANTS = 50
"""Drawn in one chart: of more rows or colours, nobody tells one from another."""


def drawn_of(variants: int) -> str:
    """Return the suffix of a title which states that not all variants are drawn."""
    return f" (the first {MOST_VARIANTS} of {variants} variants)" if variants > MOST_VARIANTS else ""


_TEXT_WIDTH = 160


@dataclass(frozen=True)
class Table:
    """Rows of text, with numbers already formatted.

    A column whose head starts with `>` is aligned right. Notes stand below.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def text(self, title: str = "") -> str:
        """Return aligned plain text."""
        from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - rich costs a terminal command its start
        from rich.console import Console  # noqa: PLC0415
        from rich.table import Table as RichTable  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        drawn = RichTable(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for column in self.columns:
            drawn.add_column(Text(column.removeprefix(">")), justify="right" if column.startswith(">") else "left")
        for row in self.rows:
            drawn.add_row(*map(Text, row))
        out = io.StringIO()
        Console(file=out, width=_TEXT_WIDTH, color_system=None, force_terminal=False).print(drawn)
        lines = [title, "", *(line.rstrip() for line in out.getvalue().rstrip().splitlines())]
        return "\n".join([*(lines if title else lines[2:]), *(["", *self.notes] if self.notes else [])])

    def html(self, title: str = "") -> str:
        """Return an HTML table styled only by column alignment; cells may be `Markup`."""
        sides = ["right" if column.startswith(">") else "left" for column in self.columns]
        heads = "".join(
            f'<th scope="col" style="text-align:{side}">{_escape(column.removeprefix(">"))}</th>'
            for column, side in zip(self.columns, sides, strict=True)
        )
        body = "".join("<tr>" + "".join(map(_cell, range(len(row)), row, sides)) + "</tr>" for row in self.rows)
        notes = "".join(f"<p>{_escape(note)}</p>" for note in self.notes)
        caption = f"<caption>{_escape(title)}</caption>" if title else ""
        return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{notes}"


def _escape(text: str) -> str:
    # `Markup` stays as it is, but for its methods.
    return f"{text!s}" if hasattr(text, "__html__") else html.escape(text)


def _cell(number: int, text: str, side: str) -> str:
    tag, scope = ("th", ' scope="row"') if number == 0 else ("td", "")
    lines = _escape(text).replace("\n", "<br>")
    return f'<{tag}{scope} style="text-align:{side}">{lines}</{tag}>'


@dataclass(frozen=True)
class Chart:
    """A figure in plotly's JSON, and its table; `why` is the reason if nothing could be drawn."""

    figure_json: dict[str, Any]
    title: str
    table: Table
    why: str = ""

    @cached_property
    def text(self) -> str:
        """The table as plain text."""
        return f"{self.title}: {self.why}" if self.why else self.table.text(self.title)

    @cached_property
    def html(self) -> str:
        """The table as HTML."""
        return f"<p>{_escape(self.text)}</p>" if self.why else self.table.html(self.title)


_TITLE_CHARACTERS = 96
"""Fit into a notebook's column; plotly cuts the rest."""


def draw(title: str, traces: Sequence[Figure], layout: Figure, table: Table) -> Chart:
    """Make a chart of plotly's traces and layout; a long title is wrapped, and the height grows with it."""
    lines = textwrap.wrap(title, _TITLE_CHARACTERS, break_long_words=False, break_on_hyphens=False) or [title]
    more = TITLE_LINE_PX * (len(lines) - 1)
    margin = layout.get("margin", {})
    # plotly anchors the middle of the lines where one line's middle would be.
    pad = {"t": TITLE_PAD_PX + more / 2}
    complete = {
        **layout,
        "title": {**layout.get("title", {}), "text": "<br>".join(lines), "pad": pad},
        "height": layout["height"] + more,
        "margin": {**margin, "t": margin.get("t", TOP_PX) + more},
    }
    figure = {"data": _checked(traces), "layout": {"template": template(), **_checked(complete)}}
    return Chart(figure, title, table)


# Plotly renders some tags in any text, including links, and drops all others: `Vec<u8>` would become `Vec`.
_TAG = re.compile(r"<(?!/?(?:b|br|extra)>)")


def _checked(part: Any) -> Any:  # noqa: ANN401 - JSON
    """Escape the tags in a figure's names and texts, except those that charts add."""
    if isinstance(part, str):
        return _TAG.sub("&lt;", part) if "<" in part else part
    if isinstance(part, float):
        if not math.isfinite(part):
            raise ValueError(f"{part} stands on no axis")
        return part
    if isinstance(part, Mapping):
        return {key: _checked(value) for key, value in part.items()}
    return list(map(_checked, part)) if isinstance(part, list | tuple) else part


_Drawn = TypeVar("_Drawn", bound=Chart | None)


def draw_safely(title: str, make: Callable[[], _Drawn]) -> _Drawn | Chart:
    """Draw a chart; if that fails, return one that says why."""
    try:
        return make()
    except (LabError, ValueError, ArithmeticError) as error:
        return error_chart(title, error)


def error_chart(title: str, error: Exception) -> Chart:
    """Return a chart that says why it could not be drawn."""
    why = f"no chart: {one_line(str(error))}"
    note = {"text": why, "xref": "paper", "x": 0, "xanchor": "left", "yref": "paper", "y": 0.5, "showarrow": False}
    layout = {"height": 170, "xaxis": {"visible": False}, "yaxis": {"visible": False}, "annotations": [note]}
    chart = draw(title, [], layout, Table([], []))
    return Chart(chart.figure_json, title, chart.table, why)


def draw_all(title: str, charts: Mapping[str, Callable[[], Chart | None]]) -> dict[str, Chart]:
    """Draw the charts by name, without those that are None."""
    found = {name: draw_safely(f"{title}: {name}", make) for name, make in charts.items()}
    return {name: chart for name, chart in found.items() if chart is not None}


WIDTH = 960
_SCALE = 2
_DEFAULT_HEIGHT = 450
_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_chromium() -> Path | None:
    """Find this machine's Chromium or Chrome."""
    return next((Path(path) for name in _CHROMIUMS if (path := shutil.which(name))), None)


def png(figures: Sequence[Figure], *, scale: int = _SCALE) -> list[bytes]:
    """Draw figures on white; the browser is started once for all of them."""
    browser = find_chromium()
    if browser is None:
        raise MissingError(
            "no Chromium on this machine: charts cannot be drawn as images",
            "Debian: apt install chromium; or open the notebook, which draws them itself",
        )
    import kaleido  # noqa: PLC0415 - slow to import, and rarely needed

    # kaleido starts Chromium without GPU, sandbox (unavailable to root), first-run pages, updates and sync.
    # Without mathjax=False its page also runs a script from another server, on possibly foreign text.
    kaleido.start_sync_server(n=1, path=str(browser), mathjax=False, silence_warnings=True)
    try:
        return [_image(kaleido, figure, scale) for figure in figures]
    except Exception as error:
        raise BenchError(f"{browser} could not draw the chart: {error}", "is it a working Chromium?") from error
    finally:
        kaleido.stop_sync_server(silence_warnings=True)


def _image(kaleido: ModuleType, figure: Figure, scale: int) -> bytes:
    layout = {**figure["layout"], "template": template(WHITE)}
    size = {"width": WIDTH, "height": layout.get("height", _DEFAULT_HEIGHT)}
    image: bytes = kaleido.calc_fig_sync({**figure, "layout": layout}, opts={"format": "png", "scale": scale, **size})
    return image


PLOTLY = "application/vnd.plotly.v1+json"


def bundle(chart: Chart, *, with_png: bool = False) -> dict[str, Any]:
    """Return what a notebook displays, by MIME type.

    An image replaces the HTML table: pages without scripts prefer HTML, and the image says more.
    """
    data: dict[str, Any] = {PLOTLY: chart.figure_json, "text/plain": chart.text}
    if with_png:
        data["image/png"] = base64.b64encode(png([chart.figure_json])[0]).decode("ascii")
    else:
        data["text/html"] = chart.html
    return data


def plotly_script() -> str:
    """Return plotly's script, which draws charts without a network."""
    import plotly  # noqa: PLC0415 - not for a command without charts

    return (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_text(encoding="utf-8")


_SCRIPT = "plotly.min.js"
_PAGE = """\
<html>
<head><meta charset="utf-8"><title>{title}</title><script src="{script}"></script></head>
<body><div id="chart"></div>
<script>Plotly.newPlot("chart", {data}, {layout}, {{"responsive": true}})</script>
</body>
</html>
"""


def write_charts(charts: Mapping[str, Chart], folder: Path, *, with_png: bool = False) -> dict[str, Path]:
    """Write charts as pages that need no network, with plotly's script beside them.

    Args:
        charts: By name.
        folder: The target; created if missing.
        with_png: Also write images beside the pages.

    Returns:
        The pages by name, and the images by name with `.png`.
    """
    written: dict[str, Path] = {}
    try:
        if charts:
            with atomic(folder / _SCRIPT) as draft:
                draft.write_text(plotly_script(), encoding="utf-8")
        for name, chart in charts.items():
            parts = {part: script_json(chart.figure_json[part]) for part in ("data", "layout")}
            written[name] = folder / f"{file_name(name)}.html"
            with atomic(written[name]) as draft:
                page = _PAGE.format(title=_escape(chart.title), script=_SCRIPT, **parts)
                draft.write_text(page, encoding="utf-8")
        images = png([chart.figure_json for chart in charts.values()]) if with_png and charts else []
        for name, image in zip(charts, images, strict=False):
            written[f"{name}.png"] = folder / f"{file_name(name)}.png"
            with atomic(written[f"{name}.png"]) as draft:
                draft.write_bytes(image)
    except OSError as error:
        raise MissingError(f"cannot write {folder}: {error.strerror}", "point PERFLAB_RESULTS elsewhere") from None
    return written


def script_json(value: object) -> Markup:
    """Return JSON that can stand in a page's script."""
    from markupsafe import Markup  # noqa: PLC0415 - of an extra

    text = msgspec.json.encode(value).decode()
    for sign in "<>&'":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # noqa: S704 - none of markup's signs is left
