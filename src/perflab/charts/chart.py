"""A chart: a plotly figure as JSON, and the same data as a table."""

from __future__ import annotations

import base64
import io
import math
import re
import shutil
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from markupsafe import Markup, escape

from perflab.charts.theme import TITLE_LINE_PX, TITLE_PAD_PX, TOP_PX, WHITE, template
from perflab.model.errors import BenchError, LabError, MissingError, one_line
from perflab.model.files import atomic
from perflab.model.names import file_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType


MOST_VARIANTS = 50
"""In a chart: more rows, lanes or colours nobody tells apart, and some charts have a cell for each pair."""


def drawn_of(variants: int) -> str:
    """What the title says of so many variants, if not all are drawn."""
    return f" (the first {MOST_VARIANTS} of {variants} variants)" if variants > MOST_VARIANTS else ""


_TITLE_CHARACTERS = 96
"""So many fit into a notebook's column; plotly cuts what does not fit."""
_LONGEST_TITLE = 1000
"""Characters. A run's parameters stand in it, and it stands five times in each chart of each claim that has the run."""


@dataclass(frozen=True)
class Chart:
    """What is shown.

    Args:
        figure_json: The figure, in plotly's JSON.
        text: The same data as a plain table.
        title: Of both.
        html: The table again, for a front end that draws no plotly.
        why: Why nothing could be drawn, if so: the figure, text and table say it, too.
    """

    figure_json: dict[str, Any]
    text: str
    title: str
    html: str = ""
    why: str = ""

    def on_white(self) -> Chart:
        """The same chart for an image; as drawn, it suits a light and a dark page."""
        layout = {**self.figure_json["layout"], "template": template(WHITE)}
        return replace(self, figure_json={**self.figure_json, "layout": layout})


def draw(title: str, traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any], table: Table) -> Chart:
    """Make a chart of plotly's traces and layout, which says the height; a long title gets more lines, and room.

    Raises:
        ValueError: If plotly does not know an attribute or takes no such value for it, or a figure is not finite.
    """
    import plotly.graph_objects as go  # noqa: PLC0415 - a third of a second, which a command without charts need not pay

    title = title if len(title) <= _LONGEST_TITLE else f"{title[:_LONGEST_TITLE]}…"
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
    figure = go.Figure(data=_without_markup(traces), layout=_without_markup(complete)).to_plotly_json()
    return Chart(figure_json=figure, text=table.text(title), title=title, html=table.html(title))


_Drawn = TypeVar("_Drawn", bound=Chart | None)


def drawn(title: str, make: Callable[[], _Drawn]) -> _Drawn | Chart:
    """Draw a chart; in place of one whose figures cannot be drawn, as of a run from elsewhere, one that says why.

    All charts are drawn through here, so that one costs no other its place.

    Args:
        title: Of the place, if nothing can be drawn.
        make: Draws.
    """
    try:
        return make()
    except (LabError, ValueError, ArithmeticError, LookupError, TypeError) as error:
        return undrawn(title, error)


def undrawn(title: str, error: Exception) -> Chart:
    """What stands in a chart's place and says why it could not be drawn."""
    told = isinstance(error, LabError | ValueError | ArithmeticError)
    what = str(error) if told else f"{type(error).__name__}: {error}"
    why = f"no chart: {one_line(what)[:_LONGEST_REASON]}"
    note = {"text": why, "xref": "paper", "x": 0, "xanchor": "left", "yref": "paper", "y": 0.5, "showarrow": False}
    layout = {"height": 170, "xaxis": {"visible": False}, "yaxis": {"visible": False}, "annotations": [note]}
    chart = draw(title, [], layout, Table([], []))
    said = f"{chart.title}: {why}"
    return replace(chart, text=said, html=f"<p>{escape(said)}</p>", why=why)


def all_drawn(title: str, charts: Mapping[str, Callable[[], Chart | None]]) -> dict[str, Chart]:
    """Those of these charts that there are, by their names."""
    found = {name: drawn(f"{title}: {name}", make) for name, make in charts.items()}
    return {name: chart for name, chart in found.items() if chart is not None}


_LONGEST_REASON = 300


# Plotly takes some tags in any text for markup, links among them, and leaves out all others: `Vec<u8>` would be `Vec`.
_TAG = re.compile(r"<(?!/?(?:b|br|extra)>)")


def _without_markup(part: Any) -> Any:  # noqa: ANN401 - JSON
    """The same with the tags in names and texts as they are written; charts' own remain."""
    if isinstance(part, str):
        return _TAG.sub("&lt;", part)
    if isinstance(part, list | tuple):
        return list(map(_without_markup, part))
    if isinstance(part, Mapping):
        return {key: _without_markup(value) for key, value in part.items()}
    if isinstance(part, float) and not math.isfinite(part):
        raise ValueError(f"{part} stands on no axis")
    return part


_TEXT_WIDTH = 160


@dataclass(frozen=True)
class Table:
    """Rows of text, with numbers already written as people read them.

    A column's head that starts with `>` is set flush right, as numbers are, and loses the sign. Notes stand below. In
    HTML a cell may be markup.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def text(self, title: str = "") -> str:
        """Aligned plain text."""
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
        console = Console(file=out, width=_TEXT_WIDTH, color_system=None, force_terminal=False)
        console.print(drawn)
        lines = [title, "", *(line.rstrip() for line in out.getvalue().rstrip().splitlines())]
        return "\n".join([*(lines if title else lines[2:]), *(["", *self.notes] if self.notes else [])])

    def html(self, title: str = "") -> str:
        """A semantic table. Its only style is the side on which text begins; the rest is the front end's theme."""
        sides = ["right" if column.startswith(">") else "left" for column in self.columns]
        heads = "".join(
            f'<th scope="col" style="text-align:{side}">{escape(column.removeprefix(">"))}</th>'
            for column, side in zip(self.columns, sides, strict=True)
        )
        body = "".join("<tr>" + "".join(map(_cell, range(len(row)), row, sides)) + "</tr>" for row in self.rows)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        caption = f"<caption>{escape(title)}</caption>" if title else ""
        return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{notes}"


def _cell(number: int, text: str, side: str) -> str:
    tag, scope = ("th", ' scope="row"') if number == 0 else ("td", "")
    lines = escape(text).replace("\n", Markup("<br>"))
    return f'<{tag}{scope} style="text-align:{side}">{lines}</{tag}>'


WIDTH = 960
_SCALE = 2
_DEFAULT_HEIGHT = 450
_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_chromium() -> Path | None:
    """The machine's Chromium or Chrome, if there is one."""
    return next((Path(path) for name in _CHROMIUMS if (path := shutil.which(name))), None)


def png(charts: Sequence[Chart], *, scale: int = _SCALE) -> list[bytes]:
    """Draw charts on white; the browser is started once for all of them.

    Args:
        charts: What to draw.
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
    # Without mathjax=False its page also runs a script from another server, on texts that may be somebody else's.
    kaleido.start_sync_server(n=1, path=str(browser), mathjax=False, silence_warnings=True)
    try:
        return [_draw(kaleido, chart.on_white(), scale) for chart in charts]
    except Exception as error:
        raise BenchError(f"{browser} could not draw the chart: {error}", "is it a working Chromium?") from error
    finally:
        kaleido.stop_sync_server(silence_warnings=True)


def _draw(kaleido: ModuleType, chart: Chart, scale: int) -> bytes:
    height = chart.figure_json["layout"].get("height", _DEFAULT_HEIGHT)
    options = {"format": "png", "width": WIDTH, "height": height, "scale": scale}
    image: bytes = kaleido.calc_fig_sync(chart.figure_json, opts=options)
    return image


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


_SCRIPT = "plotly.min.js"


def write_charts(charts: Mapping[str, Chart], folder: Path, *, with_png: bool = False) -> dict[str, Path]:
    """Write charts as pages by their names, with plotly's script beside them, so that no network is needed.

    Args:
        charts: By name.
        folder: Where; it is made.
        with_png: Whether to draw images too, beside the pages.

    Returns:
        The pages by name, and the images by name with `.png`.

    Raises:
        MissingError: If the folder cannot be written, or there is no browser to draw an image.
    """
    import plotly.io  # noqa: PLC0415 - a third of a second
    import plotly.offline  # noqa: PLC0415

    pages = {name: folder / f"{file_name(name)}.html" for name in charts}
    images = {f"{name}.png": folder / f"{file_name(name)}.png" for name in charts} if with_png else {}
    try:
        if pages:
            # Each time anew: the folder may have come from elsewhere, with another script of that name.
            with atomic(folder / _SCRIPT) as draft:
                draft.write_text(plotly.offline.get_plotlyjs(), encoding="utf-8")
        for name, path in pages.items():
            with atomic(path) as draft:
                plotly.io.write_html(charts[name].figure_json, draft, include_plotlyjs=_SCRIPT, validate=False)
        for path, image in zip(images.values(), png(list(charts.values())) if images else [], strict=True):
            with atomic(path) as draft:
                draft.write_bytes(image)
    except OSError as error:
        raise MissingError(f"cannot write {folder}: {error.strerror}", "point PERFLAB_RESULTS elsewhere") from None
    return pages | images
