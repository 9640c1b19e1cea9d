"""A level over time: a point with its interval per run, the commits below, and lines where the level changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.view import theme
from perflab.view.chart import Chart, Table, draw
from perflab.view.theme import ValueAxis, factor_axis, value_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.model.estimate import Estimate


_HEIGHT = 420
_TOP_PX, _LABEL_PX = 96, 18
_MOST_TICKS = 24
_RIGHT_PART = 0.6


@dataclass(frozen=True)
class HistoryPoint:
    """A run: its commit, when it was made, and its figure."""

    commit: str
    when: str
    estimate: Estimate


@dataclass(frozen=True)
class Segment:
    """The mean of the runs from one index to another, both included."""

    first: int
    last: int
    mean: float


@dataclass(frozen=True)
class Step:
    """A change of level between a run and the one before it, and what to say of it."""

    index: int
    label: str


def history_chart(
    points: Sequence[HistoryPoint],
    *,
    levels: Sequence[Segment] = (),
    steps: Sequence[Step] = (),
    metric: str,
    better: str = "higher",
    baseline: str = "",
    title: str = "",
    notes: Sequence[str] = (),
) -> Chart:
    """Runs in their order, at equal distances: how long nobody measured says nothing about the code.

    Needs at least one point; all are in order and of the same unit. `levels` are drawn as lines, `steps` are labelled.
    With a `baseline` the values are factors over it. `better` is `higher` or `lower`.
    """
    title = title or (f"{metric}: improvement over {baseline}, by run" if baseline else f"{metric}, by run")
    ends = [end for point in points for end in point.estimate.ends]
    if baseline:
        layout_y = factor_axis(ends, f"factor of {metric} over {baseline} (x, log scale; up is better)")
        axis = ValueAxis(layout_y, 1.0, "")
    else:
        axis = value_axis(ends, metric=metric, unit=points[0].estimate.unit, better=better)
    shapes = [theme.vertical(step.index - 0.5, theme.EVENT_LINE) for step in steps]
    if baseline:
        shapes.append({**theme.horizontal(1, {"color": theme.NEUTRAL, "width": 1}), "layer": "below"})
    every = -(-len(points) // _MOST_TICKS)
    shown = range(0, len(points), every)
    layout = {
        "height": _HEIGHT + _LABEL_PX * min(len(steps), 2),
        "xaxis": {
            "title": {"text": "commit (of each run, oldest first)"},
            "tickvals": list(shown),
            "ticktext": [points[number].commit for number in shown],
            "tickangle": -50,
            "range": [-0.6, len(points) - 0.4],
            "showgrid": False,
        },
        "yaxis": axis.layout,
        "margin": {"t": _TOP_PX + _LABEL_PX * min(len(steps), 2)},
        "shapes": shapes,
        "annotations": [
            theme.event_label(
                step.label,
                step.index - 0.5,
                shift=_LABEL_PX * (number % 2),  # neighbours would lie on each other
                left=step.index < _RIGHT_PART * len(points),
            )
            for number, step in enumerate(steps)
        ],
        "legend": {"y": 1.0 + (0.14 if steps else 0.02)},
    }
    marked = {step.index: step.label for step in steps}
    table = Table(
        ["run of", "commit", ">estimate", ">interval", "change"],
        [
            [point.when, point.commit, *point.estimate.columns, marked.get(number, "")]
            for number, point in enumerate(points)
        ],
        list(notes),
    )
    return draw(title, [_points(points, axis.divisor), *_levels(levels, axis.divisor)], layout, table)


def _points(points: Sequence[HistoryPoint], divisor: float) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": "a run, with its 95 % interval",
        "mode": "markers",
        "x": list(range(len(points))),
        "y": [point.estimate.value / divisor for point in points],
        "marker": {"symbol": "circle", "size": 9, "color": theme.BLUE},
        "error_y": theme.error_bars(
            [point.estimate for point in points], theme.BLUE, divisor=divisor, thickness=2, width=5
        ),
        "text": [f"{point.commit}, {point.when}: {point.estimate}" for point in points],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _levels(levels: Sequence[Segment], divisor: float) -> list[dict[str, Any]]:
    if not levels:
        return []
    x: list[float | None] = []
    y: list[float | None] = []
    for level in levels:
        x += [level.first - 0.5, level.last + 0.5, None]
        y += [level.mean / divisor, level.mean / divisor, None]
    line = {"color": theme.ORANGE, "width": 2.5, "dash": "solid"}
    return [{"type": "scatter", "name": "level", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip"}]
