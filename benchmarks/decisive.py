"""How decisive is `./lab bench --quick`? The present build beside an old one and beside other tools, on the same pairs.

Six programs, each with an equal pair and pairs whose second one does more work; all tools measure each pair in turns,
each for some twelve seconds. A line is kept as soon as it is measured; a rerun goes on where it was interrupted.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import tempfile
import time
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import rivals
from load import beside
from pairs import KINDS, PAIRS, TOOLS, Program
from plan import DATA, LOADS, show
from rivals import Said
from tables import resampled, tables
from trial import clean_environment

from perflab.measure.analysis import analyse, precision_target
from perflab.model.lab import CHECKOUT
from perflab.store.runs import find_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

SECONDS = 12
KEPT = DATA / "decisive.jsonl"
_WHOLE = ("--precision", "0.001")


@click.command()
@click.option("--old", type=click.Path(path_type=Path, exists=True), help="Work tree of the build to compare with.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(list(KINDS)), help="Only this program.")
@click.option("--pair", "pairs", multiple=True, type=click.Choice(list(PAIRS)), help="Only this pair.")
@click.option("--load", "loads", multiple=True, type=click.Choice(LOADS), help="Only with this load beside it.")
@click.option("--tool", "tools", multiple=True, type=click.Choice(TOOLS), help="Only this tool.")
@click.option("--trials", type=click.IntRange(1), default=20, show_default=True, help="Until there are so many.")
@click.option("--options", default="", help="More options of the present build's bench.")
@click.option("--data", type=click.Path(path_type=Path), default=KEPT, help="Where lines are kept.")
@click.option("--calibrate", is_flag=True, help="Measure, with the old build, which part of the time is in proportion.")
@click.option("--report", is_flag=True, help="Print the tables of what is kept.")
@click.option("--resample", is_flag=True, help="Print rates over rounds drawn anew from those kept.")
@click.option("--write", is_flag=True, help="Only write the tables of what is committed into docs/measuring.md.")
def main(
    *,
    old: Path | None, kinds: tuple[str, ...], pairs: tuple[str, ...], loads: tuple[str, ...], tools: tuple[str, ...],
    trials: int, options: str, data: Path, calibrate: bool, report: bool, resample: bool, write: bool,
) -> None:  # fmt: skip
    """Measure what is missing, or print the tables."""
    if report or resample:
        made = [*([tables(_lines(data))] if report else []), *([resampled(_lines(data))] if resample else [])]
        click.echo("\n\n".join(made))
        return
    if write:
        show("decisive table", table())
        return
    rivals.build()
    if calibrate:
        for kind in kinds or KINDS:
            _keep(data, _calibrated(kind, old or CHECKOUT))
        return
    chosen = [tool for tool in tools or TOOLS if _there(tool, old)]
    done = {_key(line) for line in _lines(data)}
    for number, load in product(range(trials), loads or LOADS):
        with beside(load, share=1.0):
            for kind, pair, tool in product(kinds or KINDS, pairs or PAIRS, _turn(chosen, number)):
                wanted = {"trial": number, "program": kind, "pair": pair, "load": load, "tool": tool}
                if _fits(tool, kind, pair) and _key(wanted) not in done:
                    _keep(data, wanted | _measured(wanted, old, shlex.split(options)))


def table() -> str:
    """Return the tables of the trials that are committed."""
    return tables(_lines(KEPT))


def _there(tool: str, old: Path | None) -> bool:
    if tool.startswith("before"):
        return old is not None
    missing = not tool.startswith("perflab") and tool != "criterion" and shutil.which(tool) is None
    if missing:
        click.echo(f"{tool} is not on the path, and left out", err=True)
    return not missing


def _turn(tools: Sequence[str], number: int) -> list[str]:
    """Let another tool come first in each trial."""
    first = number % len(tools)
    return [*tools[first:], *tools[:first]]


def _fits(tool: str, kind: str, pair: str) -> bool:
    return pair == "same" if tool.endswith("-whole") else tool in (*KINDS[kind].tools, "perflab", "before")


def _measured(wanted: dict[str, Any], old: Path | None, options: list[str]) -> dict[str, Any]:
    program, tool, pair = KINDS[wanted["program"]], wanted["tool"], wanted["pair"]
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        if tool in program.tools:
            work = "1000", program.amount(pair)
            arms: Any = work if program.harness else [[*program.command, amount] for amount in work]
            found = asdict(getattr(rivals, tool)(*arms, SECONDS, Path(folder)))
        else:
            checkout = old if tool.startswith("before") and old else CHECKOUT
            more = [*(_WHOLE if tool.endswith("-whole") else ()), *(options if checkout == CHECKOUT else ())]
            found = _lab(
                checkout,
                program,
                program.names(pair),
                ["--quick", "--seed", str(wanted["trial"] + 1), *more],
                Path(folder),
            )
        seconds = found.pop("seconds", time.perf_counter() - begun)
    return found | {"half": (found["high"] - found["low"]) / 2, "wall": seconds}


def _lab(checkout: Path, program: Program, names: Sequence[str], options: list[str], folder: Path) -> dict[str, Any]:
    """Measure a pair with a checkout's perflab, and read the rounds that it kept."""
    environment = clean_environment(
        PYTHONPATH=str(checkout / "src"), PERFLAB_RESULTS=str(folder), PERFLAB_LOCK=str(folder / "lock")
    )
    command = [
        str(checkout / ".venv" / "bin" / "python"),
        "-P",
        "-m",
        "perflab",
        "bench",
        *program.arms(*names),
        *program.harness,
    ]
    begun = time.perf_counter()
    done = subprocess.run(
        [*command, *options, "--json"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - begun
    if done.returncode:
        raise ChildProcessError(f"{shlex.join(command)}: {done.stderr}")
    printed = json.loads(done.stdout)
    (said,) = printed["comparisons"]
    found = asdict(Said(said["estimate"], said["low"], said["high"], said["verdict"]))
    return found | {"seconds": seconds, "metric": printed["metric"]["name"]} | _rounds(folder, said)


def _rounds(folder: Path, said: dict[str, Any]) -> dict[str, Any]:
    """Return each round's values, and what else the run's interval depends on."""
    (run_,) = find_runs(folder)
    found = analyse(run_)
    values = zip(found.values[said["baseline"]], found.values[said["candidate"]], strict=True)
    kept = [[float(f"{value:.6g}") for value in pair] for pair in values if not np.isnan(pair).any()]
    header = run_.header
    target = precision_target(run_, found.metric)
    return {"rounds": kept, "target": target, "sequential": header.sequential, "way": header.pairs}


def _calibrated(kind: str, checkout: Path) -> dict[str, Any]:
    """Measure half the work against one and a half: if the time is a + bx, this tells b/(a + b)."""
    program = KINDS[kind]
    names = ("half", "more") if program.harness else ("500", "1500")
    with tempfile.TemporaryDirectory() as folder:
        found = _lab(checkout, program, names, ["--quick", "--budget", "60", *_WHOLE], Path(folder))
    share, high, low = (2 * (1 - found[name]) / (1 + found[name]) for name in ("ratio", "low", "high"))
    return {"calibrated": kind, "share": share, "low": low, "high": high}


def _key(line: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(line.get(name) for name in ("trial", "program", "pair", "load", "tool"))


def _lines(data: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines()] if data.exists() else []


def _keep(data: Path, line: dict[str, Any]) -> None:
    data.parent.mkdir(parents=True, exist_ok=True)
    with data.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
