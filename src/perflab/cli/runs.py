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
    from perflab.cli.tables import show_table
    from perflab.store import find_baselines, find_runs

    saved: dict[str, list[str]] = {}
    for one in find_baselines(topic):
        saved.setdefault(one.run, []).append(one.name)

    rows = [
        {
            "run": run.id,
            "kind": run.header.kind,
            "variants": [arm.label for arm in run.header.arms],
            "preset": run.header.preset,
            "rounds": run.ending.rounds if run.ending else None,
            "state": run.ending.reason if run.ending else "partial",
            "saved_as": saved.get(run.id, []),
            "notes": run.notes,
        }
        for run in find_runs(component=topic)[-last:]
    ]
    if rows:
        columns = ["run", "kind", "variants", "preset", "rounds", "state", "saved_as"]
        show_table(output, columns, [[_cell(row[name]) for name in columns] for row in rows])
    else:
        output.print("no runs yet: make one with ./lab measure TOPIC --quick")
    output.result(rows)


def _cell(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "" if value is None else str(value)
