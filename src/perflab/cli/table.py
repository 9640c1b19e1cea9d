"""`lab table`: all variants of a topic in all scenarios of its table."""

from __future__ import annotations

import click

from perflab.cli.options import topic_argument
from perflab.cli.output import Output, with_output


@click.command("table", epilog="Examples: ./lab table queues, and for a program ./lab table queues --json")
@topic_argument
@with_output
def table_command(output: Output, topic: str) -> None:
    """Show all variants of TOPIC by the scenarios of its table: shares of the best, what is void, and the scores.

    It is made of the runs in the store, else of the committed reference runs; `./lab reproduce TOPIC` measures them.
    """
    from perflab.analysis import find_table_runs, standings
    from perflab.cli.showing import show_standings
    from perflab.components import find_component

    component = find_component(topic)
    found = standings(component, find_table_runs(component))
    show_standings(output, found)
    output.result(found.to_dict())
