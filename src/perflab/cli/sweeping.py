"""What `lab sweep` shows: a line for each point as it ends, then a table and charts for each machine."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

from perflab.charts import bundle, png, text_of
from perflab.charts.quantities import factor, quantity
from perflab.cli.tables import show_table
from perflab.paths import RESULTS_DIR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from perflab.charts import Chart
    from perflab.cli.output import Output
    from perflab.statistics import Comparison, Summary
    from perflab.store import Run, Sweep
    from perflab.sweeps import Measured, Point, SweepPlan, SweepResult

_STYLES = {"faster": "green", "slower": "bold red", "inconclusive": "yellow", "void": "bold magenta", "missing": "red"}


def measure_local(output: Output, plan: Callable[[], SweepPlan]) -> Sweep:
    """Measure on this machine, all under one lock."""
    from perflab.runner import measurement_lock
    from perflab.sweeps import measure_here

    with measurement_lock():
        planned = plan()
        with _begun(output, planned, ""):
            measure_here(planned, output, lambda point, run: tell_point(output, point, run))
    return planned.sweep


def measure_cluster(output: Output, plan: Callable[[], SweepPlan], address: str, patience_s: float) -> Sweep:
    """Measure on the machines of a cluster; this machine is locked only while it builds, for it may be one of them."""
    from perflab.runner import measurement_lock
    from perflab.sweeps.cluster import connected, measure_on

    with connected(address, patience_s) as connection:
        with measurement_lock():
            planned = plan()
        with _begun(output, planned, f" --on {address}"):
            measure_on(connection, planned, output, lambda point, run, host: tell_point(output, point, run, host))
    return planned.sweep


@contextmanager
def _begun(output: Output, plan: SweepPlan, where: str) -> Iterator[None]:
    """Say what is going to be measured, and after Ctrl-C how it goes on."""
    sweep = plan.sweep
    output.say(f"sweep {sweep.id}: {len(plan.points)} points, at most {plan.experiment.preset.budget_s:g} s each")
    try:
        yield
    except KeyboardInterrupt:
        output.note(f"go on with ./lab sweep --resume {sweep.id}{where}")
        raise


def tell_point(output: Output, point: Point, run: Run, host: str = "") -> None:
    """Say what a point has shown, as soon as it ends, and on which host of a cluster."""
    from perflab.analysis import analyse
    from perflab.sweeps import label

    with _in_one_piece():
        found = [f"{one.candidate} {_factor(one)}" for one in analyse(run).comparisons]
    where = f", on {host}" if host else ""
    output.say(f"{label(point)}: {', '.join(found) if found else 'measured'} ({run.id}{where})")


@contextmanager
def _in_one_piece() -> Iterator[None]:
    """Put an interrupt off to the end: inside of DuckDB and NumPy it would become another error, or none."""
    came: list[int] = []
    before = {one: signal.signal(one, lambda number, _: came.append(number)) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    if came:
        raise KeyboardInterrupt


def show_sweep(output: Output, result: SweepResult, *, as_png: bool = False) -> None:
    """Show a sweep: machine by machine, because figures of different machines are never put into one table or chart."""
    if output.mode != "json":
        for machine in result.machines:
            _show_machine(output, result.on(machine), many=len(result.machines) > 1, as_png=as_png)
        for gap in result.unplaced:
            output.say(f"{_point(gap.params)} is missing: {gap.why}")
    for note in result.notes:
        output.say(f"note: {note}")
    if result.missing:
        where = " --on tcp://HOST:PORT" if result.header.on_cluster else ""
        output.say(f"{len(result.missing)} points are missing: ./lab sweep --resume {result.header.id}{where}")
    output.result(result.to_dict())


def _show_machine(output: Output, result: SweepResult, *, many: bool, as_png: bool) -> None:
    from perflab.gallery import sweep_charts

    header = result.header
    (machine,) = result.machines.values()
    name = f"{machine.host}, {machine.title}" if machine.host else machine.title
    over = ", ".join(header.over)
    title = f"{header.component} {header.scenario} over {over}, against {header.baseline}" + (
        f", on {machine.host or machine.machine}" if many else ""
    )
    columns = [*header.over, "variant", "estimate", "interval", f"over {header.baseline}", "interval", "verdict"]
    rows = [row for point in result.points for row in _rows(point, list(header.over))]
    rows += [
        [*(text_of(value) for value in one.params.values()), *["", "", "", "", "", "missing"]] for one in result.missing
    ]
    show_table(output, columns, rows, title=title, styles=_STYLES)
    for gap in result.missing:
        output.say(f"{_point(gap.params)} is missing: {gap.why}")
    drawn = sweep_charts(result)
    for chart in drawn.values():
        output.display(bundle(chart, with_png=as_png))
    if output.mode == "human":
        output.print(*_write(drawn, header.id, machine.machine if many else "", as_png=as_png))
    output.say(f"sweep {header.id} ({header.preset}, {len(result.points)} points) on {name}")


def _rows(point: Measured, over: list[str]) -> list[list[str]]:
    analysis = point.analysis
    begin = [text_of(point.params[name]) for name in over]
    rows = []
    for label, summary in analysis.summaries.items():
        one = analysis.comparison(label)
        value, ends = _value(summary, analysis.metric.unit)
        over_baseline = ["", "", "baseline" if label == analysis.baseline else ""]
        if one is not None:
            over_baseline = [_estimate(one), _interval(one), one.verdict]
        rows.append([*begin, label, value, ends, *over_baseline])
    gone = [label for label in analysis.failures if label not in analysis.summaries]
    empty = ["", "", "", ""]
    return rows + [[*begin, label, *empty, "void" if label in analysis.void else "dropped out"] for label in gone]


def _value(summary: Summary, unit: str) -> tuple[str, str]:
    if summary.mean is None:
        return "", ""
    if summary.low is None or summary.high is None:
        return quantity(summary.mean, unit), "too few forks"
    return quantity(summary.mean, unit), f"{quantity(summary.low, unit)} to {quantity(summary.high, unit)}"


def _estimate(one: Comparison) -> str:
    if one.estimate is None:
        return "no estimate"
    return factor(one.estimate) if one.scale == "ratio" else quantity(one.estimate, one.unit)


def _interval(one: Comparison) -> str:
    if one.low is None or one.high is None:
        return "too few forks"
    low, high = (factor(end) if one.scale == "ratio" else quantity(end, one.unit) for end in (one.low, one.high))
    return f"{low} to {high}"


def _factor(one: Comparison) -> str:
    return _estimate(one) if one.low is None else f"{_estimate(one)} [{_interval(one)}] {one.verdict}"


def _point(params: Point) -> str:
    from perflab.sweeps import label

    return label(params)


def _write(drawn: dict[str, Chart], sweep: str, machine: str, *, as_png: bool) -> list[str]:
    """Write the charts as pages, and say where."""
    from perflab.gallery import write_html

    folder = RESULTS_DIR / "charts" / sweep / machine
    written = [write_html(chart, folder / f"{name}.html") for name, chart in drawn.items()]
    if as_png and drawn:
        for name, image in zip(drawn, png(list(drawn.values())), strict=True):
            written.append(folder / f"{name}.png")
            written[-1].write_bytes(image)
    return [str(path) for path in written]
