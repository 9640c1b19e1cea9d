"""`lab test`: the lab's own tests, all languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from perflab.cli.output import Output, exit_status
from perflab.model.errors import ShortfallError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from perflab.cli.step_runner import StepResult
    from perflab.cli.steps import Step
    from perflab.model.lab import Lab


@click.command("test", epilog="Example: ./lab test --only lint --only python")
@click.option("--only", multiple=True, metavar="STEP", help="Run only this step; may be repeated.")
@click.option("--changed", is_flag=True, help="Run only steps with a file that differs from main.")
@click.option("--all", "everything", is_flag=True, help="Run unchanged steps and long tests too.")
@click.option("--strict", is_flag=True, help="Run unchanged steps too; fail if a step cannot run on this machine.")
@click.option("--list", "listed", is_flag=True, help="List the steps and exit.")
@click.pass_obj
def test_command(lab: Lab, only: tuple[str, ...], changed: bool, everything: bool, strict: bool, listed: bool) -> None:
    """Run the lab's own tests: formatters and linters, Python, each topic's own, notebooks and the browser.

    Three steps run at a time. If a step fails, its output is printed when it ends. A step is not run again if it passed
    on this machine and its files and tools are unchanged. A step is left out, with a message, if its toolchain is not
    installed. With --only, the named steps always run and print their output as they go.
    """
    from perflab.cli.step_runner import accept_interrupts, run_steps
    from perflab.cli.steps import preparation, steps
    from perflab.model.errors import unknown

    output = Output("human")
    with exit_status(output):
        first, others = preparation(), steps(lab, everything=everything, strict=strict)
        known = {step.name: step for step in [first, *others]}
        for name in only:
            if name not in known:
                raise unknown("test step", name, known)
        chosen = [known[name] for name in only] or others
        if changed:
            chosen = _changed(lab.root, chosen)
        if listed:
            for step in chosen if only or changed else known.values():
                click.echo(f"{step.name:<16} {step.about}")
            return
        accept_interrupts()
        if only:
            results = [_run(step) for step in chosen]
        else:
            prepared = [_run(first)] if chosen else []
            listener = _Reporter(len(chosen))
            results = prepared + run_steps(chosen, listener, unless_unchanged=not (everything or strict))
        _summarise(output, results)
        broken = [one.name for one in results if one.outcome == "failed" or (strict and one.outcome == "left out")]
        if broken:
            raise ShortfallError(f"failed: {', '.join(broken)}", f"again: ./lab test --only {broken[0]}")


def _changed(root: Path, steps: Sequence[Step]) -> list[Step]:
    from perflab.cli.steps import changed_since_main, is_touched

    base = changed_since_main(root)
    if base is None:
        click.echo("nothing to compare with: there is no git, or no branch main; all steps run")
        return list(steps)
    return [step for step in steps if is_touched(step, base)]


def _run(step: Step) -> StepResult:
    from perflab.cli.step_runner import run_step

    click.secho(f"== {step.name}: {step.about}", bold=True)
    return run_step(step)


class _Reporter:
    """Prints the progress, and the whole output of a step that has failed."""

    def __init__(self, count: int) -> None:
        self._count, self._done = count, 0
        self._running: list[str] = []

    def started(self, step: Step) -> None:
        self._running.append(step.name)
        click.echo(f"running {step.name}: {step.about}")

    def ended(self, step: Step, result: StepResult, printed: str) -> None:
        self._done += 1
        self._running.remove(step.name)
        if result.outcome == "failed":
            click.secho(f"== {step.name}: {step.about}", bold=True)
            click.echo(printed.rstrip())
        counts = f" ({result.passed} passed, {result.failed} failed, {result.skipped} skipped, {result.seconds:.0f} s)"
        said = f": {result.reason}" if result.reason else counts if result.seconds else ""
        now = f"; now {', '.join(self._running)}" if self._running else ""
        click.echo(f"[{self._done}/{self._count}] {step.name} {result.outcome}{said}{now}")


def _summarise(output: Output, results: list[StepResult]) -> None:
    from rich.table import Table
    from rich.text import Text

    colours = {"passed": "green", "failed": "bold red", "left out": "yellow", "unchanged": "dim"}
    table = Table("step", "outcome", "passed", "failed", "skipped", "seconds")
    for result in results:
        outcome = Text(result.outcome, style=colours[result.outcome])
        numbers = (result.passed, result.failed, result.skipped, result.seconds)
        table.add_row(result.name, outcome, *(f"{number:.0f}" for number in numbers))
    output.print(table)
    for result in results:
        for reason in result.skips:
            click.echo(f"skipped in {result.name}: {reason}")
        for again in result.second_tries:
            click.secho(f"tried twice in {result.name}: {again}", fg="yellow")
        for failure in result.failures:
            click.secho(f"failed in {result.name}: {failure}", fg="red")
        if result.reason:
            click.secho(f"{result.outcome}: {result.name}: {result.reason}", fg="yellow")
    unchanged = [result.name for result in results if result.outcome == "unchanged"]
    if unchanged:
        click.echo(f"unchanged since they passed, so not run: {', '.join(unchanged)} (./lab test --all runs them)")
    left_out = [result.name for result in results if result.outcome == "left out"]
    if left_out:
        click.echo(f"{len(left_out)} of {len(results)} steps left out on this machine: {', '.join(left_out)}")
    tried_twice = sum(len(result.second_tries) for result in results)
    if tried_twice:
        click.secho(f"{tried_twice} tests tried twice: each is a defect (CONTRIBUTING.md)", fg="yellow")
    passed, failed, skipped = (sum(getattr(one, what) for one in results) for what in ("passed", "failed", "skipped"))
    click.echo(f"{passed} passed, {failed} failed, {skipped} skipped")
