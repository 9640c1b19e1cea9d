"""How charts look: no colour is ever the only sign, and a chart can be read on a light and on a dark page.

A notebook does not tell a figure whether its page is light or dark. The theme `auto` therefore has no background, and a
grey for text whose contrast is above 4:1 on white and on JupyterLab's #111 alike; `light` and `dark` are for images.
"""

from __future__ import annotations

from typing import Any, Literal

Theme = Literal["auto", "light", "dark"]

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
_COLOURS: dict[Theme, dict[str, str]] = {
    "auto": {"text": "#787878", "grid": "rgba(128,128,128,0.25)", "axis": "#8a8a8a", "page": "rgba(0,0,0,0)"},
    "light": {"text": "#333333", "grid": "#e4e4e4", "axis": "#999999", "page": "#ffffff"},
    "dark": {"text": "#d0d0d0", "grid": "#333333", "axis": "#777777", "page": "#111111"},
}


def colour(index: int) -> str:
    """The colour of the n-th variant."""
    return PALETTE[index % len(PALETTE)]


def symbol(index: int) -> str:
    """The marker of the n-th variant."""
    return SYMBOLS[index % len(SYMBOLS)]


def dash(index: int) -> str:
    """The line of the n-th variant."""
    return DASHES[index % len(DASHES)]


def hatch(index: int) -> str:
    """The filling of the n-th state."""
    return HATCHES[index % len(HATCHES)]


def hatched(index: int) -> dict[str, Any]:
    """A bar's marker in the n-th colour and filling."""
    ink = colour(index)
    pattern = {"shape": hatch(index), "size": 7, "solidity": 0.3, "fillmode": "overlay", "fgcolor": ink}
    return {"color": faint(ink, 0.55), "line": {"color": ink, "width": 1.5}, "pattern": pattern}


def faint(hexadecimal: str, alpha: float = _BAND_ALPHA) -> str:
    """A colour to draw over others."""
    red, green, blue = (int(hexadecimal[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


def template(theme: Theme = "auto") -> dict[str, Any]:
    """A plotly template: fonts, axes and background, and nothing that takes ink without saying something."""
    colours = _COLOURS[theme]
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
