"""Chart styles. Colour is never the only sign, and charts are readable on light and dark pages.

A figure cannot know whether a notebook's page is light or dark. `EITHER` therefore has no background, and a grey
for text whose contrast is above 4:1 on white and on JupyterLab's #111 alike; `WHITE` is for images.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from perflab.model.format import axis_scale, split_unit
from perflab.model.units import units_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perflab.model.estimate import Estimate


# Okabe and Ito, "Color Universal Design" (2008), without black and yellow, which vanish on one of the two backgrounds.
BLUE = "#0072B2"
VERMILLION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
ORANGE = "#E69F00"
SKY = "#56B4E9"
PALETTE = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)

# Seven and five beside six colours: the first variant that repeats a colour has another marker and another line.
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star", "triangle-down")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
HATCHES = ("", "/", "x", ".", "\\", "+", "-", "|")

NEUTRAL = "#777777"
"""For what is no variant: bands, reference lines. Visible on both backgrounds."""

TOP_PX = 80
"""The margin above a plot: a title of one line, and the legend."""
TITLE_PAD_PX = 14
"""Above a title of one line."""
TITLE_LINE_PX = 21
"""Height of each additional line of the title."""

_BAND_ALPHA = 0.22
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

EITHER = {"text": "#787878", "grid": "rgba(128,128,128,0.25)", "axis": "#8a8a8a", "page": "rgba(0,0,0,0)"}
WHITE = {"text": "#333333", "grid": "#e4e4e4", "axis": "#999999", "page": "#ffffff"}
"""The colours of a page, for `template`."""


def colour(index: int) -> str:
    """Return the colour of the n-th variant."""
    return PALETTE[index % len(PALETTE)]


def symbol(index: int) -> str:
    """Return the marker of the n-th variant."""
    return SYMBOLS[index % len(SYMBOLS)]


def dash(index: int) -> str:
    """Return the line of the n-th variant."""
    return DASHES[index % len(DASHES)]


def hatched(index: int) -> dict[str, Any]:
    """Return a bar's marker in the n-th colour and filling."""
    ink = colour(index)
    pattern = {
        "shape": HATCHES[index % len(HATCHES)],
        "size": 7,
        "solidity": 0.3,
        "fillmode": "overlay",
        "fgcolor": ink,
    }
    return {"color": faint(ink, 0.55), "line": {"color": ink, "width": 1.5}, "pattern": pattern}


def faint(hexadecimal: str, alpha: float = _BAND_ALPHA) -> str:
    """Return a colour to draw over others."""
    red, green, blue = (int(hexadecimal[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


def template(colours: dict[str, str] = EITHER) -> dict[str, Any]:
    """Return a plotly template: fonts, axes and background."""
    axis = {
        "gridcolor": colours["grid"],
        "linecolor": colours["axis"],
        "showline": True,
        "zeroline": False,
        "ticks": "outside",
        "tickcolor": colours["axis"],
        "ticklen": 4,
        "automargin": True,
        "title": {"standoff": 8, "font": {"size": 13}},
    }
    return {
        "layout": {
            "font": {"family": _FONT, "size": 13, "color": colours["text"]},
            "title": {
                "font": {"size": 16},
                "x": 0,
                "xref": "container",
                "xanchor": "left",
                "y": 1,
                "yref": "container",
                "yanchor": "top",
                "pad": {"l": 12, "t": TITLE_PAD_PX},
            },
            "paper_bgcolor": colours["page"],
            "plot_bgcolor": colours["page"],
            "colorway": list(PALETTE),
            "xaxis": axis,
            "yaxis": axis,
            "margin": {"l": 12, "r": 24, "t": TOP_PX, "b": 56},
            "hovermode": "closest",
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": colours["axis"], "activecolor": colours["text"]},
            "legend": {"orientation": "h", "x": 0, "y": 1.0, "xanchor": "left", "yanchor": "bottom"},
            "annotationdefaults": {"showarrow": False, "font": {"size": 12}},
        }
    }


_LOG_FROM_RANGE = 20
_LOG_ROOM = 1.25
_D2_FROM, _D2_TO, _DECADE_TICKS = 0.6, 3.5, 8
_LEAST_WITH_PREFIX = 1e-3
"""For counts, which have no prefixes below one: nobody writes 200 n of allocations."""
_MOST_ABOVE, _LEGEND_LINE_PX = 8, 20

ROW_NAMES: dict[str, Any] = {"showgrid": False, "showline": False, "ticks": "", "ticklabelstandoff": 8}
"""A vertical axis of names."""


def lane_axis(names: Sequence[str]) -> dict[str, Any]:
    """Return an axis with names at 0, 1, 2 and so on, from the top."""
    count = len(names)
    return {"tickvals": list(range(count)), "ticktext": list(names), "range": [count - 0.5, -0.5], **ROW_NAMES}


def log_axis(low: float, high: float, title: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - plotly's
    """Return a logarithmic axis with a tick at each decade, and at 2 and 5 times it where there are few."""
    span = [math.log10(low), math.log10(high)]
    decades = span[1] - span[0]
    # On a short axis plotly itself chooses ticks that are evenly apart.
    steps = {"dtick": "D2" if decades <= _D2_TO else math.ceil(decades / _DECADE_TICKS)} if decades > _D2_FROM else {}
    return {"type": "log", "range": span, "title": {"text": title}, **steps, **more}


def factor_axis(values: Iterable[float], title: str) -> dict[str, Any]:
    """Return a logarithmic axis of ratios that shows 1 and all finite values above zero."""
    finite = [1.0, *(value for value in values if 0 < value < math.inf)]
    low, high = min(finite), max(finite)
    room = (high / low) ** 0.08 * 1.02
    return log_axis(low / room, high * room, title, tickformat=",.3~r", ticksuffix="x")


def legend_room(entries: int, *, height: int) -> dict[str, Any]:
    """Return a height, and the legend on the right where it would need too many lines above the plot."""
    if entries <= _MOST_ABOVE:
        return {"height": height}
    beside = {"orientation": "v", "x": 1.02, "y": 1, "xanchor": "left", "yanchor": "top", "tracegroupgap": 0}
    return {"height": max(height, TOP_PX + 56 + _LEGEND_LINE_PX * entries), "legend": beside}


def horizontal(y: float, line: dict[str, Any]) -> dict[str, Any]:
    """Return a line across the whole plot."""
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line}


def vertical(x: float, line: dict[str, Any]) -> dict[str, Any]:
    """Return a line over the whole height of the plot."""
    return {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": line}


UNITY_LINE: dict[str, Any] = {"color": NEUTRAL, "width": 1.5, "dash": "dot"}
UNITY: dict[str, Any] = {**horizontal(1, UNITY_LINE), "layer": "below"}
"""The line at a factor of 1, below the points."""
EVENT_LINE: dict[str, Any] = {"color": VERMILLION, "width": 1.5, "dash": "dash"}


def event_label(text: str, x: float, *, shift: int, left: bool) -> dict[str, Any]:
    """Return the label above an event's line, `shift` pixels higher; `left` if it begins at the line."""
    return {
        "text": text,
        "x": x,
        "yref": "paper",
        "y": 1.0,
        "yanchor": "bottom",
        "yshift": shift,
        "xanchor": "left" if left else "right",
        "showarrow": False,
        "font": {"color": VERMILLION, "size": 12},
    }


def beside(text: str, y: float) -> dict[str, Any]:
    """Return a note in the right margin, beside a row."""
    place = {"xref": "paper", "x": 1.0, "xanchor": "left", "xshift": 12, "align": "left", "showarrow": False}
    return {**place, "text": text, "y": y}


def open_marker(symbol: str, size: int, ink: str) -> dict[str, Any]:
    """Return an outlined marker."""
    return {"symbol": symbol, "size": size, "color": ink, "line": {"width": 2.5, "color": ink}}


def scatter(name: str, x: Iterable[Any], y: Iterable[Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401 - plotly's
    """Return a scatter trace: points, unless `mode` differs."""
    return {"type": "scatter", "name": name, "mode": "markers", "x": list(x), "y": list(y), **more}


def estimated(
    name: str,
    places: Iterable[float],
    estimates: Sequence[Estimate | None],
    ink: str,
    *,
    axis: Literal["x", "y"],
    divisor: float = 1.0,
    thickness: float = 2.5,
    width: int = 7,
    **more: Any,  # noqa: ANN401 - plotly's
) -> dict[str, Any]:
    """Return points with their intervals as bars; without a bar where an end is missing or infinite."""
    known = [(one.value, one.interval) if one and one.interval else (0.0, (0.0, 0.0)) for one in estimates]
    bars = {
        "type": "data",
        "symmetric": False,
        "array": [(high - value) / divisor if high < math.inf else 0.0 for value, (_, high) in known],
        "arrayminus": [(value - low) / divisor if low > -math.inf else 0.0 for value, (low, _) in known],
        "thickness": thickness,
        "width": width,
        "color": ink,
    }
    values = [one.value / divisor if one else None for one in estimates]
    x, y = (values, places) if axis == "x" else (places, values)
    return scatter(name, x, y, **{f"error_{axis}": bars}, **more)


def bars(name: str, number: int, y: Iterable[str], x: Iterable[float], **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return horizontal bars in the n-th colour and filling."""
    kind = {"type": "bar", "orientation": "h", "name": name, "marker": hatched(number)}
    return {**kind, "y": list(y), "x": list(x), **more}


def tooltip(texts: Iterable[str], variant: str = "") -> dict[str, Any]:
    """Return the hover text of points."""
    return {"text": list(texts), "hovertemplate": f"%{{text}}<extra>{variant}</extra>"}


def marker(index: int, size: int) -> dict[str, Any]:
    """Return the n-th variant's marker in its colour."""
    return {"symbol": symbol(index), "size": size, "color": colour(index)}


@dataclass(frozen=True)
class ValueAxis:
    """An axis for the values of a metric: plotly's layout, and what values are divided by to be in its unit."""

    layout: dict[str, Any]
    divisor: float
    unit: str


def value_axis(
    values: Iterable[float], *, metric: str, unit: str, better: str = "", from_zero: bool = False
) -> ValueAxis:
    """Return an axis that is logarithmic where the largest value exceeds the smallest by more than twenty times."""
    known = list(values)
    smallest, largest = min(known), max(known)
    direction = [f"{better} is better"] if better else []
    if smallest > 0 and largest / smallest > _LOG_FROM_RANGE:
        kind, rest = split_unit(unit)
        # On its ticks a time is in ns, µs, ms and s: the title says what they all are.
        name, times = next(((one, times) for one in ("s", "B") if (times := units_in(unit, one))), ("", 1.0))
        word = {"s": "time", "B": "memory"}.get(name)
        said = f"{word}{rest.replace('/', ' per ', 1)}" if word else unit
        small = smallest * times < _LEAST_WITH_PREFIX and not name
        format_ = ".2~p" if kind == "share" else ".2~g" if small else "~s"
        title = f"{metric} ({'; '.join([said, 'log scale', *direction])})"
        low, high = smallest * times / _LOG_ROOM, largest * times * _LOG_ROOM
        layout = log_axis(low, high, title, tickformat=format_, ticksuffix=name)
        return ValueAxis(layout, 1 / times, f"{name}{rest}" if name else unit)
    shown, divisor = axis_scale(largest, unit)
    layout = {"title": {"text": f"{metric} ({'; '.join([shown, *direction])})"}}
    if from_zero:
        layout["range"] = [min(0.0, smallest) / divisor, largest * 1.05 / divisor]
    return ValueAxis(layout, divisor, shown)
