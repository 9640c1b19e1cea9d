"""A level over time: a point with its interval per run, the commits below, and lines where the level changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perflab.charts import theme
from perflab.charts.chart import Chart, Table, draw
from perflab.charts.theme import ValueAxis, factor_axis, value_axis
from perflab.model.estimate import interval_name

if TYPE_CHECKING:
    from perflab.claims.history import Series


_HEIGHT = 420
_TOP_PX, _LABEL_PX = 96, 18
_MOST_TICKS = 24
_RIGHT_PART = 0.6


def history_chart(series: Series) -> Chart:
    """Runs in their order, at equal distances: how much time lay between them says nothing about the code.

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
    shown = range(0, len(points), -(-len(points) // _MOST_TICKS))
    labels_px = _LABEL_PX * min(len(steps), 2)
    layout = {
        "height": _HEIGHT + labels_px,
        "xaxis": {
            "title": {"text": "commit (of each run, oldest first)"},
            "tickvals": list(shown),
            "ticktext": [points[number].revision for number in shown],
            "tickangle": -50,
            "range": [-0.6, len(points) - 0.4],
            "showgrid": False,
        },
        "yaxis": axis.layout,
        "margin": {"t": _TOP_PX + labels_px},
        "shapes": shapes,
        "annotations": [
            theme.event_label(
                label,
                index - 0.5,
                shift=_LABEL_PX * (number % 2),  # neighbours would lie on each other
                left=index < _RIGHT_PART * len(points),
            )
            for number, (index, label) in enumerate(steps.items())
        ],
        "legend": {"y": 1.0 + (0.14 if steps else 0.02)},
    }
    when = [point.created[:16].replace("T", " ") for point in points]
    rows = [
        [made, point.revision, *point.estimate.columns, steps.get(number, "")]
        for number, (made, point) in enumerate(zip(when, points, strict=True))
    ]
    settings = ", ".join(f"{name}={value}" for name, value in series.settings.items())
    where = "; ".join(filter(None, [settings, f"on {series.machine.title}", series.shape]))
    interval = interval_name(point.estimate for point in points)
    table = Table(
        ["run of", "commit", ">estimate", f">{interval}", "change"],
        rows,
        [where],
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
    return draw(title, [measured, _levels(series, axis.divisor)], layout, table)


def _levels(series: Series, divisor: float) -> dict[str, Any]:
    x: list[float | None] = []
    y: list[float | None] = []
    for first, last, mean in series.levels:
        x += [first - 0.5, last + 0.5, None]
        y += [mean / divisor, mean / divisor, None]
    line = {"color": theme.ORANGE, "width": 2.5, "dash": "solid"}
    return theme.scatter("level", x, y, mode="lines", line=line, hoverinfo="skip")
