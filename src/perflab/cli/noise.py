"""`lab noise`: a variant against itself."""

from __future__ import annotations

import click

from perflab.cli.options import measuring, request, topic_argument
from perflab.cli.output import Output, with_output


@click.command("noise", epilog="Example: ./lab noise mailbox --scenario burst --variant linked --quick")
@topic_argument
@click.option("--variant", "-v", help="The variant; the first one that can without it.")
@measuring
@with_output
def noise_command(output: Output, topic: str, variant: str | None, **options: object) -> None:
    """Measure a variant of TOPIC against itself: whatever differs is this machine.

    The band within which such ratios fall is kept and drawn in the charts of the scenario.
    """
    from perflab.analysis import analyse, save_noise
    from perflab.cli.showing import show_analysis
    from perflab.runner import measure_noise
    from perflab.statistics import noise_band

    run = measure_noise(request(topic, variants=[variant] if variant else [], **options), output)  # type: ignore[arg-type]
    analysis = analyse(run)
    first, second = (analysis.values[label].to_numpy() for label in (arm.label for arm in run.header.arms))
    band = noise_band(first / second)
    save_noise(run.header, band)
    show_analysis(output, analysis, more={"noise": band.to_dict()})
    output.say(
        f"Noise band: {run.header.arms[0].variant} against itself falls between {band.low:.3f}x and {band.high:.3f}x "
        f"({band.coverage:.0%} of experiments of {band.rounds} rounds, from {band.pairs} pairs); "
        f"false alarms: {band.false_alarms:.1%}."
    )
