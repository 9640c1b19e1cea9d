"""`lab check`: variants against the contract."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perflab.cli.options import topic_argument, topics_argument
from perflab.cli.output import Output, show_table, with_output
from perflab.model.errors import UsageError, one_line

if TYPE_CHECKING:
    from perflab.model.lab import Lab
    from perflab.topics.catalogue import Component
    from perflab.topics.testing import ContractCheck


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
    # A build beside a measurement would be measured, too.
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
