"""`lab measure`: variants against each other, or against a saved baseline."""

from __future__ import annotations

from typing import Any

import click

from perflab.cli.options import measuring, plugin_option, request, topic_argument
from perflab.cli.output import Output, with_output
from perflab.errors import UsageError


@click.command(
    "measure", epilog="Example: ./lab measure mailbox --scenario burst --variant resizable --variant linked --quick"
)
@topic_argument
@click.option("--variant", "-v", "variants", multiple=True, help="A variant; repeat it. All that can without it.")
@click.option(
    "--baseline",
    metavar="VARIANT|NAME",
    help="The variant that the others are compared with; the first `before` without it. Or the name of a saved "
    "baseline: what it measured is measured again, and the status is 1 if anything got worse by more than it may.",
)
@click.option("--save-baseline", metavar="NAME", help="Keep what was measured under this name.")
@click.option("--overwrite", is_flag=True, help="With --save-baseline: even if the name holds the same already.")
@click.option("--saved-forks", is_flag=True, help="With a saved baseline: do not run its build again beside this one.")
@click.option("--metric", help="Compare by this metric of the scenario instead of its headline.")
@plugin_option
@measuring
@with_output
def measure_command(
    output: Output,
    topic: str,
    metric: str | None,
    save_baseline: str | None,
    overwrite: bool,
    saved_forks: bool,
    **options: Any,  # noqa: ANN401 - click's, as `request` takes them
) -> int:
    """Measure variants of TOPIC against each other, in fresh processes, interleaved in random order.

    With the name of a saved baseline, measure its variants against what they were when it was saved. A baseline holds
    as many scenarios as were saved under its name.
    """
    from perflab.analysis import analyse
    from perflab.cli import baselines
    from perflab.cli.showing import show_analysis
    from perflab.runner import measure

    if overwrite and save_baseline is None:
        raise UsageError("--overwrite says what --save-baseline may do", "add --save-baseline NAME")
    records = baselines.find(output, topic, options["baseline"], options["scenario"], options["params"])
    if records is not None:
        if metric is not None:
            raise UsageError("a saved baseline is judged by all its metrics", "leave --metric out")
        options["baseline"] = None
        return baselines.repeat(
            output, request(topic, **options), records, alone=saved_forks, save_as=save_baseline, overwrite=overwrite
        )
    if saved_forks:
        raise UsageError("--saved-forks needs a saved baseline", "--baseline NAME")
    if save_baseline is not None:
        return baselines.save(output, request(topic, **options), save_baseline, overwrite=overwrite)
    analysis = analyse(measure(request(topic, **options), output), metric)
    show_analysis(output, analysis)
    return 4 if analysis.failures else 0
