"""`lab topics`: what there is."""

from __future__ import annotations

import click

from perflab.cli.output import Output, with_output


def topic_lines() -> str:
    """The topics as plain lines."""
    from perflab.components import find_components

    components = find_components()
    width = max((len(one.name) for one in components), default=0)
    lines = [f"  {one.name:<{width}}  {one.manifest.title}: {one.manifest.bottleneck}" for one in components]
    return "Topics:\n" + "\n".join(lines or ["  none yet"])


@click.command("topics", epilog="Example: ./lab topics --json")
@with_output
def topics_command(output: Output) -> None:
    """List the topics: what each is about, its language, notebook and report."""
    from perflab.cli.tables import show_table
    from perflab.components import find_components

    fields = ("name", "title", "bottleneck", "language", "kernel", "notebook", "report")
    rows = [{name: getattr(one.manifest, name) for name in fields} for one in find_components()]
    show_table(output, ["topic", *fields[1:]], [list(row.values()) for row in rows])
    output.result(rows)
