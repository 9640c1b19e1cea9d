"""Before and after: by what factor each candidate is better than the baseline, and how sure that is."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from perflab.charts import theme
from perflab.charts.chart import Chart, Table, draw
from perflab.charts.theme import factor_axis
from perflab.model.format import change_word, factor, percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perflab.model.estimate import Estimate
    from perflab.stats.comparison import Comparison


_ROW_HEIGHT = 46
_FRAME_HEIGHT = 176


def ratios_chart(
    rows: Sequence[Comparison],
    *,
    metric: str,
    noise: Estimate | None = None,
    published: Mapping[str, float] | None = None,
    worst: Mapping[str, float] | None = None,
    title: str,
) -> Chart:
    """One row per candidate: estimate, interval, published figure, verdict; the noise band shaded.

    A comparison of differences has no factor: its row says the difference in words.

    Args:
        rows: At least one, all with one baseline at one confidence.
        metric: What was measured, for the axis.
        noise: 1, with the band in which the factors of one and the same variant fall on this machine.
        published: Of candidates, the factor that was published.
        worst: Of candidates, the factor of the worst case.
        title: Of the chart.
    """
    published, worst = _in_order(rows, published), _in_order(rows, worst)
    baseline = rows[0].baseline
    factors = [one.ends for one in (*map(_factor, rows), noise) if one is not None]
    known = [*itertools.chain(*factors), *published.values(), *worst.values()]
    layout: dict[str, Any] = {
        "height": _FRAME_HEIGHT + _ROW_HEIGHT * len(rows),
        "xaxis": factor_axis(known, f"improvement factor of {metric} over {baseline} (x, log scale; right is better)"),
        "yaxis": theme.lane_axis([f"<b>{row.candidate}</b>" for row in rows]),
        "margin": {"r": 220},
        "shapes": _shapes(noise),
        "annotations": [
            {**theme.beside(f"<b>{_word(row)}</b><br>{_figures(row)}", position), "yref": "y"}
            for position, row in enumerate(rows)
        ],
    }
    return draw(title, _traces(rows, noise, published, worst), layout, _table(rows, noise, published, worst))


def _in_order(rows: Sequence[Comparison], of: Mapping[str, float] | None) -> dict[str, float]:
    return {row.candidate: of[row.candidate] for row in rows if of and row.candidate in of}


def _factor(row: Comparison) -> Estimate | None:
    return row.estimate if row.scale == "ratio" else None


def _word(row: Comparison) -> str:
    return change_word(row.verdict, row.unit, row.better)


def _figures(row: Comparison) -> str:
    return row.figures if _factor(row) or row.estimate is None else f"better by {row.figures}"


def _traces(
    rows: Sequence[Comparison], noise: Estimate | None, published: Mapping[str, float], worst: Mapping[str, float]
) -> list[dict[str, Any]]:
    factors = [_factor(row) for row in rows]
    positions = {row.candidate: position for position, row in enumerate(rows)}
    traces = [
        theme.estimated(
            f"measured, {100 * rows[0].confidence:.3g} % interval",
            range(len(rows)),
            factors,
            theme.BLUE,
            axis="x",
            marker={"symbol": "circle", "size": 11, "color": theme.BLUE},
            **theme.tooltip(f"{row.candidate}: {_figures(row)}, {_word(row)}" for row in rows),
        )
    ]
    if worst:
        traces.append(
            theme.scatter(
                "worst case",
                worst.values(),
                [positions[name] for name in worst],
                marker=theme.open_marker("line-ns-open", 18, theme.NEUTRAL),
                hovertemplate="worst case: %{x:.3g}x<extra></extra>",
            )
        )
    if published:
        traces.append(
            theme.scatter(
                "published",
                published.values(),
                [positions[name] for name in published],
                mode="markers+text",
                textposition="top center",
                textfont={"size": 11},
                marker=theme.open_marker("diamond-open", 13, theme.VERMILLION),
                cliponaxis=False,
                **theme.tooltip(f"published {factor(value)}" for value in published.values()),
            )
        )
    if noise:
        # The band itself is a shape, which has no entry in a legend.
        square = {"symbol": "square", "size": 14, "color": theme.faint(theme.NEUTRAL, 0.4)}
        traces.append(theme.scatter(f"noise, {noise}", [None], [None], marker=square))
    return traces


def _shapes(noise: Estimate | None) -> list[dict[str, Any]]:
    unity = {**theme.vertical(1, theme.UNITY_LINE), "xref": "x", "layer": "below"}
    if not noise:
        return [unity]
    band = {"type": "rect", "x0": noise.low, "x1": noise.high, "fillcolor": theme.faint(theme.NEUTRAL)}
    return [{**unity, **band, "line": {"width": 0}}, unity]


def _table(
    rows: Sequence[Comparison], noise: Estimate | None, published: Mapping[str, float], worst: Mapping[str, float]
) -> Table:
    notes = [f"factors over {rows[0].baseline}, each the geometric mean of its rounds'; above 1 is better"]
    if noise and noise.interval:
        width = max(abs(1 - end) for end in noise.interval)
        notes.append(f"noise of this machine: {noise} (±{percent(width)})")
    heads = ["candidate", ">factor", f">{100 * rows[0].confidence:.3g} % interval", "verdict", ">published"]

    def cell(of: Mapping[str, float], row: Comparison) -> str:
        return factor(of[row.candidate]) if row.candidate in of else ""

    return Table(
        [*heads, *([">worst case"] if worst else [])],
        [
            [
                row.candidate,
                *(row.columns if _factor(row) else ["", _figures(row)]),
                _word(row),
                cell(published, row),
                *([cell(worst, row)] if worst else []),
            ]
            for row in rows
        ],
        notes,
    )
