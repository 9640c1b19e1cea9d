"""`lab describe`: a topic's scenarios, parameters and variants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from perflab.cli.options import plugin_option, topic_argument
from perflab.cli.output import Output, with_output

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.protocol import Parameter


@click.command("describe", epilog="Example: ./lab describe mailbox")
@topic_argument
@plugin_option
@with_output
def describe_command(output: Output, topic: str, plugin: Path | None) -> None:
    """Show the scenarios, parameters and variants of TOPIC, as its bench program describes them."""
    import msgspec

    from perflab.cli.tables import show_table
    from perflab.components import describe, find_component
    from perflab.runner import prepare

    prepare(topic, output)
    description = describe(find_component(topic), plugin)
    show_table(
        output,
        ["scenario", "one operation is", "unit", "better", "parameters"],
        [
            [one.name, one.operation, one.unit, one.better, "\n".join(map(_parameter, one.parameters))]
            for one in description.scenarios
        ],
        title=f"Scenarios of {topic}",
    )
    show_table(
        output,
        ["variant", "role", "what it is", "scenarios"],
        [[one.name, one.role, one.description, " ".join(one.scenarios)] for one in description.variants],
        title="Variants",
    )
    runtime = description.runtime
    output.say(f"Runs on {runtime.name} {runtime.version} {' '.join(runtime.flags)}")
    output.result(msgspec.to_builtins(description))


def _parameter(parameter: Parameter) -> str:
    allowed = ", ".join(parameter.choices or [])
    if parameter.min is not None or parameter.max is not None:
        allowed = (
            f"{parameter.min or 0:g} to {parameter.max:g}" if parameter.max is not None else f"{parameter.min:g} up"
        )
    inner = f" ({allowed})" if allowed else ""
    return f"{parameter.name}={parameter.default}{inner}: {parameter.help}"
