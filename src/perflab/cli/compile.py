"""`lab compile`: a variant's source becomes a plug-in."""

from __future__ import annotations

from pathlib import Path

import click

from perflab.cli.options import topic_argument
from perflab.cli.output import Output, with_output


@click.command("compile", epilog="Example: ./lab compile sequencer my_buffers.cpp --type MyBuffers")
@topic_argument
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--type", "type_name", required=True, metavar="NAME", help="The type in SOURCE that is the variant.")
@click.option("--title", hidden=True, help="What messages call SOURCE: a cell, in notebooks.")
@click.option("--first-line", type=click.IntRange(1), default=1, hidden=True, help="The number of its first line.")
@with_output
def compile_command(
    output: Output, topic: str, source: Path, type_name: str, title: str | None, first_line: int
) -> None:
    """Compile SOURCE, which holds a variant of TOPIC, into a plug-in for `check` and `measure`.

    Where notebooks have a compiler of their own (Kotlin, C#, Rust), their labkits do that.
    """
    from perflab.components import ReadersSource, compile_plugin, find_component
    from perflab.runner import prepare

    prepare(topic, output)
    output.update(0.5, f"compiling {type_name}")
    text = source.read_text(encoding="utf-8")
    readers = ReadersSource(text, type_name, title or str(source), first_line)
    compiled = compile_plugin(find_component(topic), readers)
    for warning in compiled.warnings:
        output.note(warning.strip())
    output.print(f"{readers.variant}: {compiled.path}")
    output.result({"variant": readers.variant, "plugin": str(compiled.path), "warnings": compiled.warnings})
