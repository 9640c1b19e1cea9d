"""A profile's charts, and those of two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.components.catalogue import find_component, find_components
from perflab.model.errors import UsageError
from perflab.profile.tree import Cause, difference, root_causes
from perflab.view.curve import CurvePoint, FactorCell, SweptParameter, curve_chart, factor_curve, factors_chart
from perflab.view.flame import flame_chart, flame_difference, shares_chart
from perflab.view.heat import HeatCell, heat_chart
from perflab.view.values import Value, values_chart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.judge.standings import Cell, Standings
    from perflab.profile.profile import Profile
    from perflab.run.sweep import Measured, SweepResult
    from perflab.stats.comparison import Comparison
    from perflab.store.records import ProfileRecord
    from perflab.view.chart import Chart


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
        HeatCell(
            variant,
            scenario,
            cell.share.value if cell.share else None,
            cell.worst_share.value if cell.worst_share else None,
            bool(cell.void),
            _note(cell),
        )
        for (variant, scenario), cell in standings.cells.items()
    ]
    meaning = "speed (share of the best there" + ("; after it the same of the worst case)" if standings.worst else ")")
    return heat_chart(
        cells,
        meaning=meaning,
        scores={one.label: str(one.mean) for one in standings.scores},
        score="composite score",
        title=f"{standings.component}: all variants",
    )


def _scores(standings: Standings) -> Chart:
    rows = [Value(one.label, one.mean, f"worst in {one.worst_scenario}", one.worst.value) for one in standings.scores]
    return values_chart(
        rows,
        metric="composite score, and the worst scenario",
        better="higher",
        title=f"{standings.component}: scores over {', '.join(standings.scenarios)}",
    )


def _note(cell: Cell) -> str:
    if cell.void or cell.missing:
        return f"void: {cell.void}" if cell.void else cell.missing
    note = cell.summary.mean.value_text if cell.summary and cell.summary.mean else ""
    return note + (f", worst case {cell.worst.mean.value_text}" if cell.worst and cell.worst.mean else "")


FACTORS = "factors"
"""How the names of charts of factors begin: the only one of a curve, or one for each candidate of a map."""

_NOTE = "intervals hold point by point: of twenty, one may miss"


def sweep_charts(result: SweepResult) -> dict[str, Chart]:
    """A sweep's charts by their names: `values` and `factors`, or `factors-CANDIDATE`; none if nothing was measured.

    Args:
        result: One machine's part of a sweep.

    Raises:
        ValueError: If it holds several machines, which are never drawn as one.
    """
    if len(result.machines) > 1:
        raise ValueError("a chart is of one machine; ask for SweepResult.on(machine)")
    if not result.points:
        return {}
    parameters = [
        SweptParameter(parameter.name, parameter.help, result.header.over[parameter.name])
        for parameter in result.parameters
    ]
    return _curves(result, parameters[0]) if len(parameters) == 1 else _maps(result, parameters[0], parameters[1])


def _curves(result: SweepResult, swept: SweptParameter) -> dict[str, Chart]:
    found = {}
    metric = result.metric
    values = [
        CurvePoint(label, point.params[swept.name], summary.mean)
        for point in result.points
        for label, summary in point.analysis.summaries.items()
        if summary.mean is not None
    ]
    if values and metric is not None:
        found["values"] = curve_chart(
            _in_order(values, result),
            parameter=swept,
            metric=metric.name,
            better=metric.better,
            title=_title(result),
            note=_NOTE,
        )
    ratios = [
        CurvePoint(one.candidate, point.params[swept.name], one.estimate)
        for point in result.points
        for one in point.analysis.comparisons
        if one.scale == "ratio" and one.estimate is not None
    ]
    if ratios:
        found[FACTORS] = factor_curve(
            _in_order(ratios, result),
            parameter=swept,
            baseline=result.header.baseline,
            title=f"{_title(result)}: over {result.header.baseline}",
            note=_NOTE,
        )
    return found


def _maps(result: SweepResult, columns: SweptParameter, rows: SweptParameter) -> dict[str, Chart]:
    found = {}
    for candidate in result.header.variants:
        if candidate == result.header.baseline:
            continue
        cells = [_cell(point, candidate, rows.name, columns.name) for point in result.points]
        cells += [
            FactorCell(gap.params[rows.name], gap.params[columns.name], None, why="missing") for gap in result.missing
        ]
        if any(cell.estimate is not None for cell in cells):
            found[f"{FACTORS}-{candidate}"] = factors_chart(
                cells,
                rows=rows,
                columns=columns,
                candidate=candidate,
                baseline=result.header.baseline,
                title=f"{_title(result)}: {candidate} over {result.header.baseline}",
                note=_NOTE,
            )
    return found


def _cell(point: Measured, candidate: str, row: str, column: str) -> FactorCell:
    one: Comparison | None = point.analysis.comparison(candidate)
    at = (point.params[row], point.params[column])
    if one is None:
        return FactorCell(*at, None, why="void" if candidate in point.analysis.void else "failed")
    if one.scale != "ratio" or one.estimate is None:
        return FactorCell(*at, None, why="no ratio")
    return FactorCell(*at, one.estimate)


def _in_order(points: list[CurvePoint], result: SweepResult) -> list[CurvePoint]:
    """Variants in the order in which they take part: one that drops out at a point keeps its colour."""
    order = result.header.variants
    return sorted(points, key=lambda one: order.index(one.variant) if one.variant in order else len(order))


def _title(result: SweepResult) -> str:
    header = result.header
    fixed = ", ".join(f"{name}={value}" for name, value in header.params.items())
    (machine,) = result.machines.values()
    where = f" on {machine.host}" if machine.host else ""
    swept = " and ".join(header.over)
    return f"{header.component} {header.scenario} over {swept}" + (f" ({fixed})" if fixed else "") + where


def profile_charts(profiles: Sequence[tuple[ProfileRecord, Profile]]) -> dict[str, Chart]:
    """The flame view of each profile, the root causes, and of two profiles the difference view."""
    found: dict[str, Chart] = {}
    for record, profile in profiles:
        found[f"flame-{record.variant}"] = flame_chart(
            profile, title=f"{record.variant}: {record.mode}, {record.scenario}"
        )
    record, _ = profiles[0]
    manifest = find_component(record.component).manifest
    causes = [Cause(cause.name, cause.mode, cause.frames) for cause in manifest.cause if cause.mode == record.mode]
    if causes:
        tables = {one.variant: root_causes(profile, causes) for one, profile in profiles}
        found["causes"] = shares_chart(
            tables, title=f"{record.component} {record.scenario}: root causes ({record.mode})"
        )
    if len(profiles) > 1:
        (first, before), (second, after) = profiles[:2]
        try:
            changed = difference(before, after)
        except UsageError:
            # One of them has no stacks in this mode, as a lock-free queue in lock mode: there is nothing to subtract.
            return found
        found["difference"] = flame_difference(
            changed, title=f"From {first.variant} to {second.variant}: {record.mode}, {record.scenario}"
        )
    return found
