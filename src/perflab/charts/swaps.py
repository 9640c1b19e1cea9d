"""Rank stability: in how many of a run's rounds each pair of variants stood the other way round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perflab.charts import theme
from perflab.charts.axes import column_axis, row_axis
from perflab.charts.chart import Chart, draw
from perflab.charts.quantities import percent
from perflab.charts.table import Table

if TYPE_CHECKING:
    from perflab.statistics import Place, Ranking, Swap

_ROW_HEIGHT = 34
_FRAME_HEIGHT = 200
_MOST_ROWS = 20
_COIN = 0.5
"""At this share the order of a pair is a coin's."""


def swaps(ranking: Ranking, *, title: str = "") -> Chart:
    """A square with a cell per pair: who stands ahead at the left, who behind below, in the order of their places.

    Args:
        ranking: Of at least two variants.
        title: Of the chart.
    """
    order = [place.label for place in ranking.places]
    by_pair = {(swap.ahead, swap.behind): swap for swap in ranking.swaps}
    grid = [[by_pair.get((ahead, behind)) for behind in order[1:]] for ahead in order[:-1]]
    trace: dict[str, Any] = {
        "type": "heatmap",
        "x": order[1:],
        "y": [_named(place) for place in ranking.places[:-1]],
        "z": [[_share(swap) for swap in line] for line in grid],
        "text": [[_shown(swap) for swap in line] for line in grid],
        "texttemplate": "%{text}",
        "hovertemplate": "%{x} was ahead of %{y} in %{text} of the rounds<extra></extra>",
        "zmin": 0,
        "zmax": _COIN,
        "colorscale": [[0.0, "#f6f1ee"], [1.0, theme.VERMILLION]],
        "showscale": False,
        "xgap": 3,
        "ygap": 3,
    }
    layout = {
        "height": _FRAME_HEIGHT + _ROW_HEIGHT * len(order),
        "showlegend": False,
        "xaxis": column_axis("who was ahead of whom at the left, against the ranking (share of the rounds)"),
        "yaxis": row_axis(),
    }
    return draw(title or "rank stability", [trace], layout, _table(ranking))


def _named(place: Place) -> str:
    span = "always" if place.best == place.worst else f"{place.best} to {place.worst}"
    return f"{place.place}. {place.label} ({span})"


def _share(swap: Swap | None) -> float | None:
    return None if swap is None else swap.share


def _shown(swap: Swap | None) -> str:
    return "" if swap is None or swap.share is None else percent(swap.share)


def _table(ranking: Ranking) -> Table:
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
