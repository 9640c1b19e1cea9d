"""`lab build`: build topics."""

from __future__ import annotations

import time

import click

from perflab.cli.options import topics_argument
from perflab.cli.output import Output, with_output


@click.command("build", epilog="Example: ./lab build mailbox --force")
@topics_argument
@click.option("--force", is_flag=True, help="Build even if the sources have not changed.")
@with_output
def build_command(output: Output, topics: tuple[str, ...], force: bool) -> None:
    """Build TOPICS, or all of them, each with its language's own tool."""
    from perflab.components import build, find_component, find_components

    chosen = [find_component(name) for name in topics] or find_components()
    rows = []
    for number, component in enumerate(chosen):
        output.update(number / len(chosen), f"building {component.name}")
        begun = time.monotonic()
        built = build(component, force=force)
        rows.append({"topic": component.name, "built": built, "seconds": round(time.monotonic() - begun, 1)})
        output.say(f"{component.name}: " + (f"built in {rows[-1]['seconds']} s" if built else "up to date"))
    output.result(rows)
