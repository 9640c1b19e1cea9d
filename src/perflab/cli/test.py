"""`lab test`: the lab's own tests, all languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from perflab.cli.output import Output, exit_status
from perflab.errors import ShortfallError

if TYPE_CHECKING:
    from perflab.selftest import Result, Step


@click.command("test", epilog="Example: ./lab test --only lint --only python")
@click.option("--only", multiple=True, metavar="STEP", help="Only this step; repeat it. Without it, all.")
@click.option("--stress", is_flag=True, help="The long stress tests too.")
@click.option("--list", "listed", is_flag=True, help="List the steps and end.")
def test_command(only: tuple[str, ...], stress: bool, listed: bool) -> None:
    """Run the lab's own tests: formatters and linters, Python, each topic's own, notebooks and the browser.

    All of them run two at a time, and what each prints is shown when it is over; with --only it is shown as it comes.
    """
    from perflab.errors import unknown
    from perflab.selftest import accept_interrupts, preparation, run_steps, steps

    output = Output("human")
    with exit_status(output):
        known = {step.name: step for step in [preparation(), *steps(stress=stress)]}
        for name in only:
            if name not in known:
                raise unknown("test step", name, known)
        if listed:
            for step in [known[name] for name in only] or known.values():
                click.echo(f"{step.name:<16} {step.about}")
            return
        accept_interrupts()
        if only:
            results = [_run(known[name]) for name in only]
        else:
            first, *others = known.values()
            results = [_run(first), *run_steps(others, _Listener())]
        _summarise(output, results)
        broken = [result.name for result in results if not result.ok]
        if broken:
            raise ShortfallError(f"failed: {', '.join(broken)}", f"again: ./lab test --only {broken[0]}")


def _run(step: Step) -> Result:
    from perflab.selftest import run_step

    click.secho(f"== {step.name}: {step.about}", bold=True)
    return run_step(step)


class _Listener:
    """Tells of steps that run beside each other: what one has printed in one piece."""

    def begun(self, step: Step) -> None:
        click.echo(f"begun: {step.name}, {step.about}")

    def ended(self, step: Step, result: Result, printed: str) -> None:
        outcome = "passed" if result.ok else "failed"
        click.secho(f"== {step.name}: {step.about}: {outcome} in {result.seconds:.0f} s", bold=True)
        click.echo(printed.rstrip())


def _summarise(output: Output, results: list[Result]) -> None:
    from rich.table import Table

    table = Table("step", "outcome", "passed", "failed", "skipped", "seconds")
    for result in results:
        outcome = "[green]passed[/]" if result.ok else "[bold red]failed[/]"
        counts = (str(result.passed), str(result.failed), str(result.skipped), f"{result.seconds:.0f}")
        table.add_row(result.name, outcome, *counts)
    output.print(table)
    for result in results:
        for reason in result.skips:
            click.echo(f"skipped in {result.name}: {reason}")
        for again in result.second_tries:
            click.secho(f"tried twice in {result.name}: {again}", fg="yellow")
        for failure in result.failures:
            click.secho(f"failed in {result.name}: {failure}", fg="red")
    passed, failed, skipped = (sum(getattr(one, what) for one in results) for what in ("passed", "failed", "skipped"))
    click.echo(f"{passed} passed, {failed} failed, {skipped} skipped")
