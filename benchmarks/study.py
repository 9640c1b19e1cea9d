"""The power study: does the lab find what is there, in the time that it promises, and nothing else?

Trials of a known slow-down on this machine, quiet and with a background load. Each is kept as soon as it is done; a
study that was interrupted goes on where it was.
"""

from __future__ import annotations

import json
from pathlib import Path

import click
from load import beside
from plan import COMMAND, DATA, KINDS, LOADS, TRIALS
from trial import build, one_trial

from perflab.host.git import this_revision
from perflab.host.machine import this_machine
from perflab.model.lab import CHECKOUT


@click.command(epilog=f"Example: {COMMAND} --kind cpu --load quiet")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(list(KINDS)), help="Only this kind of work.")
@click.option("--load", "loads", multiple=True, type=click.Choice(LOADS), help="Only with this load beside it.")
@click.option("--trials", type=click.IntRange(1), default=TRIALS, show_default=True, help="Until there are so many.")
@click.option("--data", type=click.Path(path_type=Path), default=DATA, help="Where trials are kept.")
def main(kinds: tuple[str, ...], loads: tuple[str, ...], trials: int, data: Path) -> None:
    """Try known slow-downs, and keep what came of it; `summary.py` makes the table of it.

    Two hours for all of it. Keep the machine quiet: the load that belongs to it is started here.
    """
    data.mkdir(parents=True, exist_ok=True)
    build()
    for load in loads or LOADS:
        for kind in kinds or KINDS:
            _series(kind, load, trials, data)


def _series(kind: str, load: str, trials: int, data: Path) -> None:
    path = data / f"{kind}-{load}.jsonl"
    if not path.exists():
        about = {"machine": this_machine().title, "commit": this_revision(CHECKOUT).commit}
        path.write_text(json.dumps(about) + "\n", encoding="utf-8")
    done = len(path.read_text(encoding="utf-8").splitlines()) - 1
    with beside(load), click.progressbar(range(done, trials), label=f"{kind}, {load}", show_pos=True) as numbers:
        for number in numbers:
            trial = one_trial(kind, number)
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(trial) + "\n")


if __name__ == "__main__":
    main()
