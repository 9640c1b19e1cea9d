"""A table of shares as a heat map: how close each variant comes to the best in each scenario, and where it is void.

The colour repeats what the cell says in figures. What is void is crossed out and says so; a cell without a measurement
is empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.model.format import percent
from perflab.view import theme
from perflab.view.chart import Chart, Table, draw
from perflab.view.theme import column_axis, row_axis

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perflab.stats.composite import Place, Ranking, Swap


_ROW_HEIGHT = 40
_FRAME_HEIGHT = 170
_SCORES_WIDTH = 190
_VOID = "void"
# One hue from pale to full: the order of the shares survives in grey, and plotly picks a text that stands out on each.
_SCALE = ((0.0, "#eef4f8"), (0.5, "#7fb6d9"), (1.0, theme.BLUE))


@dataclass(frozen=True)
class HeatCell:
    """A cell.

    Args:
        row: Its variant.
        column: Its scenario.
        share: Of the best, 0 to 1; `None` where there is none.
        worst: The same of the worst case, if that was measured.
        void: Whether it broke the scenario's rules.
        note: What a reader may ask for: the figures, or why there are none.
    """

    row: str
    column: str
    share: float | None
    worst: float | None = None
    void: bool = False
    note: str = ""

    @property
    def text(self) -> str:
        """What the cell says: the share of the best, and of the best worst case."""
        if self.void:
            return _VOID
        if self.share is None:
            return ""
        return percent(self.share) + ("" if self.worst is None else f" / {percent(self.worst)}")


def heat_chart(
    cells: Sequence[HeatCell],
    *,
    meaning: str,
    scores: Mapping[str, str] | None = None,
    score: str = "",
    title: str = "",
) -> Chart:
    """Rows and columns in the order in which they come first.

    Args:
        cells: At least one; a row need not have every column.
        meaning: What a cell's figures are, for the axis.
        scores: Beside each row, what it comes to.
        score: What that is, for its head; needed with `scores`.
        title: Of the chart.
    """
    rows = list(dict.fromkeys(cell.row for cell in cells))
    columns = list(dict.fromkeys(cell.column for cell in cells))
    grid = [[_at(cells, row, column) for column in columns] for row in rows]
    trace: dict[str, Any] = {
        **theme.HEAT_MAP,
        "x": columns,
        "y": rows,
        # Void is no shade of slow: it has no colour.
        "z": [[None if one.void or one.share is None else 100 * one.share for one in line] for line in grid],
        "text": [["" if one.void else one.text.replace(" / ", "<br>") for one in line] for line in grid],
        "customdata": [[one.note or one.text for one in line] for line in grid],
        "hovertemplate": "%{y}, %{x}: %{customdata}<extra></extra>",
        "zmin": 0,
        "zmax": 100,
        "colorscale": [list(step) for step in _SCALE],
    }
    void = [(x, y) for y, line in enumerate(grid) for x, one in enumerate(line) if one.void]
    layout = {
        "height": _FRAME_HEIGHT + _ROW_HEIGHT * len(rows),
        "showlegend": False,
        "xaxis": column_axis(meaning),
        "yaxis": row_axis(),
        "margin": {"r": _SCORES_WIDTH if scores else 24},
        "shapes": [line for x, y in void for line in _cross(x, y)],
        "annotations": [theme.in_cell(x, y, f"<b>{_VOID}</b>") for x, y in void] + _beside(rows, scores or {}, score),
    }
    return draw(title or "shares of the best", [trace], layout, _table(grid, columns, scores or {}, score, meaning))


def _at(cells: Sequence[HeatCell], row: str, column: str) -> HeatCell:
    return next((one for one in cells if (one.row, one.column) == (row, column)), HeatCell(row, column, None))


def _cross(x: int, y: int) -> list[dict[str, Any]]:
    """On an axis of categories a category is its number, and its cell reaches half a unit either way."""
    line = {"type": "line", "line": {"color": theme.NEUTRAL, "width": 1, "dash": "dot"}, "layer": "below"}
    left, right, top, bottom = x - 0.46, x + 0.46, y - 0.42, y + 0.42
    return [
        {**line, "x0": left, "y0": top, "x1": right, "y1": bottom},
        {**line, "x0": left, "y0": bottom, "x1": right, "y1": top},
    ]


def _beside(rows: Sequence[str], scores: Mapping[str, str], head: str) -> list[dict[str, Any]]:
    notes = [theme.beside(scores[row], number) for number, row in enumerate(rows) if row in scores]
    if notes:
        notes.append({**theme.beside(f"<b>{head}</b>", 1.0), "yref": "paper", "yanchor": "bottom"})
    return notes


def _table(
    grid: Sequence[Sequence[HeatCell]], columns: Sequence[str], scores: Mapping[str, str], score: str, meaning: str
) -> Table:
    heads = ["", *(f">{column}" for column in columns), *([f">{score}"] if scores else [])]
    rows = [
        [line[0].row, *(one.text for one in line), *([scores.get(line[0].row, "")] if scores else [])] for line in grid
    ]
    return Table(heads, rows, [meaning])


_SWAP_ROW_HEIGHT = 34
_SWAPS_FRAME_HEIGHT = 200
_MOST_ROWS = 20
_COIN = 0.5
"""At this share the order of a pair is a coin's."""


def swaps_chart(ranking: Ranking, *, title: str = "") -> Chart:
    """A square with a cell per pair: who stands ahead at the left, who behind below, in the order of their places.

    The ranking is of at least two variants.
    """
    order = [place.label for place in ranking.places]
    by_pair = {(swap.ahead, swap.behind): swap for swap in ranking.swaps}
    grid = [[by_pair.get((ahead, behind)) for behind in order[1:]] for ahead in order[:-1]]
    trace: dict[str, Any] = {
        **theme.HEAT_MAP,
        "x": order[1:],
        "y": [_named(place) for place in ranking.places[:-1]],
        "z": [[swap and swap.share for swap in line] for line in grid],
        "text": [[_shown(swap) for swap in line] for line in grid],
        "hovertemplate": "%{x} was ahead of %{y} in %{text} of the rounds<extra></extra>",
        "zmin": 0,
        "zmax": _COIN,
        "colorscale": [[0.0, "#f6f1ee"], [1.0, theme.VERMILLION]],
    }
    layout = {
        "height": _SWAPS_FRAME_HEIGHT + _SWAP_ROW_HEIGHT * len(order),
        "showlegend": False,
        "xaxis": column_axis("who was ahead of whom at the left, against the ranking (share of the rounds)"),
        "yaxis": row_axis(),
    }
    return draw(title or "rank stability", [trace], layout, _swaps_table(ranking))


def _named(place: Place) -> str:
    span = "always" if place.best == place.worst else f"{place.best} to {place.worst}"
    return f"{place.place}. {place.label} ({span})"


def _shown(swap: Swap | None) -> str:
    return "" if swap is None or swap.share is None else percent(swap.share)


def _swaps_table(ranking: Ranking) -> Table:
    """Neighbours: where a pair further apart swaps, some of those between do."""
    rows = []
    for number, place in enumerate(ranking.places[:_MOST_ROWS]):
        behind = ranking.places[number + 1].label if number + 1 < len(ranking.places) else ""
        swap = ranking.swap(place.label, behind) if behind else None
        told = f"{swap.swapped:g} of {swap.rounds} rounds" if swap else ""
        span = f"{place.best} to {place.worst}"
        rows.append([place.label, str(place.place), span, told, _shown(swap)])
    notes = ["places over all rounds by the median; swaps with the next one, a tie being half a swap"]
    if len(ranking.places) > _MOST_ROWS:
        notes.append(f"{len(ranking.places) - _MOST_ROWS} more are in the chart only")
    return Table(["variant", ">place", ">in single rounds", ">swapped with the next", ">share"], rows, notes)
