"""What a swept parameter does: a line per variant with an interval at each point, in the metric's unit or as a factor.

The intervals hold point by point. Lines only join what belongs together; nothing was measured between two points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.view import theme
from perflab.view.chart import Chart, Table, draw
from perflab.view.theme import column_axis, factor_axis, row_axis, value_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.model.estimate import Estimate


_HEIGHT = 460
_MOST_TICKS = 12
_LOG_FROM_RANGE = 20
_MEANING_LENGTH = 70
_DODGE = 0.012
"""How far apart variants stand at one point, as a share of the axis: intervals on top of each other cannot be read."""

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
        """What stands below its axis."""
        meaning = self.meaning or "parameter"
        return f"{self.name} ({meaning if len(meaning) <= _MEANING_LENGTH else meaning[:_MEANING_LENGTH] + '…'})"


def text_of(value: Setting) -> str:
    """A setting as one types it, numbers with separators of thousands."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:,g}" if abs(value) < 1e15 else str(value)  # noqa: PLR2004 - all its digits
    return f"{value:,}" if isinstance(value, int) else value


def curve_chart(
    points: Sequence[CurvePoint],
    *,
    parameter: SweptParameter,
    metric: str,
    better: str,
    title: str = "",
    note: str = "",
) -> Chart:
    """The metric over a parameter.

    Needs at least one point; all are of the same unit. `better` is `higher` or `lower`.
    """
    ends = [end for one in points for end in one.estimate.ends]
    axis = value_axis(ends, metric=metric, unit=points[0].estimate.unit, better=better, from_zero=True)
    layout = {"type": "linear", **axis.layout}
    return _drawn(
        points,
        parameter,
        {"yaxis": layout},
        divisor=axis.divisor,
        title=title or f"{metric} over {parameter.name}",
        notes=[f"{metric}, {better} is better", *([note] if note else [])],
    )


def factor_curve(
    points: Sequence[CurvePoint], *, parameter: SweptParameter, baseline: str, title: str = "", note: str = ""
) -> Chart:
    """The factor over the baseline, over a parameter; the baseline is the line at 1.

    Needs at least one point of a candidate. Factors are above zero.
    """
    ends = [end for one in points for end in one.estimate.ends]
    layout = {
        "yaxis": factor_axis(ends, f"factor over {baseline} (times; above 1 is better; log scale)"),
        "shapes": [{**theme.horizontal(1, theme.UNITY_LINE), "layer": "below"}],
    }
    return _drawn(
        points,
        parameter,
        layout,
        divisor=1.0,
        title=title or f"factor over {baseline} by {parameter.name}",
        notes=[f"factor over {baseline}, above 1 is better", *([note] if note else [])],
    )


def _drawn(
    points: Sequence[CurvePoint],
    parameter: SweptParameter,
    layout: dict[str, Any],
    *,
    divisor: float,
    title: str,
    notes: list[str],
) -> Chart:
    variants = list(dict.fromkeys(one.variant for one in points))
    places = _Places(parameter, len(variants))
    traces = [
        _trace(variant, number, [one for one in points if one.variant == variant], places, divisor)
        for number, variant in enumerate(variants)
    ]
    complete = {"height": _HEIGHT, "showlegend": True, "xaxis": places.axis, "margin": {"t": 104}, **layout}
    return draw(title, traces, complete, _table(points, parameter, variants, notes))


class _Places:
    """Where the parameter's values stand: on a linear or logarithmic axis if they are numbers, else side by side."""

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
    return {
        "type": "scatter",
        "name": variant,
        "mode": "lines+markers",
        "x": [places.of(one.at, number) for one in ordered],
        "y": [one.estimate.value / divisor for one in ordered],
        "error_y": theme.error_bars([one.estimate for one in ordered], colour, divisor=divisor, thickness=1.5, width=4),
        "line": {"color": colour, "width": 2, "dash": theme.dash(number)},
        "marker": {"symbol": theme.symbol(number), "size": 8, "color": colour},
        "text": [f"{text_of(one.at)}: {one.estimate}" for one in ordered],
        "hovertemplate": f"%{{text}}<extra>{variant}</extra>",
    }


def _table(
    points: Sequence[CurvePoint], parameter: SweptParameter, variants: Sequence[str], notes: Sequence[str]
) -> Table:
    cells = {(one.variant, one.at): one for one in points}
    rows = [
        [text_of(value), variant, *one.estimate.columns]
        for value in parameter.values
        for variant in variants
        if (one := cells.get((variant, value))) is not None
    ]
    return Table([f">{parameter.name}", "variant", ">estimate", ">interval"], rows, list(notes))


# Two swept parameters at once: a candidate's factor over the baseline in each cell, and where it may be none at all.
#
# The colour repeats what the cell says in figures. A cell whose interval includes 1 has a dotted frame and a tilde:
# there, the sign of the difference is unknown.


_ROW_HEIGHT = 54
_FRAME_HEIGHT = 170
_UNSURE = "~ "
# Both hues fade to the same pale grey at a factor of 1.
_SCALE = ((0.0, theme.VERMILLION), (0.5, "#f2f2f2"), (1.0, theme.BLUE))
_LEAST_SPAN = math.log(1.05)
"""Differences below five per cent stay pale, or noise would be painted in full colours."""


@dataclass(frozen=True)
class FactorCell:
    """A cell: the factor, or `None` and in `why` one word for it."""

    row: Setting
    column: Setting
    estimate: Estimate | None
    why: str = ""

    @property
    def unsure(self) -> bool:
        """Whether the interval includes 1, or there is none."""
        if self.estimate is None:
            return False
        low, high = self.estimate.interval or (0.0, math.inf)
        return low <= 1 <= high

    @property
    def text(self) -> str:
        """What the cell says."""
        return (_UNSURE if self.unsure else "") + str(self.estimate) if self.estimate else self.why


def factors_chart(
    cells: Sequence[FactorCell],
    *,
    rows: SweptParameter,
    columns: SweptParameter,
    candidate: str,
    baseline: str,
    title: str = "",
    note: str = "",
) -> Chart:
    """A heat map of the factors.

    Needs at least one cell; those that are left out are empty.
    """
    there = {(cell.row, cell.column): cell for cell in cells}
    grid = [
        [there.get((row, column), FactorCell(row, column, None)) for column in columns.values] for row in rows.values
    ]
    weights = [[math.log(one.estimate.value) if one.estimate else None for one in line] for line in grid]
    span = max([_LEAST_SPAN, *(abs(one) for line in weights for one in line if one is not None)])
    heads = [text_of(value) for value in columns.values]
    names = [f"{rows.name}={text_of(value)}" for value in rows.values]
    trace: dict[str, Any] = {
        **theme.HEAT_MAP,
        "x": heads,
        "y": names,
        "z": weights,
        "text": [
            [one.text.replace(" [", "<br>[").replace(" (", "<br>(") if one.estimate else "" for one in line]
            for line in grid
        ],
        "customdata": [[one.text for one in line] for line in grid],
        "hovertemplate": f"%{{y}}, {columns.name}=%{{x}}: %{{customdata}}<extra></extra>",
        "zmin": -span,
        "zmax": span,
        "colorscale": [list(step) for step in _SCALE],
    }
    placed = [(x, y, one) for y, line in enumerate(grid) for x, one in enumerate(line)]
    layout = {
        "height": _FRAME_HEIGHT + _ROW_HEIGHT * len(names),
        "showlegend": False,
        "xaxis": column_axis(columns.title),
        "yaxis": row_axis(),
        "shapes": [_frame(x, y) for x, y, one in placed if one.unsure],
        "annotations": [theme.in_cell(x, y, one.why) for x, y, one in placed if one.estimate is None and one.why],
    }
    meaning = (
        f"factor of {candidate} over {baseline}, above 1 is better; {_UNSURE.strip()} marks an interval that includes 1"
    )
    table = Table(
        [f"{rows.name} \\ {columns.name}", *(f">{head}" for head in heads)],
        [[text_of(line[0].row), *(one.text for one in line)] for line in grid],
        [meaning, *([note] if note else [])],
    )
    return draw(title or f"{candidate} over {baseline}", [trace], layout, table)


def _frame(x: int, y: int) -> dict[str, Any]:
    """On an axis of categories a category is its number, and its cell reaches half a unit either way."""
    line = {"color": theme.NEUTRAL, "width": 2, "dash": "dot"}
    return {"type": "rect", "x0": x - 0.46, "x1": x + 0.46, "y0": y - 0.44, "y1": y + 0.44, "line": line}
