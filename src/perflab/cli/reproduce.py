"""`lab reproduce`: the main job."""

from __future__ import annotations

import click

from perflab.cli.options import topics_argument
from perflab.cli.output import Output, with_output


@click.command("reproduce", epilog="Example: ./lab reproduce --quick")
@topics_argument
@click.option("--quick", "preset", flag_value="quick", help="10 to 40 minutes a topic: see which way it goes.")
@click.option("--rigorous", "preset", flag_value="rigorous", help="Hours: to publish.")
@click.option("--preset", "preset", hidden=True)
@click.option("--notebook/--no-notebook", default=True, help="Execute the topics' notebooks as well.")
@click.option("--reference", is_flag=True, help="For maintainers: keep it as the committed reference run.")
@with_output
def reproduce_command(
    output: Output, topics: tuple[str, ...], preset: str | None, notebook: bool, reference: bool
) -> int:
    """Measure, explain and judge the claims of the reports of TOPICS, or of all.

    Builds what it misses, measures in fresh processes, executes the notebooks, and ends with the verdict on each claim.
    The status is 1 if a claim that was expected to hold is refuted, 4 if something failed on the way.
    """
    import os

    from perflab.cli.showing import show_standings, show_verdicts
    from perflab.components import find_components
    from perflab.reproduction import keep_as_reference, reproduce
    from perflab.runner import PRESET_VARIABLE, usual_preset

    chosen = list(topics) or [component.name for component in find_components()]
    result = reproduce(chosen, os.environ.get(PRESET_VARIABLE) or preset or usual_preset(), output, notebook=notebook)
    for table in result.tables:
        show_standings(output, table)
    for ledger in result.ledgers:
        show_verdicts(output, ledger.title, result.verdicts[ledger.report])
    for problem in result.problems:
        output.say(f"failed: {problem}")
    for what, paths in (("charts", result.charts), ("notebook", result.notebooks)):
        output.print(*(f"{what}: {path}" for path in paths))
    if reference:
        for path in keep_as_reference(result):
            output.say(f"reference: {path}")
    verdicts = [(report, one) for report, found in result.verdicts.items() for one in found]
    output.result(
        {
            "claims": [{"report": report, **one.to_dict()} for report, one in verdicts],
            "tables": [table.to_dict() for table in result.tables],
            "folder": str(result.folder),
            "charts": [str(path) for path in result.charts],
            "notebooks": [str(path) for path in result.notebooks],
            "problems": [str(problem) for problem in result.problems],
        }
    )
    if result.problems:
        return 4
    return int(any(one.short for _, one in verdicts))
