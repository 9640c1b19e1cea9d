"""`lab measure` and `lab noise`: variants against each other, against an earlier version, against themselves."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click

from perflab.cli.compare import GateFiles, gate_options, judge, save_run
from perflab.cli.options import measuring, metric_option, plugin_option, request, topic_argument, variants_option
from perflab.cli.output import Output, with_output
from perflab.cli.showing import show_analysis, show_figures
from perflab.model.errors import UsageError

if TYPE_CHECKING:
    from perflab.measure.plan import Request
    from perflab.model.lab import Lab


@click.command("noise", epilog="Example: ./lab noise mailbox --scenario burst --variant linked --quick")
@topic_argument
@click.option("--variant", "-v", help="The variant [default: the first that supports the scenario].")
@measuring
@click.pass_obj
@with_output
def noise_command(output: Output, lab: Lab, topic: str, variant: str | None, **options: object) -> None:
    """Measure a variant of TOPIC against itself, to find the noise of this machine.

    The run is kept, and charts of the scenario show the noise band.
    """
    from perflab.measure.analysis import analyse, band_of
    from perflab.measure.measure import measure_noise

    run = measure_noise(request(lab, topic, variants=[variant] if variant else [], **options), output)  # type: ignore[arg-type]
    band = band_of(run, run.header.scenario.headline.of)
    if band is not None:
        output.say(
            f"Noise band: {run.header.arms[0].variant} against itself is {band.ratio} "
            f"({band.coverage:.0%} of experiments of {band.rounds} rounds); "
            f"false alarms: {band.false_alarms:.1%}."
        )
    show_analysis(output, lab, analyse(run))


@click.command(
    "measure", epilog="Example: ./lab measure mailbox --scenario burst --variant resizable --variant linked --quick"
)
@topic_argument
@variants_option
@click.option(
    "--baseline",
    metavar="VARIANT|NAME",
    help="Compare the others with this variant [default: the first with the role `before`]. Or the name of a saved "
    "baseline: measure its variants again; the exit status is 1 if a metric regressed beyond its threshold.",
)
@click.option(
    "--over",
    multiple=True,
    metavar="NAME=VALUES",
    help="Let each variant take turns with itself at these values of a parameter, as in size=1,1000: drift cancels, as "
    "it does not between the runs of ./lab sweep.",
)
@click.option(
    "--at",
    "revision",
    metavar="REV",
    help="Also build this git revision, and compare the working tree, with its uncommitted changes, to it in the "
    "same rounds; the exit status is 1 if a metric regressed beyond its threshold.",
)
@click.option("--save-baseline", metavar="NAME", help="Save the run under this name, in place of what it holds.")
@metric_option
@gate_options
@plugin_option
@measuring
@click.pass_obj
@with_output
def measure_command(
    output: Output,
    lab: Lab,
    topic: str,
    revision: str | None,
    metric: str | None,
    save_baseline: str | None,
    markdown: str | None,
    junit: str | None,
    **options: Any,  # noqa: ANN401 - click's, as `request` takes them
) -> int:
    """Measure variants of TOPIC against each other, in fresh processes, interleaved in random order.

    With the name of a saved baseline, compare its variants with the saved build, in every scenario saved under that
    name. With --at, compare them with a git revision, which is built in a work tree of its own (./lab revisions).
    """
    from perflab.measure.analysis import analyse
    from perflab.measure.measure import measure
    from perflab.measure.versions import check_baseline_name, compare_versions, find_saved, find_version
    from perflab.profile.callgrind import COUNTS, INSTRUCTIONS

    files = GateFiles(markdown, junit)
    files.check(output)
    if revision is not None and options["baseline"] is not None:
        raise UsageError("--at compares each variant with itself at that revision", "leave --baseline out")
    wanted = request(lab, topic, metric=metric, **options)
    before = find_saved(wanted, output) if revision is None else find_version(lab, f"rev:{revision}")
    if (before or save_baseline is not None) and options["over"]:
        raise UsageError("a baseline has one value of each parameter", "--param in place of --over")
    if before and metric not in {None, INSTRUCTIONS}:
        raise UsageError("an earlier version is judged by all metrics, or by instructions", "leave --metric out")
    if save_baseline is not None and metric in COUNTS:
        raise UsageError("a baseline has times", "save it without --metric: its build is kept, and can be counted")
    if before and options["plugin"] is not None:
        raise UsageError("a plug-in is no part of an earlier version", "leave --plugin out")
    if save_baseline is not None:
        check_baseline_name(wanted.component, save_baseline, output)
    if before:
        compared = compare_versions(wanted, before, output)
        return judge(output, compared, wanted.component, files, save_as=save_baseline)
    if files:
        raise UsageError(
            "--markdown and --junit write verdicts, and there is nothing to judge by",
            "--at REV, or --baseline with a saved baseline",
        )
    if save_baseline is not None:
        return _save(output, wanted, save_baseline)
    analysis = analyse(measure(wanted, output), metric)
    show_analysis(output, lab, analysis)
    return 4 if analysis.broken else 0


def _save(output: Output, wanted: Request, name: str) -> int:
    """Measure the scenarios that the manifest has thresholds for, or the one asked for, and save each under a name."""
    from perflab.measure.analysis import analyse
    from perflab.measure.measure import measure
    from perflab.measure.versions import scenarios_to_judge

    analyses = []
    for scenario in scenarios_to_judge(wanted):
        run = measure(dataclasses.replace(wanted, scenario=scenario), output)
        analyses.append(analyse(run, wanted.metric))
        show_figures(output, wanted.component.lab, analyses[-1])
        save_run(output, wanted.component, name, run)
    output.result({"saved_as": name, "runs": [one.to_dict() for one in analyses]})
    return 4 if any(one.broken for one in analyses) else 0
