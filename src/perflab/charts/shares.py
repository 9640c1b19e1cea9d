"""The root-cause table as a chart: what share of a profile each cause has, side by side for several variants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perflab.charts import theme
from perflab.charts.chart import Chart, draw
from perflab.charts.quantities import percent, quantity
from perflab.charts.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perflab.profiles import RootCauses

_WHOLE = {
    "cpu": "CPU time",
    "wall": "the time of all threads",
    "lock": "the time spent waiting for locks",
    "alloc": "bytes",
}


def shares(tables: Mapping[str, RootCauses], *, title: str = "") -> Chart:
    """A group of bars per cause, a bar per variant.

    Args:
        tables: By variant; all of the same mode.
        title: Of the chart.
    """
    first = next(iter(tables.values()))
    causes = list(dict.fromkeys(row.name for table in tables.values() for row in table.rows))
    title = title or f"root causes: shares of {_WHOLE[first.mode]}"
    traces: list[dict[str, Any]] = []
    for number, (variant, table) in enumerate(tables.items()):
        found = {row.name: row.share for row in table.rows}
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": variant,
                "y": causes,
                "x": [100 * found.get(cause, 0.0) for cause in causes],
                "text": [percent(found.get(cause, 0.0)) for cause in causes],
                "textposition": "outside",
                "cliponaxis": False,
                "marker": theme.hatched(number),
                "hovertemplate": "%{y}: %{text}<extra>%{fullData.name}</extra>",
            }
        )
    layout = {
        "height": 170 + (18 + 24 * len(tables)) * len(causes),
        "barmode": "group",
        "xaxis": {"title": {"text": f"share of {_WHOLE[first.mode]} (%)"}, "range": [0, 108]},
        "yaxis": {"autorange": "reversed", "showgrid": False, "showline": False, "ticks": "", "ticklabelstandoff": 8},
        "legend": {"traceorder": "normal"},
    }
    rows = [
        [
            variant,
            row.name,
            percent(row.share),
            quantity(row.weight, table.unit),
            quantity(row.per_operation, f"{table.unit}/op") if row.per_operation is not None else "",
            percent(row.off_cpu_share) if row.off_cpu_share is not None else "",
        ]
        for variant, table in tables.items()
        for row in table.rows
    ]
    heads = ["variant", "cause", ">share", ">weight", ">per operation", ">of it off the CPU"]
    used = [index for index in range(len(heads)) if any(row[index] for row in rows)]
    return draw(title, traces, layout, Table([heads[i] for i in used], [[row[i] for i in used] for row in rows]))
