"""What an operation's cost is made of: one stacked bar per variant, a segment per part."""

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

_ROW_HEIGHT = 52
_FRAME_HEIGHT = 190


@dataclass(frozen=True)
class Part:
    """One part of a variant's cost, with the interval around it."""

    variant: str
    name: str
    estimate: float
    low: float
    high: float


def parts(rows: Sequence[Part], *, unit: str, title: str = "") -> Chart:
    """Segments in the order in which the parts come first; the intervals stand in the table.

    Args:
        rows: At least one; all of the same unit.
        unit: Of the parts.
        title: Of the chart.
    """
    variants = list(dict.fromkeys(row.variant for row in rows))
    names = list(dict.fromkeys(row.name for row in rows))
    totals = [sum(row.estimate for row in rows if row.variant == variant) for variant in variants]
    axis = value_axis([0.0, *totals], metric="sum of the parts", unit=unit, better="lower", from_zero=True)
    traces: list[dict[str, Any]] = []
    for number, name in enumerate(names):
        found = {row.variant: row.estimate for row in rows if row.name == name}
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": name,
                "y": variants,
                "x": [found.get(variant, 0.0) / axis.divisor for variant in variants],
                "customdata": [quantity(found.get(variant, 0.0), unit) for variant in variants],
                "marker": theme.hatched(number),
                "hovertemplate": "%{y}, %{fullData.name}: %{customdata}<extra></extra>",
            }
        )
    layout = {
        "height": _FRAME_HEIGHT + _ROW_HEIGHT * len(variants),
        "barmode": "stack",
        "xaxis": axis.layout,
        "yaxis": {"autorange": "reversed", "showgrid": False, "showline": False, "ticks": "", "ticklabelstandoff": 8},
        "legend": {"traceorder": "normal"},
    }
    table = Table(
        ["variant", "part", ">estimate", ">interval"],
        [
            [
                row.variant,
                row.name,
                quantity(row.estimate, unit),
                f"{quantity(row.low, unit)} to {quantity(row.high, unit)}",
            ]
            for row in rows
        ],
    )
    return draw(title or "what it is made of", traces, layout, table)
