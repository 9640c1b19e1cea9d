"""`lab compare`: what a run, or two, say."""

from __future__ import annotations

import click

from perflab.cli.output import Output, with_output
from perflab.errors import UsageError


@click.command("compare", epilog="Example: ./lab compare latest --metric p99 --baseline linked")
@click.argument("runs", nargs=-1, required=True, metavar="RUN [RUN]")
@click.option("--variant", "-v", help="With two runs: which variant to compare across them.")
@click.option("--baseline", help="With one run: the variant that the others are compared with.")
@click.option("--metric", help="A metric of the scenario instead of its headline.")
@with_output
def compare_command(
    output: Output, runs: tuple[str, ...], variant: str | None, baseline: str | None, metric: str | None
) -> int:
    """Compare the variants of one RUN, or one variant across two runs.

    RUN is a run's name, a part of it, or `latest`. With two runs the status is 1 if the second is slower.
    """
    from perflab.analysis import analyse, compare_runs
    from perflab.cli.showing import show_analysis
    from perflab.store import find_run

    match [find_run(name) for name in runs]:
        case [run]:
            show_analysis(output, analyse(run, metric, baseline))
            return 0
        case [before, after]:
            label = variant or before.header.baseline
            analysis = compare_runs(before, after, label, metric)
            show_analysis(output, analysis)
            return int(any(one.verdict == "slower" for one in analysis.comparisons))
        case _:
            raise UsageError("compare takes one run or two", "./lab runs lists them")
