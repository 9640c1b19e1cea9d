"""`lab runs`: what is in the store."""

from __future__ import annotations

import click

from perflab.cli.output import Output, with_output


@click.command("runs", epilog="Example: ./lab runs --topic mailbox --json")
@click.option("--topic", help="Only runs of this topic.")
@click.option("--last", type=click.IntRange(1), default=20, show_default=True, help="How many, the newest last.")
@with_output
def runs_command(output: Output, topic: str | None, last: int) -> None:
    """List the runs in the store, the newest last; partial ones are marked."""
    from rich.table import Table

    from perflab.store import find_runs

    table = Table("run", "kind", "variants", "preset", "rounds", "state")
    rows = []
    for run in find_runs(component=topic)[-last:]:
        labels = [arm.label for arm in run.header.arms]
        rounds = run.ending.rounds if run.ending else None
        state = run.ending.reason if run.ending else "partial"
        table.add_row(run.id, run.header.kind, " ".join(labels), run.header.preset, str(rounds or ""), state)
        rows.append(
            {"run": run.id, "kind": run.header.kind, "variants": labels, "preset": run.header.preset}
            | {"rounds": rounds, "state": state, "notes": run.notes}
        )
    output.print(table if rows else "no runs yet: make one with ./lab measure TOPIC --quick")
    output.result(rows)
