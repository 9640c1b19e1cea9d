"""`lab topics`, `describe`, `build`, `compile` and `check`: topics, and variants of your own."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perflab.cli.options import plugin_option, topic_argument, topics_argument
from perflab.cli.output import Output, show_table, with_output
from perflab.model.errors import UsageError, one_line

if TYPE_CHECKING:
    from perflab.model.lab import Lab
    from perflab.model.protocol import Parameter
    from perflab.topics.catalogue import Component
    from perflab.topics.testing import ContractCheck


def topic_lines(lab: Lab) -> str:
    """Return the topics as plain lines."""
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


@click.command("build", epilog="Example: ./lab build mailbox --force")
@topics_argument
@click.option("--force", is_flag=True, help="Build even if the sources are unchanged.")
@click.option("--module", is_flag=True, help="Build the Python extension modules instead.")
@click.pass_obj
@with_output
def build_command(output: Output, lab: Lab, topics: tuple[str, ...], force: bool, module: bool) -> None:
    """Build TOPICS, or all topics, each with the build tool of its language."""
    from perflab.host.lock import measurement_lock
    from perflab.topics.catalogue import find_component, find_components

    chosen = [find_component(lab, name) for name in topics] or find_components(lab)
    # A build would disturb a measurement.
    with measurement_lock(lab.lock, wait=lambda text: output.update(0.0, text)):
        if module:
            output.result(_build_modules(output, [one for one in chosen if topics or one.manifest.module]))
        else:
            output.result(_build(output, chosen, force=force))


def _build(output: Output, chosen: list[Component], *, force: bool) -> list[dict[str, object]]:
    from perflab.topics.build import build

    rows: list[dict[str, object]] = []
    for number, component in enumerate(chosen):
        output.update(number / len(chosen), f"building {component.name}")
        begun = time.monotonic()
        built = build(component, force=force)
        rows.append({"topic": component.name, "built": built, "seconds": round(time.monotonic() - begun, 1)})
        output.say(f"{component.name}: " + (f"built in {rows[-1]['seconds']} s" if built else "up to date"))
    return rows


def _build_modules(output: Output, components: list[Component]) -> list[dict[str, str]]:
    from perflab.topics.build import build_module

    rows = []
    for number, component in enumerate(components):
        output.update(number / len(components), f"building the module of {component.name}")
        folder = build_module(component)
        name = component.manifest.module.name if component.manifest.module else ""
        rows.append({"topic": component.name, "module": name, "folder": str(folder)})
        output.print(f"{component.name}: {name} in {folder}")
    return rows


@click.command("compile", epilog="Example: ./lab compile sequencer my_buffers.cpp --type MyBuffers")
@topic_argument
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--type", "type_name", required=True, metavar="NAME", help="The type in SOURCE that implements the variant."
)
@click.option("--title", hidden=True, help="What messages call SOURCE: a cell, in notebooks.")
@click.option("--first-line", type=click.IntRange(1), default=1, hidden=True, help="The number of its first line.")
@click.pass_obj
@with_output
def compile_command(
    output: Output, lab: Lab, topic: str, source: Path, type_name: str, title: str | None, first_line: int
) -> None:
    """Compile SOURCE, a variant of TOPIC, into a plug-in for `check` and `measure`.

    In Kotlin, C# and Rust notebooks, the labkit does this.
    """
    from perflab.measure.plan import prepare
    from perflab.topics.catalogue import find_component
    from perflab.topics.compiling import ReadersSource, compile_plugin

    component = find_component(lab, topic)
    prepare(component, output)
    output.update(0.5, f"compiling {type_name}")
    try:
        text = source.read_bytes().decode()
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {source}: {one_line(error)}", "name a source in UTF-8") from None
    readers = ReadersSource(text, type_name, title or str(source), first_line)
    compiled = compile_plugin(component, readers)
    for warning in compiled.warnings:
        output.note(warning.strip())
    output.print(f"{readers.variant}: {compiled.path}")
    output.result({"variant": readers.variant, "plugin": str(compiled.path), "warnings": compiled.warnings})


@click.command("check", epilog="Example: ./lab check mailbox --plugin my-mailbox.jar")
@topic_argument
@click.option(
    "--plugin", type=click.Path(exists=True, path_type=Path), help="Validate a plug-in with a variant of your own."
)
@click.option("--variant", "-v", help="Validate this variant of the topic.")
@click.pass_obj
@with_output
def check_command(output: Output, lab: Lab, topic: str, plugin: Path | None, variant: str | None) -> int:
    """Run TOPIC's contract tests on a variant.

    The exit status is 4 if a check fails unexpectedly.
    """
    import msgspec

    from perflab.measure.plan import prepare
    from perflab.topics.catalogue import find_component
    from perflab.topics.testing import check_plugin, check_variant

    if (plugin is None) == (variant is None):
        raise UsageError("check needs exactly one of --plugin and --variant", "--plugin PATH, or --variant NAME")
    component = find_component(lab, topic)
    prepare(component, output)
    output.update(0.5, f"checking {plugin.name if plugin else variant} against the contract of {topic}")
    checks = check_plugin(component, plugin) if plugin else check_variant(component, variant or "")
    show_table(
        output,
        ["variant", "check", "outcome", "why"],
        [[one.variant, one.name, _outcome(one), one.message] for one in checks],
        styles={"passed": "green", "known to fail": "yellow", "failed": "bold red"},
    )
    fine = all(check.passed or check.known for check in checks)
    output.result({"passed": fine, "checks": [msgspec.to_builtins(check) for check in checks]})
    return 0 if fine else 4


def _outcome(check: ContractCheck) -> str:
    if check.passed:
        return "passed"
    return "known to fail" if check.known else "failed"
