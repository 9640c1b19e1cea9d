"""Two swept parameters at once: a candidate's factor over the baseline in each cell, and where it may be none at all.

The colour repeats what the cell says in figures. A cell whose interval includes 1 has a dotted frame and a tilde:
there, the sign of the difference is unknown.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.charts import theme
from perflab.charts.axes import column_axis, row_axis
from perflab.charts.chart import Chart, draw
from perflab.charts.curve import text_of
from perflab.charts.quantities import factor
from perflab.charts.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.charts.curve import Knob, Setting

_ROW_HEIGHT = 54
_FRAME_HEIGHT = 170
_UNSURE = "~ "
# Both hues fade to the same pale grey at a factor of 1.
_SCALE = ((0.0, theme.VERMILLION), (0.5, "#f2f2f2"), (1.0, theme.BLUE))
_LEAST_SPAN = math.log(1.05)
"""Differences below five per cent stay pale, or noise would be painted in full colours."""


@dataclass(frozen=True)
class Factor:
    """A cell: the factor with its interval, or `None` and in `why` one word for it."""

    row: Setting
    column: Setting
    estimate: float | None
    low: float | None = None
    high: float | None = None
    why: str = ""

    @property
    def unsure(self) -> bool:
        """Whether the interval includes 1, or there is none."""
        return self.estimate is not None and (self.low is None or self.high is None or self.low <= 1 <= self.high)

    @property
    def text(self) -> str:
        """What the cell says."""
        if self.estimate is None:
            return self.why
        ends = "" if self.low is None or self.high is None else f" [{factor(self.low)}, {factor(self.high)}]"
        return (_UNSURE if self.unsure else "") + factor(self.estimate) + ends


def factors(
    cells: Sequence[Factor],
    *,
    rows: Knob,
    columns: Knob,
    candidate: str,
    baseline: str,
    title: str = "",
    note: str = "",
) -> Chart:
    """A heat map of the factors.

    Args:
        cells: At least one; those that are left out are empty.
        rows: The parameter of the rows.
        columns: The parameter of the columns.
        candidate: What is compared.
        baseline: With what.
        title: Of the chart.
        note: Below the table.
    """
    there = {(cell.row, cell.column): cell for cell in cells}
    grid = [[there.get((row, column), Factor(row, column, None)) for column in columns.values] for row in rows.values]
    weights = [[None if one.estimate is None else math.log(one.estimate) for one in line] for line in grid]
    span = max([_LEAST_SPAN, *(abs(one) for line in weights for one in line if one is not None)])
    heads = [text_of(value) for value in columns.values]
    names = [f"{rows.name}={text_of(value)}" for value in rows.values]
    trace: dict[str, Any] = {
        "type": "heatmap",
        "x": heads,
        "y": names,
        "z": weights,
        "text": [
            [one.text.replace(" [", "<br>[") if one.estimate is not None else "" for one in line] for line in grid
        ],
        "texttemplate": "%{text}",
        "customdata": [[one.text for one in line] for line in grid],
        "hovertemplate": f"%{{y}}, {columns.name}=%{{x}}: %{{customdata}}<extra></extra>",
        "zmin": -span,
        "zmax": span,
        "colorscale": [list(step) for step in _SCALE],
        "showscale": False,
        "xgap": 3,
        "ygap": 3,
    }
    placed = [(x, y, one) for y, line in enumerate(grid) for x, one in enumerate(line)]
    layout = {
        "height": _FRAME_HEIGHT + _ROW_HEIGHT * len(names),
        "showlegend": False,
        "xaxis": column_axis(columns.title),
        "yaxis": row_axis(),
        "shapes": [_frame(x, y) for x, y, one in placed if one.unsure],
        "annotations": [_word(x, y, one.why) for x, y, one in placed if one.estimate is None and one.why],
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


def _word(x: int, y: int, text: str) -> dict[str, Any]:
    return {"text": text, "x": x, "y": y, "showarrow": False}
