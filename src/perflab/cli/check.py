"""`lab check`: variants against the contract."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from perflab.cli.options import topic_argument
from perflab.cli.output import Output, with_output

if TYPE_CHECKING:
    from perflab.components import ContractCheck


@click.command("check", epilog="Example: ./lab check mailbox --plugin my-mailbox.jar")
@topic_argument
@click.option("--plugin", type=click.Path(exists=True, path_type=Path), help="A variant of your own to validate.")
@click.option("--variant", "-v", help="One of the topic's variants to validate instead.")
@with_output
def check_command(output: Output, topic: str, plugin: Path | None, variant: str | None) -> int:
    """Validate a variant against TOPIC's contract suite.

    The status is 4 if a check fails that is not known to fail.
    """
    import msgspec

    from perflab.cli.tables import show_table
    from perflab.components import check_plugin, check_variant, find_component
    from perflab.errors import UsageError
    from perflab.runner import prepare

    if (plugin is None) == (variant is None):
        raise UsageError("what is to be checked?", "--plugin PATH, or --variant NAME")
    prepare(topic, output)
    component = find_component(topic)
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
