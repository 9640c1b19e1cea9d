"""`lab sweep` and `lab search`: a comparison at each point of a grid of parameters, or where Optuna looks."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from perflab.charts.chart import write_charts
from perflab.charts.curve import text_of
from perflab.cli.options import (
    LENGTHS,
    complete_topic,
    measuring,
    metric_option,
    plugin_option,
    request,
    topic_argument,
    variants_option,
)
from perflab.cli.output import Output, show_table, with_output
from perflab.measure.grid import point_text
from perflab.model.errors import MissingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from perflab.measure.grid import Point
    from perflab.measure.sweep import MeasuredPoint, SweepPlan, SweepResult
    from perflab.model.lab import Lab
    from perflab.store.kept import SearchResult, Sweep
    from perflab.store.runs import Run


_STYLES = {"faster": "green", "slower": "bold red", "inconclusive": "yellow", "void": "bold magenta", "missing": "red"}


def _measure(output: Output, lab: Lab, plan: Callable[[], SweepPlan], scheduler: str | None) -> Sweep:
    """Measure what a plan lacks: on this machine, or on those of the cluster with this scheduler."""
    from perflab.host.lock import measurement_lock
    from perflab.measure.cluster import connected, measure_on
    from perflab.measure.sweep import measure_here

    if scheduler is None:
        with measurement_lock(lab.lock):
            planned = plan()
            with _resumable(output, planned):
                measure_here(planned, output, partial(_tell_point, output))
        return planned.sweep
    if scheduler.startswith("tcp://") and not scheduler.startswith(("tcp://127.0.0.1:", "tcp://localhost:")):
        output.note(f"whoever reaches {scheduler} can run programs on all of its machines: see docs/sweeps.md for TLS")
    with connected(scheduler) as client:
        with measurement_lock(lab.lock):
            planned = plan()  # it may build
        # Not under the lock: this machine may be one of the workers.
        with _resumable(output, planned, f" --on {scheduler}"):
            measure_on(client, planned, output, partial(_tell_point, output))
    return planned.sweep


@contextmanager
def _resumable(output: Output, plan: SweepPlan, where: str = "") -> Iterator[None]:
    """Print the plan, and on interrupt how to resume it."""
    sweep = plan.sweep
    output.say(f"sweep {sweep.id}: {len(plan.points)} points, at most {plan.plan.preset.budget_s:g} s each")
    try:
        yield
    except (KeyboardInterrupt, MissingError):
        output.note(f"go on with ./lab sweep --resume {sweep.id}{where}")
        raise


def _tell_point(output: Output, point: Point, run: Run, host: str = "") -> None:
    """Print a point's result as soon as it ends."""
    from perflab.measure.analysis import analyse

    with _deferred_interrupt():
        found = [f"{one.candidate} {one.figures} {one.verdict}" for one in analyse(run).comparisons]
    where = f", on {host}" if host else ""
    output.say(f"{point_text(point)}: {', '.join(found) if found else 'measured'} ({run.id}{where})")


@contextmanager
def _deferred_interrupt() -> Iterator[None]:
    """Defer an interrupt to the end: inside NumPy it would turn into another error, or be lost."""
    came: list[int] = []
    before = {one: signal.signal(one, lambda number, _: came.append(number)) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    if came:
        raise KeyboardInterrupt


def show_sweep(output: Output, lab: Lab, result: SweepResult, *, as_png: bool = False) -> None:
    """Show a sweep: a table of its points and charts."""
    if output.mode != "json":
        _show_points(output, lab, result, as_png=as_png)
    for note in result.notes:
        output.say(f"note: {note}")
    if result.missing:
        output.say(f"{len(result.missing)} points are missing: ./lab sweep --resume {result.header.id}")
    output.result(result.to_dict())


def _show_points(output: Output, lab: Lab, result: SweepResult, *, as_png: bool) -> None:
    from perflab.charts.curve import sweep_charts

    header = result.header
    title = f"{header.component} {header.scenario} over {', '.join(header.over)}, against {header.baseline}"
    columns = [*header.over, "variant", "estimate", "interval", f"over {header.baseline}", "interval", "verdict"]
    rows = [row for point in result.points for row in _rows(point, list(header.over))]
    rows += [
        [*(text_of(value) for value in one.params.values()), *["", "", "", "", "", "missing"]] for one in result.missing
    ]
    show_table(output, columns, rows, title=title, styles=_STYLES)
    for gap in result.missing:
        output.say(f"{point_text(gap.params)} is missing: {gap.why}")
    drawn = sweep_charts(result)
    for chart in drawn.values():
        output.draw(chart, with_png=as_png)
    if output.mode == "human":
        folder = lab.results / "charts" / header.id
        output.print(*map(str, write_charts(drawn, folder, with_png=as_png).values()))
    where = f" on {', '.join(result.machines)}" if result.machines else ""
    output.say(f"sweep {header.id} ({header.preset}, {len(result.points)} points){where}")


def _rows(point: MeasuredPoint, over: list[str]) -> list[list[str]]:
    analysis = point.analysis
    begin = [text_of(point.params[name]) for name in over]
    rows = []
    for label, summary in analysis.summaries.items():
        one = analysis.comparison(label)
        over_baseline = ["", "", "baseline" if label == analysis.baseline else ""]
        if one is not None:
            over_baseline = [*one.columns, one.verdict]
        rows.append([*begin, label, *(summary.mean.columns if summary.mean else ["", ""]), *over_baseline])
    gone = [label for label in analysis.failures if label not in analysis.summaries]
    empty = ["", "", "", ""]
    return rows + [[*begin, label, *empty, "void" if label in analysis.void else "dropped out"] for label in gone]


_FIXED = (
    *("scenario", "params", "variants", "baseline", "plugin", "preset"),
    *LENGTHS,
)


@click.command(
    "sweep",
    epilog="Example: ./lab sweep mailbox -s burst -v resizable -v linked --over messages=1000..64000 --quick. "
    "On a cluster: ./lab sweep mailbox -s burst --over messages=1000..64000 --on tls://HOST:8786",
)
@click.argument("topic", required=False, shell_complete=complete_topic)
@click.option(
    "--over",
    "-o",
    multiple=True,
    metavar="NAME=VALUES",
    help="A parameter and its values, separated by commas: single ones (64,100), FIRST..LAST, which doubles "
    "(64..4096), or FIRST..LAST:STEP (1..9:2). Once for a curve, twice for a heat map.",
)
@variants_option
@click.option(
    "--baseline",
    metavar="VARIANT",
    help="Compare the others with this variant [default: the first with the role `before`].",
)
@metric_option
@plugin_option
@measuring
@click.option(
    "--on",
    metavar="ADDRESS",
    help="Measure on the machines of a Dask cluster, each point on one of them: its scheduler's address, as in "
    "tls://HOST:8786, or its scheduler file. Machines take part with: "
    'dask worker ADDRESS --no-nanny --nthreads 1 --resources "measuring=1"',
)
@click.option("--resume", metavar="SWEEP", help="Measure the missing points of a sweep: part of its id, or `latest`.")
@click.option("--show", metavar="SWEEP", help="Show a sweep again, without measuring.")
@click.option("--png", "as_png", is_flag=True, help="Also draw the charts as PNG, with this machine's Chromium.")
@click.pass_obj
@with_output
def sweep_command(
    output: Output,
    lab: Lab,
    topic: str | None,
    over: tuple[str, ...],
    metric: str | None,
    on: str | None,
    resume: str | None,
    show: str | None,
    as_png: bool,
    **options: Any,  # noqa: ANN401 - click's, as `request` takes them
) -> int:
    """Measure variants of TOPIC against each other at each value of a parameter, or at each pair of values of two.

    Each point is a run of its own, all variants interleaved; points are measured in random order, so that drift of the
    machine does not look like a slope. Every value is checked before anything is measured. Points are kept as they
    finish: after Ctrl-C, --resume goes on. Charts are written to results/charts.
    """
    from perflab.measure.sweep import collect, plan_again, plan_sweep
    from perflab.store.kept import find_sweep

    old = resume or show
    if old is not None:
        _check_alone(topic, over, options, resume, show)
        sweep = find_sweep(old, lab.results)
        if resume is not None:
            sweep = _measure(output, lab, lambda: plan_again(lab, sweep, output), on)
        elif on is not None:
            raise UsageError("--show measures nothing", "leave --on out")
    else:
        if topic is None:
            raise UsageError("sweep what?", "./lab sweep TOPIC --over NAME=VALUES, or --resume or --show with a sweep")
        asked = request(lab, topic, metric=metric, **options)
        if on is not None and asked.plugin is not None:
            raise UsageError("a plug-in is on this machine only", "sweep it without --on, or put it into the component")
        sweep = _measure(output, lab, lambda: plan_sweep(asked, over, output), on)
    result = collect(sweep, metric)
    show_sweep(output, lab, result, as_png=as_png)
    return 4 if result.broken else 0


def _check_alone(
    topic: str | None, over: tuple[str, ...], options: dict[str, Any], resume: str | None, show: str | None
) -> None:
    """Refuse options that a resumed sweep would ignore."""
    if resume is not None and show is not None:
        raise UsageError("--resume shows the sweep when it is complete", "leave --show out")
    given = [name for name in _FIXED if options.get(name)]
    source = click.get_current_context().get_parameter_source("seed")
    if source is not None and source is not click.core.ParameterSource.DEFAULT:
        given.append("seed")
    if topic is not None or over or given:
        what = "--resume" if resume is not None else "--show"
        raise UsageError(
            f"{what} takes everything from the sweep that it names", f"only: ./lab sweep {what} {resume or show}"
        )


_S_PER_MINUTE = 60


@click.command(
    "search",
    epilog="Example: ./lab search mailbox --scenario burst --variant lab --over producers=1..16 --trials 20 --quick",
)
@topic_argument
@click.option("--variant", "-v", "variants", multiple=True, required=True, help="The variant to tune.")
@click.option(
    "--over",
    multiple=True,
    required=True,
    metavar="NAME=LOW..HIGH|a,b,c",
    help="A parameter to search, between bounds or among values; repeatable.",
)
@click.option("--trials", type=click.IntRange(1, 1000), help="Try at most this many settings.")
@click.option(
    "--minutes", type=click.FloatRange(0.1, 1440), help="Search for at most this long, including the confirmation."
)
@measuring
@click.pass_obj
@with_output
def search_command(
    output: Output,
    lab: Lab,
    topic: str,
    over: tuple[str, ...],
    trials: int | None,
    minutes: float | None,
    **options: object,
) -> int:
    """Search for the setting at which a variant of TOPIC is best, with Optuna.

    Each trial is a run in which the setting and the default one take turns. The best three are then measured again
    with fresh processes and twice the rounds, and only those figures are reported: the best of many noisy trials looks
    better than it is. Ctrl-C keeps what was found. The default setting is what --param and the scenario say.
    """
    from perflab.measure.search import Budget, search

    if trials is None and minutes is None:
        raise UsageError("a search needs a budget", "--trials N, --minutes M, or both")
    budget = Budget(trials, None if minutes is None else minutes * _S_PER_MINUTE)
    found = search(request(lab, topic, **options), over, budget, output)  # type: ignore[arg-type]
    if found.trials or found.ended != "interrupted":
        _show_search(output, found)
    if found.ended == "interrupted":
        raise KeyboardInterrupt
    return 0 if any(trial.factor is not None for trial in found.trials) else 4


def _show_search(output: Output, found: SearchResult) -> None:
    from perflab.charts.estimates import search_chart
    from perflab.stats.comparison import Comparison

    chart = search_chart(found)
    if chart is not None:
        output.show(chart)
    for note in found.notes:
        output.say(f"note: {note}")
    best = found.best
    if best is not None:
        output.say(
            f"best: {best['candidate']}, {Comparison.from_dict(best).figures} over the default, "
            f"from the confirming run {best['run']} alone"
        )
    elif found.confirmed is not None:
        output.say(f"no setting is surely better than the default (confirming run {found.confirmed.run})")
    tried = f"{len(found.trials)} settings tried in {found.seconds:.0f} s"
    output.say(f"search {found.search}: {tried}, ended by: {found.ended}; on {found.machine.get('title', 'no run')}")
    output.result(found.to_dict())
