"""`lab reproduce`: the main job."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from perflab.cli.options import topics_argument
from perflab.cli.output import INTERRUPTED_STATUS, Output, with_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.reproduction import Reproduction, TopicPlan

QUICK_MINUTES = 15.0
"""How long the measurements of `reproduce --quick` may take together."""


@click.command(
    "reproduce",
    epilog="""\b
Examples:
  ./lab reproduce --quick              the reports' headline claims, in a quarter of an hour
  ./lab reproduce mailbox --quick      those of one topic
  ./lab reproduce mailbox              all of its claims, more precisely
  ./lab reproduce --resume             go on where the last one was interrupted""",
)
@topics_argument
@click.option("--quick", "preset", flag_value="quick", help="Judge headline claims only, with short measurements.")
@click.option("--rigorous", "preset", flag_value="rigorous", help="Hours: to publish.")
@click.option("--preset", "preset", hidden=True)
@click.option("--all", "everything", is_flag=True, help="With --quick: judge all claims.")
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    help=f"Measure for at most this long in total; builds are not counted.  [default: {QUICK_MINUTES:g} with --quick]",
)
@click.option("--notebook", is_flag=True, help="Then execute the topics' notebooks.")
@click.option("--resume", is_flag=True, help="Go on with the last reproduction, which was interrupted.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, and do nothing.")
@click.option("--reference", is_flag=True, help="For maintainers: keep it as the committed reference run.")
@with_output
def reproduce_command(
    output: Output,
    topics: tuple[str, ...],
    preset: str | None,
    everything: bool,
    minutes: float | None,
    notebook: bool,
    resume: bool,
    dry_run: bool,
    reference: bool,
) -> int:
    """Measure and judge the claims of the reports of TOPICS, or of all, headline claims first.

    Builds what is missing, measures in fresh processes, and gives each verdict as soon as it falls. A topic that cannot
    be built on this machine is left out. Ctrl-C keeps what was judged until then.

    The exit status is 1 if a claim that was expected to hold is refuted, 4 if something failed on the way.
    """
    import os

    from perflab.cli.verdicts import show_page, watch
    from perflab.errors import UsageError
    from perflab.reproduction import (
        Reproduction,
        Settings,
        expected_verdicts,
        keep_as_reference,
        plan_topics,
        reproduce,
    )
    from perflab.runner import PRESET_VARIABLE, usual_preset

    if resume:
        if topics or preset or everything or minutes or notebook:
            raise UsageError("--resume goes on with what was asked for then", "leave the other options out")
        result = Reproduction.resume()
    else:
        name = os.environ.get(PRESET_VARIABLE) or preset or usual_preset()
        headlines = name == "quick" and not everything and not reference
        limit = minutes or (QUICK_MINUTES if headlines else None)
        result = Reproduction.start(Settings(list(topics), name, headlines, limit, notebook or reference))
    planned = plan_topics(result.settings)
    if dry_run:
        _show_plan(output, planned)
        return 0
    result.expected = expected_verdicts(planned)
    try:
        with watch(output, result) as watcher:
            reproduce(result, planned, watcher)
    except KeyboardInterrupt:
        show_page(output, result, interrupted=True)
        return INTERRUPTED_STATUS
    show_page(output, result)
    if reference:
        for path in keep_as_reference(result):
            output.say(f"reference: {path}")
    output.result(result.to_dict())
    return _status(result)


def _status(result: Reproduction) -> int:
    if result.problems:
        return 4
    return int(any(one.short for one in result.verdicts.values()))


def _show_plan(output: Output, planned: Sequence[TopicPlan]) -> None:
    from perflab.cli.tables import show_table

    rows = []
    for one in planned:
        state = "built" if one.built else str(one.missing) if one.missing else "to be built first"
        claims, runs, others = (
            (
                sum(map(len, found))
                for found in zip(
                    *((plan.needs, plan.measurements, [*plan.profiles, *plan.tests]) for plan in one.plans), strict=True
                )
            )
            if one.plans
            else (0, 0, 0)
        )
        rows.append([one.component.name, str(claims), str(runs), str(others), state])
    show_table(output, ["topic", "claims", "runs", "profiles and tests", "state"], rows, title="In this order")
    output.result(
        [
            {
                "topic": one.component.name,
                "claims": [name for plan in one.plans for name in plan.needs],
                "built": one.built,
                "missing": str(one.missing or ""),
            }
            for one in planned
        ]
    )
