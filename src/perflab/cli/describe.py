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
    from perflab.components import describe, find_component, own_runtime, runtime_state
    from perflab.runner import prepare

    prepare(topic, output)
    component = find_component(topic)
    description = describe(component, plugin)
    names = [variant.name for variant in description.variants]
    own = {name: runtime_state(table) for name in names if (table := own_runtime(component, name))}
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
    for name, state in own.items():
        needs = f"{name} has a runtime of its own: {', '.join(state.requires)}"
        output.say(f"{needs}, which is here" if state.ready else f"{needs}, which is not here yet: {state.fix}")
    described = msgspec.to_builtins(description)
    for variant in described["variants"]:
        if variant["name"] in own:
            variant["runtime"] = msgspec.to_builtins(own[variant["name"]])
    if (plugin_table := component.manifest.plugin) is not None:
        # For labkits that compile a reader's own variant.
        classpath = [str((component.folder / entry).resolve()) for entry in plugin_table.classpath]
        described["plugin"] = {"interface": plugin_table.interface, "classpath": classpath}
    output.result(described)


def _parameter(parameter: Parameter) -> str:
    allowed = parameter.allowed
    inner = f" ({allowed})" if allowed else ""
    return f"{parameter.name}={parameter.default}{inner}: {parameter.help}"
