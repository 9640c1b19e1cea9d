"""`lab topics` and `lab describe`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from perflab.cli.options import plugin_option, topic_argument
from perflab.cli.output import Output, with_output

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.model.lab import Lab
    from perflab.model.protocol import Parameter


def topic_lines(lab: Lab) -> str:
    """The topics as plain lines."""
    from perflab.topics.catalogue import find_components

    components = find_components(lab)
    width = max((len(one.name) for one in components), default=0)
    lines = [f"  {one.name:<{width}}  {one.manifest.title}: {one.manifest.bottleneck}" for one in components]
    return "Topics:\n" + "\n".join(lines or ["  none yet"])


@click.command("topics", epilog="Example: ./lab topics --json")
@click.pass_obj
@with_output
def topics_command(output: Output, lab: Lab) -> None:
    """List the topics: what each is about, its language, notebook and report."""
    from perflab.cli.output import show_table
    from perflab.topics.catalogue import find_components

    fields = ("name", "title", "bottleneck", "language", "kernel", "notebook", "report")
    rows = [{name: getattr(one.manifest, name) for name in fields} for one in find_components(lab)]
    show_table(output, ["topic", *fields[1:]], [list(row.values()) for row in rows])
    output.result(rows)


@click.command("describe", epilog="Example: ./lab describe mailbox")
@topic_argument
@plugin_option
@click.pass_obj
@with_output
def describe_command(output: Output, lab: Lab, topic: str, plugin: Path | None) -> None:
    """Show the scenarios, parameters and variants of TOPIC, as its bench program describes them."""
    import msgspec

    from perflab.cli.output import show_table
    from perflab.measure.plan import described as described_by
    from perflab.topics.catalogue import find_component
    from perflab.topics.program import own_runtime, runtime_state

    component = find_component(lab, topic)
    description = described_by(component, output, plugin)
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
    return f"{parameter.name}={parameter.default}{inner}" + (f": {parameter.help}" if parameter.help else "")
