"""Absolute values: each variant's estimate with its interval, and the worst case beside it, in the metric's unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.charts import theme
from perflab.charts.chart import Chart, Table, draw
from perflab.charts.theme import value_axis
from perflab.model.estimate import interval_name
from perflab.model.format import quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.model.estimate import Estimate


@dataclass(frozen=True)
class Value:
    """A variant's figure; `about` stands under its name: its role, say.

    `worst` is the worst case in the same unit, if that was measured.
    """

    variant: str
    estimate: Estimate
    about: str = ""
    worst: float | None = None


def values_chart(rows: Sequence[Value], *, metric: str, better: str, title: str) -> Chart:
    """Dots with intervals, one row per variant; logarithmic if the range is large, else from zero.

    Needs at least one row, all of the same unit. `better` is `higher` or `lower`.
    """
    unit = rows[0].estimate.unit
    ends = [end for row in rows for end in (*row.estimate.ends, row.worst) if end is not None]
    axis = value_axis(ends, metric=metric, unit=unit, better=better, from_zero=True)
    traces = [
        theme.estimated(
            row.variant,
            [number],
            [row.estimate],
            theme.colour(number),
            axis="x",
            divisor=axis.divisor,
            marker=theme.marker(number, 11),
        )
        for number, row in enumerate(rows)
    ]
    has_worst = any(row.worst is not None for row in rows)
    if has_worst:
        traces.append(_worst(rows, axis.divisor))
    layout = {
        "height": 124 + 40 * len(rows),
        "showlegend": False,
        "xaxis": axis.layout,
        "yaxis": theme.lane_axis([f"<b>{row.variant}</b>" + (f"<br>{row.about}" if row.about else "") for row in rows]),
        "margin": {"t": 56, "r": 150},
        "annotations": [
            theme.beside(
                row.estimate.value_text + (f"<br>worst {quantity(row.worst, unit)}" if row.worst is not None else ""),
                number,
            )
            for number, row in enumerate(rows)
        ],
    }
    interval = interval_name(row.estimate for row in rows)
    table = Table(
        ["variant", "role", ">estimate", f">{interval}", *([">worst case"] if has_worst else [])],
        [
            [
                row.variant,
                row.about,
                *row.estimate.columns,
                *([quantity(row.worst, unit) if row.worst is not None else ""] if has_worst else []),
            ]
            for row in rows
        ],
        [f"{metric}, {better} is better"],
    )
    return draw(title, traces, layout, table)


def _worst(rows: Sequence[Value], divisor: float) -> dict[str, Any]:
    """Open and neutral: whose it is, the row says."""
    known = [(row.worst, number) for number, row in enumerate(rows) if row.worst is not None]
    return theme.scatter(
        "worst case",
        [worst / divisor for worst, _ in known],
        [number for _, number in known],
        marker=theme.open_marker("line-ns-open", 18, theme.NEUTRAL),
    )


@dataclass(frozen=True)
class CostPart:
    """One part of a variant's cost."""

    variant: str
    name: str
    estimate: Estimate


def parts_chart(rows: Sequence[CostPart], *, title: str) -> Chart:
    """Segments in the order in which the parts come first; the intervals stand in the table.

    Needs at least one row; all are of the same unit.
    """
    variants = list(dict.fromkeys(row.variant for row in rows))
    names = list(dict.fromkeys(row.name for row in rows))
    unit = rows[0].estimate.unit
    totals = [sum(row.estimate.value for row in rows if row.variant == variant) for variant in variants]
    axis = value_axis([0.0, *totals], metric="sum of the parts", unit=unit, better="lower", from_zero=True)
    traces: list[dict[str, Any]] = []
    for number, name in enumerate(names):
        found = {row.variant: row.estimate.value for row in rows if row.name == name}
        values = [found.get(variant, 0.0) for variant in variants]
        traces.append(
            theme.bars(
                name,
                number,
                variants,
                [value / axis.divisor for value in values],
                customdata=[quantity(value, unit) for value in values],
                hovertemplate="%{y}, %{fullData.name}: %{customdata}<extra></extra>",
            )
        )
    layout = {
        "height": 190 + 52 * len(variants),
        "barmode": "stack",
        "xaxis": axis.layout,
        "yaxis": {"autorange": "reversed", **theme.ROW_NAMES},
        "legend": {"traceorder": "normal"},
    }
    interval = interval_name(row.estimate for row in rows)
    table = Table(
        ["variant", "part", ">estimate", f">{interval}"],
        [[row.variant, row.name, *row.estimate.columns] for row in rows],
    )
    return draw(title, traces, layout, table)
