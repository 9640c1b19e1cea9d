"""`lab check`: a variant of your own against the contract."""

from __future__ import annotations

from pathlib import Path

import click

from perflab.cli.options import topic_argument
from perflab.cli.output import Output, with_output


@click.command("check", epilog="Example: ./lab check mailbox --plugin my-mailbox.jar")
@topic_argument
@click.option("--plugin", type=click.Path(exists=True, path_type=Path), required=True, help="The plug-in to validate.")
@with_output
def check_command(output: Output, topic: str, plugin: Path) -> int:
    """Validate a variant of your own against TOPIC's contract suite; the status is 4 if a check fails."""
    import msgspec

    from perflab.cli.tables import show_table
    from perflab.components import check_plugin, find_component
    from perflab.runner import prepare

    prepare(topic, output)
    output.update(0.5, f"checking {plugin.name} against the contract of {topic}")
    checks = check_plugin(find_component(topic), plugin)
    show_table(
        output,
        ["variant", "check", "outcome", "why"],
        [[one.variant, one.name, "passed" if one.passed else "failed", one.message] for one in checks],
        styles={"passed": "green", "failed": "bold red"},
    )
    passed = all(check.passed for check in checks)
    output.result({"passed": passed, "checks": [msgspec.to_builtins(check) for check in checks]})
    return 0 if passed else 4
