"""`lab sweep`: the same comparison at each point of a grid of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from perflab.cli.options import complete_topic, measuring, plugin_option, request
from perflab.cli.output import Output, with_output
from perflab.errors import UsageError

if TYPE_CHECKING:
    from perflab.store import Sweep

_FIXED = (
    *("scenario", "params", "variants", "baseline", "plugin"),
    *("preset", "rounds", "budget", "precision", "warmup", "sample", "samples", "timeout"),
)


@click.command(
    "sweep",
    epilog="Example: ./lab sweep mailbox -s burst -v resizable -v linked --over messages=1000..64000 --quick",
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
@click.option("--variant", "-v", "variants", multiple=True, help="A variant; repeat it. All that can without it.")
@click.option("--baseline", metavar="VARIANT", help="What the others are compared with; the first `before` without it.")
@click.option("--metric", help="Compare by this metric of the scenario instead of its headline.")
@plugin_option
@measuring
@click.option("--resume", metavar="SWEEP", help="Measure what a sweep still lacks; part of its id, or `latest`.")
@click.option("--show", metavar="SWEEP", help="Show a sweep again, and measure nothing.")
@click.option("--png", "as_png", is_flag=True, help="Also draw the charts as PNG, with this machine's Chromium.")
@with_output
def sweep_command(
    output: Output,
    topic: str | None,
    over: tuple[str, ...],
    metric: str | None,
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
    from perflab.cli.sweeping import show_sweep
    from perflab.store import find_sweep
    from perflab.sweeps import collect

    old = resume or show
    if old is not None:
        _check_alone(topic, over, options, resume, show)
        sweep = find_sweep(old)
        if resume is not None:
            sweep = _go_on(output, sweep)
    else:
        if topic is None:
            raise UsageError("sweep what?", "./lab sweep TOPIC --over NAME=VALUES, or --resume or --show with a sweep")
        sweep = _begin(output, topic, over, options)
    result = collect(sweep, metric)
    show_sweep(output, result, as_png=as_png)
    return 4 if result.broken else 0


def _begin(output: Output, topic: str, over: tuple[str, ...], options: dict[str, Any]) -> Sweep:
    from perflab.runner import measurement_lock
    from perflab.sweeps import plan_sweep

    asked = request(topic, **options)
    with measurement_lock():
        return _measure(output, plan_sweep(asked, over, output))


def _go_on(output: Output, sweep: Sweep) -> Sweep:
    from perflab.runner import measurement_lock
    from perflab.sweeps import plan_again

    with measurement_lock():
        return _measure(output, plan_again(sweep, output))


def _measure(output: Output, plan: Any) -> Sweep:  # noqa: ANN401
    from perflab.cli.sweeping import tell_point
    from perflab.sweeps import measure_here

    sweep: Sweep = plan.sweep
    output.say(f"sweep {sweep.id}: {len(plan.points)} points, at most {plan.experiment.preset.budget_s:g} s each")
    try:
        measure_here(plan, output, lambda point, run: tell_point(output, point, run))
    except KeyboardInterrupt:
        output.note(f"go on with ./lab sweep --resume {sweep.id}")
        raise
    return sweep


def _check_alone(
    topic: str | None, over: tuple[str, ...], options: dict[str, Any], resume: str | None, show: str | None
) -> None:
    """A sweep that was begun has all its settings; what would be ignored is refused."""
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
