"""Heat maps: a topic's table, and how stable a ranking is.

The colour repeats what the cell says in figures. A void cell is crossed out and says so; a cell that was not measured
is empty.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from perflab.charts import theme
from perflab.charts.chart import Chart, Table, draw, draw_all
from perflab.charts.estimates import Value, values_chart
from perflab.model.format import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.claims.standings import Standings, TableCell
    from perflab.stats.composite import Rank, Ranking, Swap


Scale = tuple[tuple[float, str], ...]

_SCORES_WIDTH = 190
_SCORE = "composite score"
_VOID = "void"
# One hue from pale to full: the order of the shares survives in grey, and plotly picks a text that stands out on each.
_SHARES: Scale = ((0.0, "#eef4f8"), (0.5, "#7fb6d9"), (1.0, theme.BLUE))


def heat_map(
    title: str,
    below: str,
    columns: Sequence[str],
    rows: Sequence[str],
    table: Table,
    *,
    scale: Scale,
    ends: tuple[float, float],
    height: int,
    layout: dict[str, Any] | None = None,
    **trace: Any,  # noqa: ANN401 - plotly's
) -> Chart:
    """Draw a cell for each row and column, rows from the top; `trace` has `z`, `text` and more of the trace."""
    plain = {"showgrid": False, "showline": False, "ticks": ""}
    drawn = {
        "type": "heatmap",
        "texttemplate": "%{text}",
        "showscale": False,
        "xgap": 3,
        "ygap": 3,
        "x": list(columns),
        "y": list(rows),
        "zmin": ends[0],
        "zmax": ends[1],
        "colorscale": [list(step) for step in scale],
        **trace,
    }
    complete = {
        "height": height,
        "showlegend": False,
        "xaxis": {"title": {"text": below}, "type": "category", **plain},
        "yaxis": {"type": "category", "autorange": "reversed", **theme.ROW_NAMES},
        **(layout or {}),
    }
    return draw(title, [drawn], complete, table)


def in_cell(x: int, y: int, text: str) -> dict[str, Any]:
    """Return text in a cell: on an axis of categories, a category is its number."""
    return {"text": text, "x": x, "y": y, "showarrow": False}


TABLE_CHARTS = ("heat", "scores")
"""The table itself, and each variant's composite score with its worst scenario beside it."""


def table_charts(standings: Standings) -> dict[str, Chart]:
    """Return the charts of a table, by their names in `TABLE_CHARTS`."""
    return draw_all(
        standings.component, {"heat": partial(heat_chart, standings), "scores": partial(_scores, standings)}
    )


def _scores(standings: Standings) -> Chart | None:
    if not standings.scores:
        return None
    return values_chart(
        [Value(one.label, one.mean, f"worst in {one.worst_scenario}", one.worst.value) for one in standings.scores],
        metric="composite score, and the worst scenario",
        better="higher",
        title=f"{standings.component}: scores over {', '.join(standings.scenarios)}",
    )


def heat_chart(standings: Standings) -> Chart:
    """Draw each variant's share of the best per scenario, where it is void, and its score."""
    rows, columns = standings.variants, standings.scenarios
    scores = {one.label: str(one.mean) for one in standings.scores}
    grid = [[standings.cells.get((row, column)) for column in columns] for row in rows]
    void = [(x, y) for y, line in enumerate(grid) for x, one in enumerate(line) if one and one.void]
    notes = [theme.beside(scores[row], number) for number, row in enumerate(rows) if row in scores]
    if scores:
        notes.append({**theme.beside(f"<b>{_SCORE}</b>", 1.0), "yref": "paper", "yanchor": "bottom"})
    meaning = "speed (share of the best there" + ("; after it the same of the worst case)" if standings.worst else ")")
    table = Table(
        ["", *(f">{column}" for column in columns), *([f">{_SCORE}"] if scores else [])],
        [
            [row, *map(_share, line), *([scores.get(row, "")] if scores else [])]
            for row, line in zip(rows, grid, strict=True)
        ],
        [meaning],
    )
    return heat_map(
        f"{standings.component}: all variants",
        meaning,
        columns,
        rows,
        table,
        scale=_SHARES,
        ends=(0, 100),
        height=170 + 40 * len(rows),
        layout={
            "margin": {"r": _SCORES_WIDTH if scores else 24},
            "shapes": [line for x, y in void for line in _cross(x, y)],
            "annotations": [in_cell(x, y, f"<b>{_VOID}</b>") for x, y in void] + notes,
        },
        # Void is not slow: it has no colour.
        z=[[100 * one.share.value if one and one.share and not one.void else None for one in line] for line in grid],
        text=[["" if one and one.void else _share(one).replace(" / ", "<br>") for one in line] for line in grid],
        customdata=[[_figures(one) or _share(one) for one in line] for line in grid],
        hovertemplate="%{y}, %{x}: %{customdata}<extra></extra>",
    )


def _share(cell: TableCell | None) -> str:
    """Return a cell's text: the share of the best, and of the best worst case."""
    if cell is None or cell.void:
        return _VOID if cell else ""
    return " / ".join(percent(one.value) for one in (cell.share, cell.worst_share) if one)


def _figures(cell: TableCell | None) -> str:
    """Return a cell's hover text: the figures, or why there are none."""
    if cell is None or cell.void or cell.missing:
        return "" if cell is None else f"void: {cell.void}" if cell.void else cell.missing
    means = [one.mean.value_text if one and one.mean else "" for one in (cell.summary, cell.worst)]
    return means[0] + (f", worst case {means[1]}" if means[1] else "")


def _cross(x: int, y: int) -> list[dict[str, Any]]:
    """Return the lines that cross out a cell, which extends half a unit around its category's number."""
    line = {"type": "line", "line": {"color": theme.NEUTRAL, "width": 1, "dash": "dot"}, "layer": "below"}
    left, right, top, bottom = x - 0.46, x + 0.46, y - 0.42, y + 0.42
    return [
        {**line, "x0": left, "y0": top, "x1": right, "y1": bottom},
        {**line, "x0": left, "y0": bottom, "x1": right, "y1": top},
    ]


_MOST_ROWS = 20
_COIN = 0.5
"""At this share the order of a pair is that of a coin toss."""


def swaps_chart(ranking: Ranking, *, title: str) -> Chart:
    """Draw a square with a cell per pair: the leading variant on the left, the trailing one below, ordered by rank.

    The ranking has at least two variants.
    """
    order = [place.label for place in ranking.places]
    by_pair = {(swap.ahead, swap.behind): swap for swap in ranking.swaps}
    grid = [[by_pair.get((ahead, behind)) for behind in order[1:]] for ahead in order[:-1]]
    return heat_map(
        title,
        "who was ahead of whom at the left, against the ranking (share of the rounds)",
        order[1:],
        [_named(place) for place in ranking.places[:-1]],
        _swaps_table(ranking),
        scale=((0.0, "#f6f1ee"), (1.0, theme.VERMILLION)),
        ends=(0, _COIN),
        height=200 + 34 * len(order),
        z=[[swap and swap.share for swap in line] for line in grid],
        text=[[_shown(swap) for swap in line] for line in grid],
        hovertemplate="%{x} was ahead of %{y} in %{text} of the rounds<extra></extra>",
    )


def _named(place: Rank) -> str:
    span = "always" if place.best == place.worst else f"{place.best} to {place.worst}"
    return f"{place.place}. {place.label} ({span})"


def _shown(swap: Swap | None) -> str:
    return "" if swap is None or swap.share is None else percent(swap.share)


def _swaps_table(ranking: Ranking) -> Table:
    """Return the table of neighbours: when a more distant pair swaps, some pair in between does too."""
    rows = []
    for number, place in enumerate(ranking.places[:_MOST_ROWS]):
        behind = ranking.places[number + 1].label if number + 1 < len(ranking.places) else ""
        swap = ranking.swap(place.label, behind) if behind else None
        told = f"{swap.swapped:g} of {swap.rounds} rounds" if swap else ""
        rows.append([place.label, str(place.place), f"{place.best} to {place.worst}", told, _shown(swap)])
    notes = ["places over all rounds by the median; swaps with the next one, a tie being half a swap"]
    if len(ranking.places) > _MOST_ROWS:
        notes.append(f"{len(ranking.places) - _MOST_ROWS} more are in the chart only")
    return Table(["variant", ">place", ">in single rounds", ">swapped with the next", ">share"], rows, notes)
