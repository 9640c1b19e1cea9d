"""`lab history`: a variant's figures over runs and commits, and where they changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from perflab.cli.options import topic_argument
from perflab.cli.output import Output, with_output

if TYPE_CHECKING:
    from perflab.charts import Chart
    from perflab.history import ChangePoint, Series


@click.command("history", epilog="Example: ./lab history mailbox --scenario burst --variant linked")
@topic_argument
@click.option("--scenario", "-s", help="The scenario; that of the newest run without it.")
@click.option("--variant", "-v", "variants", multiple=True, help="A variant; repeat it. All without it.")
@click.option("--metric", help="A metric of the scenario instead of its headline.")
@click.option("--against", metavar="VARIANT", help="What they are compared with; what most runs did without it.")
@click.option("--absolute", is_flag=True, help="The values themselves, in which every drift of the machine is, too.")
@click.option("--all-machines", is_flag=True, help="Also runs of other machines, each in a series of its own.")
@click.option("--to", "target", type=click.Path(path_type=Path), help="Write the charts into this folder, as pages.")
@with_output
def history_command(
    output: Output,
    topic: str,
    scenario: str | None,
    variants: tuple[str, ...],
    metric: str | None,
    against: str | None,
    absolute: bool,
    all_machines: bool,
    target: Path | None,
) -> None:
    """Show what the runs in the store say of TOPIC over time and commits, and where the level changed.

    A figure is a variant's factor over the baseline of the same run, in which drift of the machine cancels. Runs of
    different machines, parameters or lengths of a fork are never in one series. A change needs three runs on each side,
    and ten in all, before it can be told from chance.
    """
    from perflab.charts import bundle
    from perflab.components import find_component
    from perflab.environment import this_machine
    from perflab.errors import UsageError
    from perflab.gallery import write_html
    from perflab.history import Wanted, collect

    if absolute and against is not None:
        raise UsageError("absolute values are compared with nothing", "leave --against out")
    find_component(topic)
    found = collect(Wanted(topic, scenario, variants, metric, against, absolute))
    here = [one for one in found if all_machines or one.machine.id == this_machine().id]
    if len(here) < len(found):
        output.note(f"{len(found) - len(here)} series of other machines are left out: --all-machines")
    if not here:
        raise UsageError("no run in the store is of this machine", "--all-machines shows those of others")
    for number, series in enumerate(here, start=1):
        chart = _chart(series)
        output.print(chart.text, "")
        output.display(bundle(chart))
        _say(output, series)
        if target is not None:
            path = write_html(chart, target / f"history-{topic}-{series.scenario}-{series.variant}-{number}.html")
            output.say(str(path))
    output.result({"topic": topic, "series": [one.to_dict() for one in here]})


def _say(output: Output, series: Series) -> None:
    for change in series.changes:
        output.say(f"{series.variant} {_direction(change)} {_between(change)}")
        for also in change.also:
            output.say(f"  also different there: {also}")
        if change.commits:
            output.say(f"  git log --oneline {change.commits}")
    if series.missing:
        number = len(series.points)
        runs = f"{number} run{'' if number == 1 else 's'}"
        output.say(f"{series.variant}: {runs}, {series.missing} too few to tell a change from chance")
    elif not series.changes:
        output.say(f"{series.variant}: no change of level in {len(series.points)} runs")


def _direction(change: ChangePoint) -> str:
    from perflab.charts.quantities import factor

    step = change.step
    word = "became better" if (step.estimate or 1) > 1 else "became worse"
    if step.low is None or step.high is None or step.estimate is None:
        return word
    return f"{word}, by a factor of {factor(step.estimate)} [{factor(step.low)}, {factor(step.high)}],"


def _between(change: ChangePoint) -> str:
    if change.commits:
        return f"between {change.before.revision} and {change.after.revision}"
    return f"between the runs {change.before.run} and {change.after.run}, of one commit"


def _chart(series: Series) -> Chart:
    from perflab.charts import Level, Step, Stop, history
    from perflab.charts.quantities import factor

    settings = ", ".join(f"{name}={value}" for name, value in series.settings.items())
    over = f" over {series.baseline}" if series.baseline else ""
    return history(
        [
            Stop(one.revision, one.created[:16].replace("T", " "), one.estimate, one.low, one.high)
            for one in series.points
        ],
        levels=[Level(*level) for level in series.levels],
        steps=[
            Step(one.index, f"{factor(one.step.estimate or 1)} at {one.commits or one.after.revision}")
            for one in series.changes
        ],
        metric=series.metric.name,
        unit=series.metric.unit,
        better=series.metric.better,
        baseline=series.baseline,
        title=f"{series.component} {series.scenario}: {series.metric.name} of {series.variant}{over}, by run",
        notes=[f"{settings}; on {series.machine.title}" if settings else f"on {series.machine.title}"],
    )
