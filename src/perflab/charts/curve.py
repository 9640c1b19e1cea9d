"""Charts of sweeps. Over one parameter: a line per variant with an interval at each point.

Intervals hold for each point separately. Lines only guide the eye; nothing was measured between points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from perflab.charts import theme
from perflab.charts.chart import MOST_VARIANTS, Chart, Table, draw, draw_all, drawn_of
from perflab.charts.heat import Scale, heat_map, in_cell
from perflab.charts.theme import factor_axis, value_axis
from perflab.model.errors import UsageError
from perflab.model.estimate import interval_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from perflab.measure.sweep import MeasuredPoint, SweepResult
    from perflab.model.estimate import Estimate


_HEIGHT = 460
_MOST_TICKS = 12
_LOG_FROM_RANGE = 20
_MEANING_LENGTH = 70
_DODGE = 0.012
"""Distance between variants at one point, as a share of the axis, so that intervals do not overlap."""

Setting = bool | int | float | str


@dataclass(frozen=True)
class CurvePoint:
    """A variant at a value of the parameter."""

    variant: str
    at: Setting
    estimate: Estimate


@dataclass(frozen=True)
class SweptParameter:
    """A swept parameter: its name, what it is, and all its values in order, those without a point too."""

    name: str
    meaning: str
    values: Sequence[Setting]

    @property
    def title(self) -> str:
        """The axis title."""
        meaning = self.meaning or "parameter"
        return f"{self.name} ({meaning if len(meaning) <= _MEANING_LENGTH else meaning[:_MEANING_LENGTH] + '…'})"

    @property
    def texts(self) -> list[str]:
        """The values, formatted for people."""
        return [text_of(value) for value in self.values]


def text_of(value: Setting) -> str:
    """Format a setting for people: numbers with thousands separators."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:,g}" if abs(value) < 1e15 else str(value)  # noqa: PLR2004 - all its digits
    return f"{value:,}" if isinstance(value, int) else value


def curve_chart(
    points: Sequence[CurvePoint], *, parameter: SweptParameter, metric: str, better: str, title: str, note: str = ""
) -> Chart:
    """Draw the metric over a parameter.

    Needs at least one point; all have the same unit. `better` is `higher` or `lower`.
    """
    ends = [end for one in points for end in one.estimate.ends]
    axis = value_axis(ends, metric=metric, unit=points[0].estimate.unit, better=better, from_zero=True)
    layout = {"yaxis": {"type": "linear", **axis.layout}}
    return _drawn(points, parameter, layout, title, [f"{metric}, {better} is better", note], divisor=axis.divisor)


def factor_curve(
    points: Sequence[CurvePoint], *, parameter: SweptParameter, baseline: str, title: str, note: str = ""
) -> Chart:
    """Draw the factor over the baseline for each value of a parameter; the baseline is the line at 1.

    Needs at least one point of a candidate. Factors are above zero.
    """
    ends = [end for one in points for end in one.estimate.ends]
    axis = factor_axis(ends, f"factor over {baseline} (times; above 1 is better; log scale)")
    layout = {"yaxis": axis, "shapes": [theme.UNITY]}
    return _drawn(points, parameter, layout, title, [f"factor over {baseline}, above 1 is better", note])


def _drawn(
    points: Sequence[CurvePoint],
    parameter: SweptParameter,
    layout: dict[str, Any],
    title: str,
    notes: list[str],
    *,
    divisor: float = 1.0,
) -> Chart:
    variants = list(dict.fromkeys(one.variant for one in points))
    places = _Places(parameter, len(variants))
    traces = [
        _trace(variant, number, [one for one in points if one.variant == variant], places, divisor)
        for number, variant in enumerate(variants)
    ]
    cells = {(one.variant, one.at): one for one in points}
    rows = [
        [text_of(value), variant, *cells[variant, value].estimate.columns]
        for value in parameter.values
        for variant in variants
        if (variant, value) in cells
    ]
    interval = interval_name(one.estimate for one in points)
    table = Table([f">{parameter.name}", "variant", ">estimate", f">{interval}"], rows, list(filter(None, notes)))
    room = theme.legend_room(len(variants), height=_HEIGHT)
    complete = {**room, "showlegend": True, "xaxis": places.axis, "margin": {"t": 104}, **layout}
    return draw(title, traces, complete, table)


class _Places:
    """Positions of a parameter's values: on a linear or logarithmic axis if they are numbers, else side by side."""

    def __init__(self, parameter: SweptParameter, variants: int) -> None:
        values = [float(value) for value in parameter.values if not isinstance(value, str)]
        numbers = len(values) == len(parameter.values) and not isinstance(parameter.values[0], bool)
        self._log = numbers and min(values) > 0 and max(values) / min(values) > _LOG_FROM_RANGE
        self._raw = {value: float(value) if numbers else float(i) for i, value in enumerate(parameter.values)}
        ends = [self._scaled(place) for place in self._raw.values()]
        self._width = (max(ends) - min(ends)) or 1.0
        self._variants = variants
        shown = list(parameter.values)[:: math.ceil(len(parameter.values) / _MOST_TICKS)]
        low, high = min(ends) - 0.06 * self._width, max(ends) + 0.06 * self._width
        self.axis = {
            "type": "log" if self._log else "linear",
            "title": {"text": parameter.title[:-1] + "; log scale)" if self._log else parameter.title},
            "tickvals": [self._raw[value] for value in shown],
            "ticktext": [text_of(value) for value in shown],
            "range": [low, high],
        }

    def of(self, value: Setting, variant: int) -> float:
        aside = (variant - (self._variants - 1) / 2) * _DODGE * self._width
        place = self._scaled(self._raw[value]) + aside
        return float(10**place) if self._log else place

    def _scaled(self, place: float) -> float:
        return math.log10(place) if self._log else place


def _trace(variant: str, number: int, points: Sequence[CurvePoint], places: _Places, divisor: float) -> dict[str, Any]:
    ordered = sorted(points, key=lambda one: places.of(one.at, number))
    colour = theme.colour(number)
    return theme.estimated(
        variant,
        [places.of(one.at, number) for one in ordered],
        [one.estimate for one in ordered],
        colour,
        axis="y",
        divisor=divisor,
        thickness=1.5,
        width=4,
        mode="lines+markers",
        line={"color": colour, "width": 2, "dash": theme.dash(number)},
        marker=theme.marker(number, 8),
        **theme.tooltip([f"{text_of(one.at)}: {one.estimate}" for one in ordered], variant),
    )


_UNSURE = "~ "
# Both hues fade to the same pale grey at a factor of 1.
_FACTORS: Scale = ((0.0, theme.VERMILLION), (0.5, "#f2f2f2"), (1.0, theme.BLUE))
_LEAST_SPAN = math.log(1.05)
"""Differences below five per cent stay pale, or noise would be painted in full colours."""


@dataclass(frozen=True)
class FactorCell:
    """A cell: the factor, or `None` with the reason in `why`, one word."""

    row: Setting
    column: Setting
    estimate: Estimate | None
    why: str = ""

    @property
    def unsure(self) -> bool:
        """True if the interval includes 1, or there is none."""
        if self.estimate is None:
            return False
        low, high = self.estimate.interval or (0.0, math.inf)
        return low <= 1 <= high

    @property
    def text(self) -> str:
        """The cell's text."""
        return (_UNSURE if self.unsure else "") + str(self.estimate) if self.estimate else self.why


def factors_chart(
    cells: Sequence[FactorCell],
    *,
    rows: SweptParameter,
    columns: SweptParameter,
    candidate: str,
    baseline: str,
    title: str,
    note: str = "",
) -> Chart:
    """Draw a candidate's factor over the baseline at each pair of values of two swept parameters.

    A cell whose interval includes 1 has a dotted frame and a tilde: the sign of the difference is unknown.

    Needs at least one cell; missing ones are drawn empty.
    """
    there = {(cell.row, cell.column): cell for cell in cells}
    grid = [
        [there.get((row, column), FactorCell(row, column, None)) for column in columns.values] for row in rows.values
    ]
    weights = [[math.log(one.estimate.value) if one.estimate else None for one in line] for line in grid]
    span = max([_LEAST_SPAN, *(abs(one) for line in weights for one in line if one is not None)])
    heads, names = columns.texts, rows.texts
    placed = [(x, y, one) for y, line in enumerate(grid) for x, one in enumerate(line)]
    meaning = (
        f"factor of {candidate} over {baseline}, above 1 is better; {_UNSURE.strip()} marks an interval that includes 1"
    )
    table = Table(
        [f"{rows.name} \\ {columns.name}", *(f">{head}" for head in heads)],
        [[name, *(one.text for one in line)] for name, line in zip(names, grid, strict=True)],
        [meaning, *([note] if note else [])],
    )
    return heat_map(
        title,
        columns.title,
        heads,
        [f"{rows.name}={name}" for name in names],
        table,
        scale=_FACTORS,
        ends=(-span, span),
        height=170 + 54 * len(names),
        layout={
            "shapes": [_frame(x, y) for x, y, one in placed if one.unsure],
            "annotations": [in_cell(x, y, one.why) for x, y, one in placed if one.estimate is None and one.why],
        },
        z=weights,
        text=[
            [one.text.replace(" [", "<br>[").replace(" (", "<br>(") if one.estimate else "" for one in line]
            for line in grid
        ],
        customdata=[[one.text for one in line] for line in grid],
        hovertemplate=f"%{{y}}, {columns.name}=%{{x}}: %{{customdata}}<extra></extra>",
    )


def _frame(x: int, y: int) -> dict[str, Any]:
    line = {"color": theme.NEUTRAL, "width": 2, "dash": "dot"}
    return {"type": "rect", "x0": x - 0.46, "x1": x + 0.46, "y0": y - 0.44, "y1": y + 0.44, "line": line}


FACTORS = "factors"
"""Prefix of the names of factor charts: a curve has one, a map has one per candidate."""

_NOTE = "intervals hold point by point: of twenty, one may miss"


def sweep_charts(result: SweepResult) -> dict[str, Chart]:
    """Return a sweep's charts by name: `values` and `factors`, or `factors-CANDIDATE`; none if nothing was measured."""
    if not result.points:
        return {}
    header = result.header
    if len(header.over) == 1:
        charts: dict[str, Callable[[], Chart | None]] = {
            "values": partial(_values, result),
            FACTORS: partial(_factors, result),
        }
    else:
        drawn = [one for one in header.variants[:MOST_VARIANTS] if one != header.baseline]
        charts = {f"{FACTORS}-{one}": partial(_map, result, one) for one in drawn}
    return draw_all(_title(result), charts)


def _swept(result: SweepResult, count: int) -> list[SweptParameter]:
    over = result.header.over
    found = [SweptParameter(one.name, one.help, over[one.name]) for one in result.parameters]
    if not len(found) == len(over) == count:
        raise UsageError(f"its scenario has no such parameters, or they are not {count}: {', '.join(over) or 'none'}")
    return found


def _values(result: SweepResult) -> Chart | None:
    (swept,), metric = _swept(result, 1), result.metric
    values = _in_order(
        result,
        (
            CurvePoint(label, point.params[swept.name], summary.mean)
            for point in result.points
            for label, summary in islice(point.analysis.summaries.items(), MOST_VARIANTS)
            if summary.mean is not None
        ),
    )
    if not values or metric is None:
        return None
    return curve_chart(
        values, parameter=swept, metric=metric.name, better=metric.better, title=_title(result), note=_NOTE
    )


def _factors(result: SweepResult) -> Chart | None:
    (swept,), baseline = _swept(result, 1), result.header.baseline
    ratios = _in_order(
        result,
        (
            CurvePoint(one.candidate, point.params[swept.name], one.estimate)
            for point in result.points
            for one in point.analysis.comparisons[:MOST_VARIANTS]
            if one.scale == "ratio" and one.estimate is not None
        ),
    )
    if not ratios:
        return None
    title = f"{_title(result)}: over {baseline}"
    return factor_curve(ratios, parameter=swept, baseline=baseline, title=title, note=_NOTE)


def _map(result: SweepResult, candidate: str) -> Chart | None:
    columns, rows = _swept(result, 2)
    baseline = result.header.baseline
    cells = [_cell(point, candidate, rows.name, columns.name) for point in result.points]
    cells += [
        FactorCell(gap.params[rows.name], gap.params[columns.name], None, why="missing") for gap in result.missing
    ]
    if all(cell.estimate is None for cell in cells):
        return None
    return factors_chart(
        cells,
        rows=rows,
        columns=columns,
        candidate=candidate,
        baseline=baseline,
        title=f"{_title(result)}: {candidate} over {baseline}",
        note=_NOTE,
    )


def _cell(point: MeasuredPoint, candidate: str, row: str, column: str) -> FactorCell:
    one = point.analysis.comparison(candidate)
    at = (point.params[row], point.params[column])
    if one is None:
        return FactorCell(*at, None, why="void" if candidate in point.analysis.void else "failed")
    if one.scale != "ratio" or one.estimate is None:
        return FactorCell(*at, None, why="no ratio")
    return FactorCell(*at, one.estimate)


def _in_order(result: SweepResult, points: Iterable[CurvePoint]) -> list[CurvePoint]:
    """Sort points by the variants' order in the sweep: a variant that drops out at a point keeps its colour."""
    order = result.header.variants
    return sorted(points, key=lambda one: order.index(one.variant) if one.variant in order else len(order))


def _title(result: SweepResult) -> str:
    header = result.header
    fixed = ", ".join(f"{name}={value}" for name, value in header.params.items())
    swept = " and ".join(header.over)
    some = drawn_of(max([len(header.variants), *(len(one.analysis.summaries) for one in result.points)]))
    return f"{header.component} {header.scenario} over {swept}" + (f" ({fixed})" if fixed else "") + some
