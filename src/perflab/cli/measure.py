"""`lab measure`: variants against each other."""

from __future__ import annotations

import click

from perflab.cli.options import measuring, plugin_option, request, topic_argument
from perflab.cli.output import Output, with_output


@click.command(
    "measure", epilog="Example: ./lab measure mailbox --scenario burst --variant resizable --variant linked --quick"
)
@topic_argument
@click.option("--variant", "-v", "variants", multiple=True, help="A variant; repeat it. All that can without it.")
@click.option("--baseline", help="The variant that the others are compared with; the first `before` without it.")
@click.option("--metric", help="Compare by this metric of the scenario instead of its headline.")
@plugin_option
@measuring
@with_output
def measure_command(output: Output, topic: str, metric: str | None, **options: object) -> int:
    """Measure variants of TOPIC against each other, in fresh processes, interleaved in random order."""
    from perflab.analysis import analyse
    from perflab.cli.showing import show_analysis
    from perflab.runner import measure

    run = measure(request(topic, **options), output)  # type: ignore[arg-type]
    analysis = analyse(run, metric)
    show_analysis(output, analysis)
    return 4 if analysis.failures else 0
