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
    from rich.table import Table

    from perflab.components import find_components

    components = find_components()
    table = Table("topic", "title", "bottleneck", "language", "notebook", "report")
    for one in components:
        manifest = one.manifest
        table.add_row(
            manifest.name, manifest.title, manifest.bottleneck, manifest.language, manifest.notebook, manifest.report
        )
    output.print(table)
    fields = ("name", "title", "bottleneck", "language", "kernel", "notebook", "report")
    output.result([{name: getattr(one.manifest, name) for name in fields} for one in components])
