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

    The run is kept, and the band within which such ratios fall is drawn in the charts of the scenario.
    """
    from perflab.analysis import analyse, band_of
    from perflab.cli.showing import show_analysis
    from perflab.runner import measure_noise

    run = measure_noise(request(topic, variants=[variant] if variant else [], **options), output)  # type: ignore[arg-type]
    band = band_of(run, run.header.scenario.headline.of)
    if band is not None:
        output.say(
            f"Noise band: {run.header.arms[0].variant} against itself falls between {band.low:.3f}x "
            f"and {band.high:.3f}x ({band.coverage:.0%} of experiments of {band.rounds} rounds); "
            f"false alarms: {band.false_alarms:.1%}."
        )
    show_analysis(output, analyse(run))
