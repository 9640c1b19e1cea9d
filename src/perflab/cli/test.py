"""`lab test`: the lab's own tests, all languages."""

from __future__ import annotations

import click

from perflab.cli.output import Output, exit_status
from perflab.errors import ShortfallError


@click.command("test", epilog="Example: ./lab test --only lint --only python")
@click.option("--only", multiple=True, metavar="STEP", help="Only this step; repeat it. Without it, all.")
@click.option("--stress", is_flag=True, help="The long stress tests too.")
@click.option("--list", "listed", is_flag=True, help="List the steps and end.")
def test_command(only: tuple[str, ...], stress: bool, listed: bool) -> None:
    """Run the lab's own tests: formatters and linters, Python, each topic's own, notebooks and the browser."""
    from rich.table import Table

    from perflab.errors import unknown
    from perflab.selftest import accept_interrupts, run_step, steps

    output = Output("human")
    with exit_status(output):
        known = {step.name: step for step in steps(stress=stress)}
        for name in only:
            if name not in known:
                raise unknown("test step", name, known)
        chosen = [known[name] for name in only] or list(known.values())
        if listed:
            for step in chosen:
                click.echo(f"{step.name:<12} {step.about}")
            return
        accept_interrupts()
        results = []
        for step in chosen:
            click.secho(f"== {step.name}: {step.about}", bold=True)
            results.append(run_step(step))
        table = Table("step", "outcome", "passed", "failed", "skipped", "seconds")
        for result in results:
            outcome = "[green]passed[/]" if result.ok else "[bold red]failed[/]"
            counts = (str(result.passed), str(result.failed), str(result.skipped), f"{result.seconds:.0f}")
            table.add_row(result.name, outcome, *counts)
        output.print(table)
        for result in results:
            for reason in result.skips:
                click.echo(f"skipped in {result.name}: {reason}")
        passed, failed, skipped = (
            sum(getattr(one, what) for one in results) for what in ("passed", "failed", "skipped")
        )
        click.echo(f"{passed} passed, {failed} failed, {skipped} skipped")
        broken = [result.name for result in results if not result.ok]
        if broken:
            raise ShortfallError(f"failed: {', '.join(broken)}", f"again: ./lab test --only {broken[0]}")
