"""`lab runs`: what is in the store."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from perflab.cli.output import Output, show_table, with_output
from perflab.model.errors import UsageError

if TYPE_CHECKING:
    from perflab.model.lab import Lab


@click.command("runs", epilog="Example: ./lab runs --topic mailbox --json")
@click.option("--topic", help="Only runs of this topic.")
@click.option("--last", type=click.IntRange(1), default=20, show_default=True, help="Number of runs to list.")
@click.pass_obj
@with_output
def runs_command(output: Output, lab: Lab, topic: str | None, last: int) -> None:
    """List the runs in the store, the newest last; partial ones are marked."""
    from perflab.store.kept import find_baselines
    from perflab.store.runs import find_runs

    saved: dict[str, list[str]] = {}
    for one in find_baselines(lab.results, topic):
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
        for run in find_runs(lab.results, component=topic)[-last:]
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


_MEBIBYTE = 2**20


@click.command("revisions", epilog="Example: ./lab revisions --remove HEAD~3")
@click.option("--remove", "names", multiple=True, metavar="REV", help="Remove the tree of this revision; repeatable.")
@click.option("--remove-all", is_flag=True, help="Remove all trees.")
@click.pass_obj
@with_output
def revisions_command(output: Output, lab: Lab, names: tuple[str, ...], remove_all: bool) -> None:
    """List or remove the work trees in which `measure --at` and `compare` build revisions.

    Trees are reused. Perflab deletes those that were not used for a month, and keeps the eight used last.
    """
    from perflab.host.lock import measurement_lock
    from perflab.topics.revisions import find_commit, find_trees, remove_trees

    trees = find_trees(lab)
    if names or remove_all:
        wanted = {find_commit(lab.root, name).id for name in names}
        for one in wanted - {tree.commit.id for tree in trees}:
            raise UsageError(f"there is no work tree of {one[:7]}", "./lab revisions lists them")
        gone = [tree for tree in trees if remove_all or tree.commit.id in wanted]
        with measurement_lock(lab.lock):  # a build may be using one
            remove_trees(lab, gone)
        for tree in gone:
            output.say(f"removed {tree.commit.short}: {tree.commit.subject}")
        trees = find_trees(lab)
    rows = [
        {
            "revision": tree.commit.short,
            "commit": tree.commit.id,
            "subject": tree.commit.subject,
            "used": datetime.fromtimestamp(tree.used, UTC).isoformat(timespec="seconds"),
            "bytes": tree.size,
            "folder": str(tree.folder),
        }
        for tree in trees
    ]
    if rows:
        columns = ["revision", "subject", "last used", "MiB"]
        cells = [
            [str(row["revision"]), str(row["subject"]), str(row["used"]), f"{tree.size / _MEBIBYTE:.0f}"]
            for row, tree in zip(rows, trees, strict=True)
        ]
        show_table(output, columns, cells)
    elif not (names or remove_all):
        output.print("no work trees: ./lab measure TOPIC --at REV makes one")
    output.result(rows)
