"""`lab doctor`: what is here and what is missing."""

from __future__ import annotations

import click

from perflab.cli.output import Output, with_output


@click.command("doctor", epilog="Example: ./lab doctor --json")
@with_output
def doctor_command(output: Output) -> int:
    """Show every toolchain, kernel and profiler: found or not, its version, and what would fix it.

    The status is 3 if something is missing without which a topic does not work.
    """
    import msgspec

    from perflab.cli.tables import show_table
    from perflab.doctor import examine

    checks = examine()
    show_table(
        output,
        ["area", "what", "state", "version", "needed for", "fix"],
        [[one.area, one.name, one.state, one.version, one.needed_for, one.fix] for one in checks],
        styles={"found": "green", "missing": "bold red", "optional": "yellow"},
    )
    output.result([msgspec.to_builtins(check) for check in checks])
    return 3 if any(check.state == "missing" for check in checks) else 0
