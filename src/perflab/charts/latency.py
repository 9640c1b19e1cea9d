"""Latency by percentile, on the axis that HdrHistogram made common: each nine is as wide as the one before."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from perflab.charts import theme
from perflab.charts.axes import decade_ticks
from perflab.charts.chart import Chart, draw
from perflab.charts.quantities import quantity
from perflab.charts.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PERCENTILE = re.compile(r"p(\d+(?:\.\d+)?)")
_TICKS = (0.0, 50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999)
_MAX_NINES = 0.5
"""How far right of the last percentile `max` stands, in nines: it is no percentile, and how rare it is, is unknown."""


@dataclass(frozen=True)
class Latency:
    """The percentiles of one fork in nanoseconds: `p0`, `p50`, ... `p99.99`, and `max`."""

    variant: str
    fork: int
    percentiles: Mapping[str, float]


def latency(forks: Sequence[Latency], *, operation: str = "", title: str = "") -> Chart:
    """A thick line per variant, the median of its forks at each percentile, and a thin line per fork.

    Args:
        forks: Of one or more variants; percentiles that stand for no time above zero are left out.
        operation: What takes so long, for the title.
        title: Of the chart.
    """
    title = title or f"latency{' of ' + operation if operation else ''} by percentile"
    variants = list(dict.fromkeys(fork.variant for fork in forks))
    names = sorted({name for fork in forks for name in fork.percentiles if name != "max"}, key=_rank)
    places = {name: _nines(_rank(name)) for name in names}
    has_max = any("max" in fork.percentiles for fork in forks)
    if has_max:
        places["max"] = max(places.values(), default=0.0) + _MAX_NINES
        names.append("max")
    times = [time for fork in forks for time in fork.percentiles.values() if time > 0]
    low, high = min(times) / 1.3, max(times) * 1.3
    tickvals, ticktext = decade_ticks(low, high, "ns")
    rightmost = max(places.values())
    ticks = [rank for rank in _TICKS if _nines(rank) <= max(places[name] for name in names if name != "max") + 1e-9]
    traces: list[dict[str, Any]] = []
    medians: dict[str, dict[str, float]] = {}
    for number, variant in enumerate(variants):
        own = [fork.percentiles for fork in forks if fork.variant == variant]
        medians[variant] = {
            name: median(found) for name in names if (found := [fork[name] for fork in own if fork.get(name, 0) > 0])
        }
        traces.extend(_lines(variant, number, own, medians[variant], places))
    layout = {
        "height": 460,
        "xaxis": {
            "title": {"text": "percentile of operations (%)"},
            "tickvals": [_nines(rank) for rank in ticks] + ([places["max"]] if has_max else []),
            "ticktext": [f"{rank:g}" for rank in ticks] + (["max"] if has_max else []),
            "range": [-0.05, rightmost + 0.08],
        },
        "yaxis": {
            "type": "log",
            "title": {"text": "latency (ns to s, log scale)"},
            "tickvals": tickvals,
            "ticktext": ticktext,
            "range": [math.log10(low), math.log10(high)],
        },
    }
    table = Table(
        ["variant", ">forks", *(f">{name}" for name in names)],
        [
            [
                variant,
                str(sum(fork.variant == variant for fork in forks)),
                *(quantity(medians[variant][name], "ns") if name in medians[variant] else "" for name in names),
            ]
            for variant in variants
        ],
        ["medians over the forks"],
    )
    return draw(title, traces, layout, table)


def _lines(
    variant: str,
    number: int,
    forks: Sequence[Mapping[str, float]],
    medians: Mapping[str, float],
    places: Mapping[str, float],
) -> list[dict[str, Any]]:
    colour = theme.colour(number)
    xs: list[float | None] = []
    ys: list[float | None] = []
    for fork in forks:
        known = [name for name in places if fork.get(name, 0) > 0]
        xs += [*(places[name] for name in known), None]
        ys += [*(fork[name] for name in known), None]
    spread = {
        "type": "scatter",
        "name": f"{variant}, each fork",
        "legendgroup": variant,
        "showlegend": False,
        "mode": "lines",
        "x": xs,
        "y": ys,
        "line": {"color": theme.faint(colour, 0.45), "width": 1},
        "hoverinfo": "skip",
    }
    thick = {
        "type": "scatter",
        "name": variant,
        "legendgroup": variant,
        "mode": "lines+markers",
        "x": [places[name] for name in medians],
        "y": list(medians.values()),
        "line": {"color": colour, "width": 3, "dash": theme.dash(number)},
        "marker": {"symbol": theme.symbol(number), "size": 8, "color": colour},
        "text": [f"{name}: {quantity(time, 'ns')}" for name, time in medians.items()],
        "hovertemplate": f"%{{text}}<extra>{variant}</extra>",
    }
    return [spread, thick]


def _rank(name: str) -> float:
    match = _PERCENTILE.fullmatch(name)
    return float(match[1]) if match else 0.0


def _nines(percentile: float) -> float:
    # 0 at the least value, 1 at 90 %, 2 at 99 %. p100 would be infinitely far right; it stands at six nines.
    return -math.log10(max(1 - percentile / 100, 1e-6))
