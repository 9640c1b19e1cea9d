"""Absolute values: each variant's estimate with its interval, in the metric's own unit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.charts import theme
from perflab.charts.axes import decade_ticks
from perflab.charts.chart import Chart, draw
from perflab.charts.quantities import quantity
from perflab.charts.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOG_FROM_RANGE = 20
_ROW_HEIGHT = 40
_FRAME_HEIGHT = 150


@dataclass(frozen=True)
class Value:
    """A variant's figure, with the interval around it; `role` as the component declares it."""

    variant: str
    estimate: float
    low: float
    high: float
    role: str = ""


def values(rows: Sequence[Value], *, metric: str, unit: str, better: str, title: str = "") -> Chart:
    """Dots with intervals, one row per variant; logarithmic if the range is large, else from zero.

    Args:
        rows: At least one; values above zero if the range is large.
        metric: What was measured.
        unit: Of the values.
        better: `higher` or `lower`, for the axis.
        title: Of the chart.
    """
    title = title or f"{metric} of each variant"
    smallest = min(min(row.low, row.estimate) for row in rows)
    largest = max(max(row.high, row.estimate) for row in rows)
    axis: dict[str, Any] = {"title": {"text": f"{metric} ({unit}; {better} is better)"}}
    if smallest > 0 and largest / smallest > _LOG_FROM_RANGE:
        tickvals, ticktext = decade_ticks(smallest / 1.3, largest * 1.3, unit)
        axis |= {"type": "log", "tickvals": tickvals, "ticktext": ticktext}
        axis["range"] = [math.log10(smallest / 1.3), math.log10(largest * 1.3)]
        axis["title"] = {"text": f"{metric} ({unit}, log scale; {better} is better)"}
    else:
        axis |= {"rangemode": "tozero", "range": [min(0.0, smallest), largest * 1.05]}
    traces = [_trace(row, number) for number, row in enumerate(rows)]
    layout = {
        "height": _FRAME_HEIGHT + _ROW_HEIGHT * len(rows),
        "showlegend": False,
        "xaxis": axis,
        "yaxis": {
            "tickvals": list(range(len(rows))),
            "ticktext": [f"<b>{row.variant}</b>" + (f"<br>{row.role}" if row.role else "") for row in rows],
            "range": [len(rows) - 0.5, -0.5],
            "showgrid": False,
            "showline": False,
            "ticks": "",
            "ticklabelstandoff": 8,
        },
        "margin": {"r": 150},
        "annotations": [
            {
                "text": quantity(row.estimate, unit),
                "xref": "paper",
                "x": 1.0,
                "xanchor": "left",
                "xshift": 12,
                "y": number,
                "showarrow": False,
            }
            for number, row in enumerate(rows)
        ],
    }
    table = Table(
        ["variant", "role", ">estimate", ">interval"],
        [
            [
                row.variant,
                row.role,
                quantity(row.estimate, unit),
                f"{quantity(row.low, unit)} to {quantity(row.high, unit)}",
            ]
            for row in rows
        ],
        [f"{metric}, {better} is better"],
    )
    return draw(title, traces, layout, table)


def _trace(row: Value, number: int) -> dict[str, Any]:
    colour = theme.colour(number)
    return {
        "type": "scatter",
        "name": row.variant,
        "mode": "markers",
        "x": [row.estimate],
        "y": [number],
        "marker": {"symbol": theme.symbol(number), "size": 11, "color": colour},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [row.high - row.estimate],
            "arrayminus": [row.estimate - row.low],
            "thickness": 2.5,
            "width": 7,
            "color": colour,
        },
    }
