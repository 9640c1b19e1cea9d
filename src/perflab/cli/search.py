"""`lab search`: a variant's best setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from perflab.cli.options import measuring, request, topic_argument
from perflab.cli.output import Output, with_output
from perflab.model.errors import UsageError

if TYPE_CHECKING:
    from perflab.model.lab import Lab
    from perflab.store.kept import SearchResult


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
        _show(output, found)
    if found.ended == "interrupted":
        raise KeyboardInterrupt
    return 0 if any(trial.factor is not None for trial in found.trials) else 4


def _show(output: Output, found: SearchResult) -> None:
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
