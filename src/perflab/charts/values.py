"""Absolute values: each variant's estimate with its interval, in the metric's own unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.charts import theme
from perflab.charts.axes import value_axis
from perflab.charts.chart import Chart, draw
from perflab.charts.quantities import quantity
from perflab.charts.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROW_HEIGHT = 40
_FRAME_HEIGHT = 124


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
    ends = [end for row in rows for end in (row.low, row.estimate, row.high)]
    axis = value_axis(ends, metric=metric, unit=unit, better=better, from_zero=True)
    traces = [_trace(row, number, axis.divisor) for number, row in enumerate(rows)]
    layout = {
        "height": _FRAME_HEIGHT + _ROW_HEIGHT * len(rows),
        "showlegend": False,
        "xaxis": axis.layout,
        "yaxis": {
            "tickvals": list(range(len(rows))),
            "ticktext": [f"<b>{row.variant}</b>" + (f"<br>{row.role}" if row.role else "") for row in rows],
            "range": [len(rows) - 0.5, -0.5],
            "showgrid": False,
            "showline": False,
            "ticks": "",
            "ticklabelstandoff": 8,
        },
        "margin": {"t": 56, "r": 150},
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


def _trace(row: Value, number: int, divisor: float) -> dict[str, Any]:
    colour = theme.colour(number)
    return {
        "type": "scatter",
        "name": row.variant,
        "mode": "markers",
        "x": [row.estimate / divisor],
        "y": [number],
        "marker": {"symbol": theme.symbol(number), "size": 11, "color": colour},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [(row.high - row.estimate) / divisor],
            "arrayminus": [(row.estimate - row.low) / divisor],
            "thickness": 2.5,
            "width": 7,
            "color": colour,
        },
    }
