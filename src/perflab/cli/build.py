"""`lab build`: build topics."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from perflab.cli.options import topics_argument
from perflab.cli.output import Output, with_output

if TYPE_CHECKING:
    from perflab.components import Component


@click.command("build", epilog="Example: ./lab build mailbox --force")
@topics_argument
@click.option("--force", is_flag=True, help="Build even if the sources have not changed.")
@click.option("--module", is_flag=True, help="Build their extension modules for Python instead.")
@with_output
def build_command(output: Output, topics: tuple[str, ...], force: bool, module: bool) -> None:
    """Build TOPICS, or all of them, each with its language's own tool."""
    from perflab.components import find_component, find_components
    from perflab.runner import measurement_lock

    chosen = [find_component(name) for name in topics] or find_components()
    # A build beside a measurement would be measured, too.
    with measurement_lock(wait=lambda text: output.update(0.0, text)):
        if module:
            output.result(_build_modules(output, [one for one in chosen if topics or one.manifest.module]))
        else:
            output.result(_build(output, chosen, force=force))


def _build(output: Output, chosen: list[Component], *, force: bool) -> list[dict[str, object]]:
    from perflab.components import build

    rows: list[dict[str, object]] = []
    for number, component in enumerate(chosen):
        output.update(number / len(chosen), f"building {component.name}")
        begun = time.monotonic()
        built = build(component, force=force)
        rows.append({"topic": component.name, "built": built, "seconds": round(time.monotonic() - begun, 1)})
        output.say(f"{component.name}: " + (f"built in {rows[-1]['seconds']} s" if built else "up to date"))
    return rows


def _build_modules(output: Output, components: list[Component]) -> list[dict[str, str]]:
    from perflab.components import build_module

    rows = []
    for number, component in enumerate(components):
        output.update(number / len(components), f"building the module of {component.name}")
        folder = build_module(component)
        name = component.manifest.module.name if component.manifest.module else ""
        rows.append({"topic": component.name, "module": name, "folder": str(folder)})
        output.print(f"{component.name}: {name} in {folder}")
    return rows
