"""How charts look: no colour is ever the only sign, and a chart can be read on a light and on a dark page.

A notebook does not tell a figure whether its page is light or dark. `EITHER` therefore has no background, and a grey
for text whose contrast is above 4:1 on white and on JupyterLab's #111 alike; `WHITE` is for images.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from perflab.model.format import axis_scale, factor, split_unit, tick

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
"""What each further line of the title takes."""

_BAND_ALPHA = 0.22
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

EITHER = {"text": "#787878", "grid": "rgba(128,128,128,0.25)", "axis": "#8a8a8a", "page": "rgba(0,0,0,0)"}
WHITE = {"text": "#333333", "grid": "#e4e4e4", "axis": "#999999", "page": "#ffffff"}
"""The colours of a page, for `template`."""


def colour(index: int) -> str:
    """The colour of the n-th variant."""
    return PALETTE[index % len(PALETTE)]


def symbol(index: int) -> str:
    """The marker of the n-th variant."""
    return SYMBOLS[index % len(SYMBOLS)]


def dash(index: int) -> str:
    """The line of the n-th variant."""
    return DASHES[index % len(DASHES)]


def hatched(index: int) -> dict[str, Any]:
    """A bar's marker in the n-th colour and filling."""
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
    """A colour to draw over others."""
    red, green, blue = (int(hexadecimal[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


def template(colours: dict[str, str] = EITHER) -> dict[str, Any]:
    """A plotly template: fonts, axes and background, and nothing that takes ink without saying something."""
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


_LADDERS = ((1, 2, 3, 5), (1, 2, 5), (1,))
"""Steps within a decade, the finest first."""
_FINE_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
_LEAST_TICKS, _MOST_FINE, _MOST_TICKS = 3, 9, 12
_LOG_FROM_RANGE = 20
_LOG_ROOM = 1.25


_MOST_ABOVE, _LEGEND_LINE_PX = 8, 20

ROW_NAMES: dict[str, Any] = {"showgrid": False, "showline": False, "ticks": "", "ticklabelstandoff": 8}
"""For plotly: a vertical axis of names."""


def lane_axis(names: Sequence[str]) -> dict[str, Any]:
    """For plotly: names at 0, 1, 2 and so on, from the top."""
    count = len(names)
    return {"tickvals": list(range(count)), "ticktext": list(names), "range": [count - 0.5, -0.5], **ROW_NAMES}


def factor_axis(values: Iterable[float], title: str) -> dict[str, Any]:
    """For plotly: a logarithmic axis of ratios that shows 1 and all finite values above zero."""
    finite = [1.0, *(value for value in values if 0 < value < math.inf)]
    low, high = ratio_range(min(finite), max(finite))
    ticks, texts = ratio_ticks(low, high)
    span = [math.log10(low), math.log10(high)]
    return {"type": "log", "range": span, "tickvals": ticks, "ticktext": texts, "title": {"text": title}}


def legend_room(entries: int, *, height: int) -> dict[str, Any]:
    """For plotly: the height of a chart, with the legend on the right where it would need too many lines above."""
    if entries <= _MOST_ABOVE:
        return {"height": height}
    beside = {"orientation": "v", "x": 1.02, "y": 1, "xanchor": "left", "yanchor": "top", "tracegroupgap": 0}
    return {"height": max(height, TOP_PX + 56 + _LEGEND_LINE_PX * entries), "legend": beside}


def horizontal(y: float, line: dict[str, Any]) -> dict[str, Any]:
    """For plotly: a line across the whole plot."""
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line}


def vertical(x: float, line: dict[str, Any]) -> dict[str, Any]:
    """For plotly: a line over the whole height of the plot."""
    return {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": line}


UNITY_LINE: dict[str, Any] = {"color": NEUTRAL, "width": 1.5, "dash": "dot"}
UNITY: dict[str, Any] = {**horizontal(1, UNITY_LINE), "layer": "below"}
"""For plotly: the line at a factor of 1, below the points."""
EVENT_LINE: dict[str, Any] = {"color": VERMILLION, "width": 1.5, "dash": "dash"}


def event_label(text: str, x: float, *, shift: int, left: bool) -> dict[str, Any]:
    """For plotly: the label above an event's vertical line, `shift` pixels higher; `left` if it begins at the line."""
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
    """For plotly: a note in the right margin, beside a row."""
    place = {"xref": "paper", "x": 1.0, "xanchor": "left", "xshift": 12, "align": "left", "showarrow": False}
    return {**place, "text": text, "y": y}


def open_marker(symbol: str, size: int, ink: str) -> dict[str, Any]:
    """For plotly: an outlined marker."""
    return {"symbol": symbol, "size": size, "color": ink, "line": {"width": 2.5, "color": ink}}


def ratio_range(low: float, high: float) -> tuple[float, float]:
    """What a ratio's axis should span so that the values and 1 are well inside."""
    low, high = min(low, 1.0), max(high, 1.0)
    room = (high / low) ** 0.08 * 1.02
    return low / room, high * room


def ratio_ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    """Ticks such as 0.5x, 1x, 2x, 3x; finer ones where the range is narrow, always with 1x."""
    ladders = [[value for value in _decades(low, high, steps) if low <= value <= high] for steps in _LADDERS]
    values = next((ladder for ladder in ladders if len(ladder) <= _MOST_TICKS), ladders[-1])
    if len(values) < _LEAST_TICKS:
        step = next((step for step in _FINE_STEPS if (high - low) / step <= _MOST_FINE), _FINE_STEPS[-1])
        first = math.ceil((low - 1) / step)
        last = math.floor((high - 1) / step)
        values = [round(1 + step * number, 6) for number in range(first, last + 1)]
    return values, [_factor_tick(value) for value in values]


def decade_ticks(low: float, high: float, unit: str) -> tuple[list[float], list[str]]:
    """Ticks of a logarithmic axis at decades, or at 1, 2 and 5 where there are few decades: each with its prefix."""
    few = math.ceil(math.log10(high)) - math.floor(math.log10(low)) <= 3  # noqa: PLR2004 - four decades fill an axis
    values = [value for value in _decades(low, high, (1, 2, 5) if few else (1,)) if low * 0.99 <= value <= high * 1.01]
    return values, [tick(value, unit) for value in values]


def scatter(name: str, x: Iterable[Any], y: Iterable[Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401 - plotly's
    """For plotly: points, or what `mode` says."""
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
    """For plotly: a point at each place, with its interval as a bar; without a bar if an end is missing or infinite.

    Args:
        name: In the legend.
        places: On the other axis.
        estimates: One for each place; `None` leaves it empty.
        ink: The colour.
        axis: On which the estimates are.
        divisor: Of the axis.
        thickness: Of the bars, in pixels.
        width: Of the bars' ends, in pixels.
        more: Of the trace.
    """
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
    """For plotly: horizontal bars in the n-th colour and filling."""
    kind = {"type": "bar", "orientation": "h", "name": name, "marker": hatched(number)}
    return {**kind, "y": list(y), "x": list(x), **more}


def tooltip(texts: Iterable[str], variant: str = "") -> dict[str, Any]:
    """For plotly: what a point says when the mouse is over it."""
    return {"text": list(texts), "hovertemplate": f"%{{text}}<extra>{variant}</extra>"}


def marker(index: int, size: int) -> dict[str, Any]:
    """For plotly: the marker of the n-th variant."""
    return {"symbol": symbol(index), "size": size, "color": colour(index)}


@dataclass(frozen=True)
class ValueAxis:
    """An axis for the values of a metric.

    Args:
        layout: For plotly: title with unit and direction, type, range, ticks.
        divisor: By which the values have to be divided for this axis.
        unit: Of the values after that.
    """

    layout: dict[str, Any]
    divisor: float
    unit: str


def value_axis(
    values: Iterable[float], *, metric: str, unit: str, better: str = "", from_zero: bool = False
) -> ValueAxis:
    """Logarithmic where the largest value exceeds the smallest by more than twenty times, else linear.

    Args:
        values: All that will stand on it.
        metric: What they are.
        unit: In which they are.
        better: `higher` or `lower`; may be empty.
        from_zero: Whether a linear axis starts at zero, as it must where lengths are compared.
    """
    known = list(values)
    smallest, largest = min(known), max(known)
    direction = [f"{better} is better"] if better else []
    if smallest > 0 and largest / smallest > _LOG_FROM_RANGE:
        low, high = smallest / _LOG_ROOM, largest * _LOG_ROOM
        ticks, texts = decade_ticks(low, high, unit)
        title = f"{metric} ({'; '.join([_kind(unit), 'log scale', *direction])})"
        span = [math.log10(low), math.log10(high)]
        layout = {"type": "log", "tickvals": ticks, "ticktext": texts, "range": span, "title": {"text": title}}
        return ValueAxis(layout, 1.0, unit)
    shown, divisor = axis_scale(largest, unit)
    layout = {"title": {"text": f"{metric} ({'; '.join([shown, *direction])})"}}
    if from_zero:
        layout["range"] = [min(0.0, smallest) / divisor, largest * 1.05 / divisor]
    return ValueAxis(layout, divisor, shown)


def _decades(low: float, high: float, steps: Sequence[int]) -> list[float]:
    """The steps of all decades that have a part between the two."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [float(f"{step}e{power}") for power in powers for step in steps]


def _kind(unit: str) -> str:
    kind, rest = split_unit(unit)
    word = {"ns": "time", "bytes": "memory", "B": "memory"}.get(kind)
    return unit if word is None else f"{word}{rest.replace('/', ' per ', 1)}"


def _factor_tick(value: float) -> str:
    return factor(value) if value != round(value, 2) else f"{value:g}x"
