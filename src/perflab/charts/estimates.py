"""Charts of estimates with their intervals: factors over a baseline, values, parts, a search's trials, a history."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from perflab.charts import theme
from perflab.charts.chart import Chart, Table, draw, draw_safely
from perflab.charts.theme import ValueAxis, factor_axis, value_axis
from perflab.measure.grid import setting_text
from perflab.model.estimate import interval_name
from perflab.model.format import change_word, factor, percent, quantity
from perflab.stats.comparison import Comparison

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perflab.claims.history import Series
    from perflab.model.estimate import Estimate
    from perflab.store.kept import SearchResult


def ratios_chart(
    rows: Sequence[Comparison],
    *,
    metric: str,
    noise: Estimate | None = None,
    published: Mapping[str, float] | None = None,
    worst: Mapping[str, float] | None = None,
    title: str,
) -> Chart:
    """Draw a row per candidate: estimate, interval, published figure, verdict; the noise band is shaded.

    A comparison of differences has no factor: its row states the difference in words.

    Args:
        rows: At least one, all with one baseline at one confidence.
        metric: What was measured, for the axis.
        noise: 1, with the noise band of this machine.
        published: Published factors by candidate.
        worst: Worst-case factors by candidate.
        title: The chart's title.
    """
    published, worst = _in_order(rows, published), _in_order(rows, worst)
    baseline = rows[0].baseline
    factors = [_factor(row) for row in rows]
    ends = itertools.chain(*(one.ends for one in (*factors, noise) if one))
    positions = {row.candidate: position for position, row in enumerate(rows)}
    interval = f"{100 * rows[0].confidence:.3g} % interval"
    words = [change_word(row.verdict, row.unit, row.better) for row in rows]
    unity: dict[str, Any] = {**theme.vertical(1, theme.UNITY_LINE), "xref": "x", "layer": "below"}
    traces = [
        theme.estimated(
            f"measured, {interval}",
            range(len(rows)),
            factors,
            theme.BLUE,
            axis="x",
            marker={"symbol": "circle", "size": 11, "color": theme.BLUE},
            **theme.tooltip(f"{row.candidate}: {_figures(row)}, {word}" for row, word in zip(rows, words, strict=True)),
        )
    ]
    shapes, notes = [unity], [f"factors over {baseline}, each the geometric mean of its rounds'; above 1 is better"]
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
    if noise and noise.interval:
        # The band itself is a shape, which has no entry in a legend.
        square = {"symbol": "square", "size": 14, "color": theme.faint(theme.NEUTRAL, 0.4)}
        traces.append(theme.scatter(f"noise, {noise}", [None], [None], marker=square))
        band = {"type": "rect", "x0": noise.low, "x1": noise.high, "fillcolor": theme.faint(theme.NEUTRAL)}
        shapes.insert(0, {**unity, **band, "line": {"width": 0}})
        notes.append(f"noise of this machine: {noise} (±{percent(max(abs(1 - end) for end in noise.interval))})")
    layout = {
        "height": 176 + 46 * len(rows),
        "xaxis": factor_axis(
            [*ends, *published.values(), *worst.values()],
            f"improvement factor of {metric} over {baseline} (x, log scale; right is better)",
        ),
        "yaxis": theme.lane_axis([f"<b>{row.candidate}</b>" for row in rows]),
        "margin": {"r": 220},
        "shapes": shapes,
        "annotations": [
            theme.beside(f"<b>{word}</b><br>{_figures(row)}", position)
            for position, (row, word) in enumerate(zip(rows, words, strict=True))
        ],
    }

    def cell(of: Mapping[str, float], row: Comparison) -> str:
        return factor(of[row.candidate]) if row.candidate in of else ""

    table = Table(
        ["candidate", ">factor", f">{interval}", "verdict", ">published", *([">worst case"] if worst else [])],
        [
            [
                row.candidate,
                *(row.columns if _factor(row) else ["", _figures(row)]),
                word,
                cell(published, row),
                *([cell(worst, row)] if worst else []),
            ]
            for row, word in zip(rows, words, strict=True)
        ],
        notes,
    )
    return draw(title, traces, layout, table)


def _in_order(rows: Sequence[Comparison], of: Mapping[str, float] | None) -> dict[str, float]:
    return {row.candidate: of[row.candidate] for row in rows if of and row.candidate in of}


def _factor(row: Comparison) -> Estimate | None:
    return row.estimate if row.scale == "ratio" else None


def _figures(row: Comparison) -> str:
    return row.figures if _factor(row) or row.estimate is None else f"better by {row.figures}"


@dataclass(frozen=True)
class Value:
    """A variant's figure, its role, and its worst case in the same unit, if measured."""

    variant: str
    estimate: Estimate
    about: str = ""
    worst: float | None = None


def values_chart(rows: Sequence[Value], *, metric: str, better: str, title: str) -> Chart:
    """Draw dots with intervals, one row per variant; logarithmic if the range is large, else from zero.

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
    tails = [quantity(row.worst, unit) if row.worst is not None else "" for row in rows]
    if any(tails):
        known = [(row.worst / axis.divisor, number) for number, row in enumerate(rows) if row.worst is not None]
        # Open and neutral: the row names the variant.
        sign = theme.open_marker("line-ns-open", 18, theme.NEUTRAL)
        traces.append(theme.scatter("worst case", *zip(*known, strict=True), marker=sign))
    layout = {
        "height": 124 + 40 * len(rows),
        "showlegend": False,
        "xaxis": axis.layout,
        "yaxis": theme.lane_axis([f"<b>{row.variant}</b>" + (f"<br>{row.about}" if row.about else "") for row in rows]),
        "margin": {"t": 56, "r": 150},
        "annotations": [
            theme.beside(row.estimate.value_text + (f"<br>worst {tail}" if tail else ""), number)
            for number, (row, tail) in enumerate(zip(rows, tails, strict=True))
        ],
    }
    interval = interval_name(row.estimate for row in rows)
    table = Table(
        ["variant", "role", ">estimate", f">{interval}", *([">worst case"] if any(tails) else [])],
        [
            [row.variant, row.about, *row.estimate.columns, *([tail] if any(tails) else [])]
            for row, tail in zip(rows, tails, strict=True)
        ],
        [f"{metric}, {better} is better"],
    )
    return draw(title, traces, layout, table)


@dataclass(frozen=True)
class CostPart:
    """A part of a variant's cost."""

    variant: str
    name: str
    estimate: Estimate


def parts_chart(rows: Sequence[CostPart], *, title: str) -> Chart:
    """Draw segments in the order of the parts' first appearance; the table has the intervals.

    Needs at least one row; all are of the same unit.
    """
    variants = list(dict.fromkeys(row.variant for row in rows))
    unit = rows[0].estimate.unit
    values = {(row.variant, row.name): row.estimate.value for row in rows}
    totals = [sum(row.estimate.value for row in rows if row.variant == variant) for variant in variants]
    axis = value_axis([0.0, *totals], metric="sum of the parts", unit=unit, better="lower", from_zero=True)
    traces = [
        theme.bars(
            name,
            number,
            variants,
            [values.get((variant, name), 0.0) / axis.divisor for variant in variants],
            customdata=[quantity(values.get((variant, name), 0.0), unit) for variant in variants],
            hovertemplate="%{y}, %{fullData.name}: %{customdata}<extra></extra>",
        )
        for number, name in enumerate(dict.fromkeys(row.name for row in rows))
    ]
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


def search_chart(result: SearchResult) -> Chart | None:
    """Draw the factor of each trial with its interval, the best so far, and the confirmed figures as diamonds.

    `None` before the first trial.
    """
    title = f"{result.topic} {result.scenario}: settings of {result.variant}"
    return draw_safely(title, partial(_trials, result, title)) if result.trials else None


def _trials(result: SearchResult, title: str) -> Chart:
    trials = [(one.number, setting_text(one.params), one.factor) for one in result.trials]
    confirmed = map(Comparison.from_dict, result.confirmed.comparisons if result.confirmed else [])
    sure = {
        one.candidate: one.estimate
        for one in confirmed
        if one.scale == "ratio" and one.estimate and one.estimate.interval
    }
    known = [(number, label, one) for number, label, one in trials if one]
    again = [(number, label, sure[label]) for number, label, _ in trials if label in sure]
    traces = [
        theme.scatter(
            "best so far",
            [number for number, _, _ in known],
            itertools.accumulate((one.value for _, _, one in known), max),
            mode="lines",
            line={"shape": "hv", "color": theme.NEUTRAL, "width": 1.5},
            hoverinfo="skip",
        ),
        theme.estimated(
            "trial, 95 % interval",
            [number for number, _, _ in known],
            [one for _, _, one in known],
            theme.BLUE,
            axis="y",
            thickness=1.5,
            width=4,
            marker={"symbol": "circle", "size": 9, "color": theme.BLUE},
            **theme.tooltip(f"{label}: {one}" for _, label, one in known),
        ),
    ]
    if again:
        traces.append(
            theme.estimated(
                "measured again",
                [number for number, _, _ in again],
                [one for _, _, one in again],
                theme.VERMILLION,
                axis="y",
                marker=theme.open_marker("diamond-open", 14, theme.VERMILLION),
                **theme.tooltip(f"{label}: {one} when measured again" for _, label, one in again),
            )
        )
    layout = {
        "height": 410,
        "margin": {"t": 110},  # in a narrow column the legend takes three lines
        "xaxis": {
            "title": {"text": "trial (in the order in which they were made)"},
            "range": [0.5, trials[-1][0] + 0.5],
            "tick0": 1,
            "dtick": -(-trials[-1][0] // 20),
        },
        "yaxis": factor_axis(
            [end for _, _, one in (*known, *again) for end in one.ends],
            f"{result.scenario}, improvement over the default (x)",
        ),
        "shapes": [theme.UNITY],
    }
    table = Table(
        [">trial", "setting", "in the trial", "measured again"],
        [
            [str(one.number), label, str(one.factor or one.failure or "no factor"), str(sure.get(label, ""))]
            for one, (_, label, _) in zip(result.trials, trials, strict=True)
        ],
        ["factors over the default setting; above 1 is better. Trials only choose: what was measured again counts."],
    )
    return draw(title, traces, layout, table)


_LABEL_PX = 18
_MOST_COMMITS = 24
_RIGHT_PART = 0.6


def history_chart(series: Series) -> Chart:
    """Draw runs in order at equal distances: the time between them says nothing about the code.

    Needs at least one point.
    """
    points, metric, baseline = series.points, series.metric, series.baseline
    ends = [end for point in points for end in point.estimate.ends]
    if baseline:
        layout_y = factor_axis(ends, f"factor of {metric.name} over {baseline} (x, log scale; up is better)")
        axis = ValueAxis(layout_y, 1.0, "")
    else:
        axis = value_axis(ends, metric=metric.name, unit=points[0].estimate.unit, better=metric.better)
    steps = {one.index: f"{one.step.columns[0]} at {one.commits or one.after.revision}" for one in series.changes}
    shapes = [theme.vertical(index - 0.5, theme.EVENT_LINE) for index in steps]
    if baseline:
        shapes.append({**theme.horizontal(1, {"color": theme.NEUTRAL, "width": 1}), "layer": "below"})
    shown = range(0, len(points), -(-len(points) // _MOST_COMMITS))
    labels_px = _LABEL_PX * min(len(steps), 2)
    layout = {
        "height": 420 + labels_px,
        "xaxis": {
            "title": {"text": "commit (of each run, oldest first)"},
            "tickvals": list(shown),
            "ticktext": [points[number].revision for number in shown],
            "tickangle": -50,
            "range": [-0.6, len(points) - 0.4],
            "showgrid": False,
        },
        "yaxis": axis.layout,
        "margin": {"t": 96 + labels_px},
        "shapes": shapes,
        "annotations": [
            theme.event_label(
                label,
                index - 0.5,
                shift=_LABEL_PX * (number % 2),  # neighbours would overlap
                left=index < _RIGHT_PART * len(points),
            )
            for number, (index, label) in enumerate(steps.items())
        ],
        "legend": {"y": 1.0 + (0.14 if steps else 0.02)},
    }
    when = [point.created[:16].replace("T", " ") for point in points]
    settings = ", ".join(f"{name}={value}" for name, value in series.settings.items())
    table = Table(
        ["run of", "commit", ">estimate", f">{interval_name(point.estimate for point in points)}", "change"],
        [
            [made, point.revision, *point.estimate.columns, steps.get(number, "")]
            for number, (made, point) in enumerate(zip(when, points, strict=True))
        ],
        ["; ".join(filter(None, [settings, f"on {series.machine.title}", series.shape]))],
    )
    over = f" over {baseline}" if baseline else ""
    title = f"{series.component} {series.scenario}: {metric.name} of {series.variant}{over}, by run"
    measured = theme.estimated(
        "a run, with its 95 % interval",
        range(len(points)),
        [point.estimate for point in points],
        theme.BLUE,
        axis="y",
        divisor=axis.divisor,
        thickness=2,
        width=5,
        marker={"symbol": "circle", "size": 9, "color": theme.BLUE},
        **theme.tooltip(
            f"{point.revision}, {made}: {point.estimate}" for made, point in zip(when, points, strict=True)
        ),
    )
    levels = theme.scatter(
        "level",
        [x for first, last, _ in series.levels for x in (first - 0.5, last + 0.5, None)],
        [y for _, _, mean in series.levels for y in (mean / axis.divisor, mean / axis.divisor, None)],
        mode="lines",
        line={"color": theme.ORANGE, "width": 2.5, "dash": "solid"},
        hoverinfo="skip",
    )
    return draw(title, [measured, levels], layout, table)
