"""`lab measure`: variants against each other, against a saved baseline, or against another revision."""

from __future__ import annotations

from typing import Any

import click

from perflab.cli.gating import GateFiles, gate_options
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
@click.option(
    "--at",
    "revision",
    metavar="REV",
    help="Build this git revision, too, and measure each variant against what it was there, in the same rounds; the "
    "status is 1 if anything got worse by more than it may. What is not committed counts as present.",
)
@click.option("--save-baseline", metavar="NAME", help="Keep what was measured under this name.")
@click.option("--overwrite", is_flag=True, help="With --save-baseline: even if the name holds the same already.")
@click.option("--saved-forks", is_flag=True, help="With a saved baseline: do not run its build again beside this one.")
@click.option("--metric", help="Compare by this metric of the scenario instead of its headline.")
@gate_options
@plugin_option
@measuring
@with_output
def measure_command(
    output: Output,
    topic: str,
    revision: str | None,
    metric: str | None,
    save_baseline: str | None,
    overwrite: bool,
    saved_forks: bool,
    markdown: str | None,
    junit: str | None,
    **options: Any,  # noqa: ANN401 - click's, as `request` takes them
) -> int:
    """Measure variants of TOPIC against each other, in fresh processes, interleaved in random order.

    With the name of a saved baseline, measure its variants against what they were when it was saved. A baseline holds
    as many scenarios as were saved under its name. With --at, measure them against what they were at a commit, which is
    built in a work tree of its own (./lab revisions).
    """
    from perflab.analysis import analyse
    from perflab.cli import baselines
    from perflab.cli.beside import beside
    from perflab.cli.showing import show_analysis
    from perflab.revisions import find_commit
    from perflab.runner import measure

    files = GateFiles(markdown, junit)
    files.check(output)
    if overwrite and save_baseline is None:
        raise UsageError("--overwrite says what --save-baseline may do", "add --save-baseline NAME")
    if revision is not None:
        _check_at(options, metric=metric, save_baseline=save_baseline, saved_forks=saved_forks)
        return beside(output, request(topic, **options), find_commit(revision), files)
    records = baselines.find(output, topic, options["baseline"], options["scenario"], options["params"])
    if records is not None:
        if metric is not None:
            raise UsageError("a saved baseline is judged by all its metrics", "leave --metric out")
        options["baseline"] = None
        return baselines.repeat(
            output,
            request(topic, **options),
            records,
            files=files,
            alone=saved_forks,
            save_as=save_baseline,
            overwrite=overwrite,
        )
    if saved_forks:
        raise UsageError("--saved-forks needs a saved baseline", "--baseline NAME")
    if files:
        raise UsageError(
            "--markdown and --junit write verdicts, and there is nothing to judge by",
            "--at REV, or --baseline with a saved baseline",
        )
    if save_baseline is not None:
        return baselines.save(output, request(topic, **options), save_baseline, overwrite=overwrite)
    analysis = analyse(measure(request(topic, metric=metric, **options), output), metric)
    show_analysis(output, analysis)
    return 4 if analysis.broken else 0


def _check_at(options: dict[str, Any], *, metric: str | None, save_baseline: str | None, saved_forks: bool) -> None:
    """Refuse what has no meaning beside a revision."""
    if options["baseline"] is not None:
        raise UsageError("--at compares each variant with itself at that revision", "leave --baseline out")
    if metric is not None:
        raise UsageError("a revision is judged by all its metrics", "leave --metric out")
    if save_baseline is not None or saved_forks:
        raise UsageError("--at needs no saved baseline, and saves none", "leave --save-baseline and --saved-forks out")
    if options["plugin"] is not None:
        raise UsageError("a plug-in is no part of a revision", "leave --plugin out")
