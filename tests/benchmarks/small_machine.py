"""`./lab reproduce --quick --all --notebook` on one core with 2 GiB, topic by topic: time, memory, and what failed.

PYTHONPATH=src:tests/support .venv/bin/python tests/benchmarks/small_machine.py [TOPIC]... [--preset smoke]

The checkout is set up before. Results, and the lock that keeps measurements apart, are in a folder of its own. With
`--keep`, a topic that came through is not done again.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import click
from smallmachine import MEMORY, NoGroupsError, SmallMachine
from timing import LAB, clean_environment

from perflab.host.machine import GIB
from perflab.model.lab import CHECKOUT, Lab, user_cache
from perflab.topics.catalogue import find_components

TOPICS = [one.name for one in find_components(Lab.from_environment())]

_LOCK = "measuring."
_ROW = "row.md"


@click.command()
@click.argument("topics", nargs=-1)
@click.option("--preset", default="quick", show_default=True)
@click.option("--notebook/--no-notebook", default=True)
@click.option("--keep", type=click.Path(path_type=Path), help="Keep logs and results in this folder.")
def main(topics: tuple[str, ...], preset: str, notebook: bool, keep: Path | None) -> None:
    """Print a table, a row for each topic; the status is 1 if anything failed."""
    failed = False
    click.echo(f"One core, {MEMORY / GIB:g} GiB, preset {preset}.\n")
    click.echo("| topic | time | peak memory | processes ended for want of it | verdicts | what failed |")
    click.echo("|---|---|---|---|---|---|")
    for topic in topics or TOPICS:
        with ExitStack() as stack:
            folder = keep / topic if keep else Path(stack.enter_context(tempfile.TemporaryDirectory()))
            folder.mkdir(parents=True, exist_ok=True)
            kept = folder / _ROW
            if kept.exists():
                click.echo(kept.read_text(encoding="utf-8"))
                continue
            row, fell = _reproduce(topic, preset, folder, ["--notebook"] if notebook else [])
            if not fell:
                kept.write_text(row, encoding="utf-8")
        click.echo(row)
        failed |= fell
    raise SystemExit(int(failed))


def _reproduce(topic: str, preset: str, folder: Path, more: list[str]) -> tuple[str, bool]:
    environment = clean_environment(
        PERFLAB_RESULTS=str(folder / "results"), XDG_CACHE_HOME=str(_own_cache(folder)), JAVA_TOOL_OPTIONS=""
    )
    command = [LAB, "reproduce", topic, "--preset", preset, "--all", *more, "--json"]
    try:
        machine = SmallMachine.create()
    except NoGroupsError as error:
        raise SystemExit(f"no small machine can be made here: {error}") from None
    begun = time.monotonic()
    with machine, (folder / "log").open("w", encoding="utf-8") as log:
        done = subprocess.run(
            machine.command(command), cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, stderr=log, check=False
        )
        seconds, peak, kills = time.monotonic() - begun, machine.peak, machine.kills
    problems = [f"status {done.returncode}"] if done.returncode not in {0, 1} else []
    verdicts = 0
    if done.stdout:
        found = json.loads(done.stdout)
        problems += found["problems"]
        verdicts = sum(bool(one["measured"]) or one["kind"] == "mechanism" for one in found["claims"])
    said = "; ".join(problems).replace("\n", " ") or "nothing"
    row = f"| `{topic}` | {seconds / 60:.1f} min | {peak / GIB:.2f} GiB | {kills} | {verdicts} | {said} |"
    return row, bool(problems or kills)


def _own_cache(folder: Path) -> Path:
    """The user's cache of toolchains, with a lock of its own."""
    cache = folder / "cache"
    own = cache / user_cache().name
    own.mkdir(parents=True, exist_ok=True)
    for entry in user_cache().iterdir():
        link = own / entry.name
        if not entry.name.startswith(_LOCK) and not link.exists():
            link.symlink_to(entry)
    return cache


if __name__ == "__main__":
    main()
