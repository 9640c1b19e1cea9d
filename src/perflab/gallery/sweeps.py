"""The charts of a sweep on one machine: curves for one parameter, maps of factors for two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab import charts

if TYPE_CHECKING:
    from perflab.charts import Chart
    from perflab.statistics import Comparison
    from perflab.sweeps import Measured, SweepResult

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
    knobs = [
        charts.Knob(parameter.name, parameter.help, result.header.over[parameter.name])
        for parameter in result.parameters
    ]
    return _curves(result, knobs[0]) if len(knobs) == 1 else _maps(result, knobs[0], knobs[1])


def _curves(result: SweepResult, knob: charts.Knob) -> dict[str, Chart]:
    found = {}
    metric = result.metric
    values = [
        charts.Station(label, point.params[knob.name], summary.mean, summary.low, summary.high)
        for point in result.points
        for label, summary in point.analysis.summaries.items()
        if summary.mean is not None
    ]
    if values and metric is not None:
        found["values"] = charts.curve(
            _in_order(values, result),
            knob=knob,
            metric=metric.name,
            unit=metric.unit,
            better=metric.better,
            title=_title(result),
            note=_NOTE,
        )
    ratios = [
        charts.Station(one.candidate, point.params[knob.name], one.estimate, one.low, one.high)
        for point in result.points
        for one in point.analysis.comparisons
        if one.scale == "ratio" and one.estimate is not None
    ]
    if ratios:
        found[FACTORS] = charts.factor_curve(
            _in_order(ratios, result),
            knob=knob,
            baseline=result.header.baseline,
            title=f"{_title(result)}: over {result.header.baseline}",
            note=_NOTE,
        )
    return found


def _maps(result: SweepResult, columns: charts.Knob, rows: charts.Knob) -> dict[str, Chart]:
    found = {}
    for candidate in result.header.variants:
        if candidate == result.header.baseline:
            continue
        cells = [_cell(point, candidate, rows.name, columns.name) for point in result.points]
        cells += [
            charts.Factor(gap.params[rows.name], gap.params[columns.name], None, why="missing")
            for gap in result.missing
        ]
        if any(cell.estimate is not None for cell in cells):
            found[f"{FACTORS}-{candidate}"] = charts.factors(
                cells,
                rows=rows,
                columns=columns,
                candidate=candidate,
                baseline=result.header.baseline,
                title=f"{_title(result)}: {candidate} over {result.header.baseline}",
                note=_NOTE,
            )
    return found


def _cell(point: Measured, candidate: str, row: str, column: str) -> charts.Factor:
    one: Comparison | None = point.analysis.comparison(candidate)
    at = (point.params[row], point.params[column])
    if one is None:
        return charts.Factor(*at, None, why="void" if candidate in point.analysis.void else "failed")
    if one.scale != "ratio" or one.estimate is None:
        return charts.Factor(*at, None, why="no ratio")
    return charts.Factor(*at, one.estimate, one.low, one.high)


def _in_order(stations: list[charts.Station], result: SweepResult) -> list[charts.Station]:
    """Variants in the order in which they take part: one that drops out at a point keeps its colour."""
    order = result.header.variants
    return sorted(stations, key=lambda one: order.index(one.variant) if one.variant in order else len(order))


def _title(result: SweepResult) -> str:
    header = result.header
    fixed = ", ".join(f"{name}={value}" for name, value in header.params.items())
    (machine,) = result.machines.values()
    where = f" on {machine.host}" if machine.host else ""
    swept = " and ".join(header.over)
    return f"{header.component} {header.scenario} over {swept}" + (f" ({fixed})" if fixed else "") + where
