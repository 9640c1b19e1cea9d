"""The charts of a topic's table: the heat map of its scenarios, and the scores over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab import charts
from perflab.charts.quantities import percent, quantity
from perflab.components import find_components

if TYPE_CHECKING:
    from perflab.analysis import Cell, Standings
    from perflab.charts import Chart
    from perflab.statistics import Estimate

TABLE_CHARTS = {
    "heat": "all variants by all scenarios of the topic's table, with what is void, and the scores",
    "scores": "each variant's composite score with its interval, and its worst scenario beside it",
}


def table_charts(standings: Standings) -> dict[str, Chart]:
    """The charts of a table, by their names in `TABLE_CHARTS`."""
    found = {"heat": _heat(standings)}
    if standings.scores:
        found["scores"] = _scores(standings)
    return found


def worst_metric(topic: str) -> str:
    """The metric that a topic's table shows as the worst case; empty if it names none."""
    manifests = {one.name: one.manifest for one in find_components()}
    table = manifests[topic].table if topic in manifests else None
    return table.worst if table else ""


def _heat(standings: Standings) -> Chart:
    cells = [
        charts.Heat(
            variant,
            scenario,
            cell.share.value if cell.share else None,
            cell.worst_share.value if cell.worst_share else None,
            bool(cell.void),
            _note(standings, scenario, cell),
        )
        for (variant, scenario), cell in standings.cells.items()
    ]
    meaning = "speed (share of the best there" + ("; after it the same of the worst case)" if standings.worst else ")")
    return charts.heat(
        cells,
        meaning=meaning,
        scores={one.label: _interval(one.mean) for one in standings.scores},
        score="composite score",
        title=f"{standings.component}: all variants",
    )


def _scores(standings: Standings) -> Chart:
    rows = [
        charts.Value(
            one.label,
            one.mean.value,
            one.mean.value if one.mean.low is None else one.mean.low,
            one.mean.value if one.mean.high is None else one.mean.high,
            f"worst in {one.worst_scenario}",
            one.worst.value,
        )
        for one in standings.scores
    ]
    return charts.values(
        rows,
        metric="composite score, and the worst scenario",
        unit="share",
        better="higher",
        title=f"{standings.component}: scores over {', '.join(standings.scenarios)}",
    )


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return percent(estimate.value)
    return f"{percent(estimate.value)} [{percent(estimate.low)}, {percent(estimate.high)}]"


def _note(standings: Standings, scenario: str, cell: Cell) -> str:
    if cell.void or cell.missing:
        return f"void: {cell.void}" if cell.void else cell.missing
    described = standings.runs[scenario].header.scenario
    note = quantity(cell.summary.mean, described.headline.unit) if cell.summary and cell.summary.mean else ""
    if cell.worst and cell.worst.mean:
        unit = next(metric.unit for metric in described.metrics if metric.name == standings.worst)
        note += f", worst case {quantity(cell.worst.mean, unit)}"
    return note
