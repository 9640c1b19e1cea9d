"""A level over time: a point with its interval per run, the commits below, and lines where the level changed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.view import theme
from perflab.view.chart import Chart, Table, draw
from perflab.view.theme import ratio_range, ratio_ticks, value_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.model.estimate import Estimate


_HEIGHT = 420
_TOP_PX, _LABEL_PX = 96, 18
_MOST_TICKS = 24
_RIGHT_PART = 0.6


@dataclass(frozen=True)
class Stop:
    """A run: its commit, when it was made, and its figure."""

    commit: str
    when: str
    estimate: Estimate


@dataclass(frozen=True)
class Level:
    """The mean of the runs from one index to another."""

    first: int
    last: int
    mean: float


@dataclass(frozen=True)
class Step:
    """A change of level between a run and the one before it, and what to say of it."""

    index: int
    label: str


def history_chart(
    stops: Sequence[Stop],
    *,
    levels: Sequence[Level] = (),
    steps: Sequence[Step] = (),
    metric: str,
    better: str = "higher",
    baseline: str = "",
    title: str = "",
    notes: Sequence[str] = (),
) -> Chart:
    """Runs in their order, at equal distances: how long nobody measured says nothing about the code.

    Args:
        stops: At least one, in order, all of the same unit.
        levels: Drawn as lines.
        steps: Marked and labelled.
        metric: What was measured.
        better: `higher` or `lower`.
        baseline: What the factors are over; empty for values of their own.
        title: Of the chart.
        notes: Below the table.
    """
    title = title or (f"{metric}: improvement over {baseline}, by run" if baseline else f"{metric}, by run")
    ends = [end for stop in stops for end in stop.estimate.ends]
    unit = stops[0].estimate.unit
    axis, divisor = _factors(ends, metric, baseline) if baseline else _values(ends, metric, unit, better)
    every = -(-len(stops) // _MOST_TICKS)
    shown = range(0, len(stops), every)
    layout = {
        "height": _HEIGHT + _LABEL_PX * min(len(steps), 2),
        "xaxis": {
            "title": {"text": "commit (of each run, oldest first)"},
            "tickvals": list(shown),
            "ticktext": [stops[number].commit for number in shown],
            "tickangle": -50,
            "range": [-0.6, len(stops) - 0.4],
            "showgrid": False,
        },
        "yaxis": axis,
        "margin": {"t": _TOP_PX + _LABEL_PX * min(len(steps), 2)},
        "shapes": [*map(_line, steps), *([_unity()] if baseline else [])],
        "annotations": [_label(step, number, len(stops)) for number, step in enumerate(steps)],
        "legend": {"y": 1.0 + (0.14 if steps else 0.02)},
    }
    marked = {step.index: step.label for step in steps}
    table = Table(
        ["run of", "commit", ">estimate", ">interval", "change"],
        [[stop.when, stop.commit, *stop.estimate.columns, marked.get(number, "")] for number, stop in enumerate(stops)],
        list(notes),
    )
    return draw(title, [_points(stops, divisor), *_levels(levels, divisor)], layout, table)


def _factors(ends: Sequence[float], metric: str, baseline: str) -> tuple[dict[str, Any], float]:
    low, high = ratio_range(min(ends), max(ends))
    ticks, texts = ratio_ticks(low, high)
    title = f"factor of {metric} over {baseline} (x, log scale; up is better)"
    span = [math.log10(low), math.log10(high)]
    return {"type": "log", "range": span, "tickvals": ticks, "ticktext": texts, "title": {"text": title}}, 1.0


def _values(ends: Sequence[float], metric: str, unit: str, better: str) -> tuple[dict[str, Any], float]:
    axis = value_axis(ends, metric=metric, unit=unit, better=better)
    return axis.layout, axis.divisor


def _points(stops: Sequence[Stop], divisor: float) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": "a run, with its 95 % interval",
        "mode": "markers",
        "x": list(range(len(stops))),
        "y": [stop.estimate.value / divisor for stop in stops],
        "marker": {"symbol": "circle", "size": 9, "color": theme.BLUE},
        "error_y": theme.error_bars(
            [stop.estimate for stop in stops], theme.BLUE, divisor=divisor, thickness=2, width=5
        ),
        "text": [f"{stop.commit}, {stop.when}: {stop.estimate}" for stop in stops],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _levels(levels: Sequence[Level], divisor: float) -> list[dict[str, Any]]:
    if not levels:
        return []
    x: list[float | None] = []
    y: list[float | None] = []
    for level in levels:
        x += [level.first - 0.5, level.last + 0.5, None]
        y += [level.mean / divisor, level.mean / divisor, None]
    line = {"color": theme.ORANGE, "width": 2.5, "dash": "solid"}
    return [{"type": "scatter", "name": "level", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip"}]


def _line(step: Step) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": step.index - 0.5,
        "x1": step.index - 0.5,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": theme.VERMILLION, "width": 1.5, "dash": "dash"},
    }


def _unity() -> dict[str, Any]:
    line = {"color": theme.NEUTRAL, "width": 1}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 1, "y1": 1, "line": line, "layer": "below"}


def _label(step: Step, number: int, length: int) -> dict[str, Any]:
    return {
        "text": step.label,
        "x": step.index - 0.5,
        "yref": "paper",
        "y": 1.0,
        "yanchor": "bottom",
        # Neighbours would lie on each other.
        "yshift": _LABEL_PX * (number % 2),
        "xanchor": "left" if step.index < _RIGHT_PART * length else "right",
        "showarrow": False,
        "font": {"color": theme.VERMILLION, "size": 12},
    }
