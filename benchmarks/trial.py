"""One trial: what `./lab measure` says of each pair, and what other tools say of it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tools
from plan import COMPONENTS, KINDS, PROCESS

from perflab.model.lab import CHECKOUT
from perflab.store.runs import find_runs

if TYPE_CHECKING:
    from plan import Pair

_DUMMY = COMPONENTS / "dummy"
_BENCH = str(_DUMMY / "target" / "release" / "dummy-bench")
_UNCAPPED = "1000"
LAB = str(CHECKOUT / "lab")


def one_trial(kind: str, number: int) -> dict[str, Any]:
    """Measure all pairs of a kind: with the lab, and then as the other tools would."""
    base = _block(kind, "base")
    return {"trial": number, "pairs": {pair.candidate: _one_pair(kind, pair, base, number) for pair in KINDS[kind]}}


def build() -> None:
    """Build the component, if it is not."""
    _run([LAB, "build", _DUMMY.name], clean_environment(PERFLAB_COMPONENTS=str(COMPONENTS)))


def command(kind: str, pair: Pair, seed: int) -> list[str]:
    """What a user would type to compare the pair."""
    return [
        *("measure", _DUMMY.name, "-v", "base", "-v", pair.candidate, "--quick", "--seed", str(seed)),
        *("--scenario", kind),
        *("--rounds", _UNCAPPED, "--budget", str(pair.budget_s), "--precision", str(pair.precision)),
        *(word for name, value in PROCESS.items() for word in (f"--{name}", str(value))),
    ]


def _one_pair(kind: str, pair: Pair, base: tools.Block, number: int) -> dict[str, Any]:
    candidate = _block(kind, pair.candidate)
    said = {name: rule(base, candidate) for name, rule in tools.RULES.items()}
    return {**_lab(kind, pair, number), "tools": said}


def _lab(kind: str, pair: Pair, number: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as results:
        environment = clean_environment(PERFLAB_COMPONENTS=str(COMPONENTS), PERFLAB_RESULTS=results)
        printed, wall_s = _run([LAB, *command(kind, pair, number), "--json"], environment)
        (run_,) = find_runs(Path(results))
    (found,) = json.loads(printed)["comparisons"]
    kept = {name: found[name] for name in ("rounds", "estimate", "low", "high", "verdict", "flags")}
    others = run_.ending.load.others if run_.ending else None
    return kept | {"seconds": wall_s, "shape": run_.header.shape, "others": others}


def _block(kind: str, variant: str) -> tools.Block:
    runs = [_fork(kind, variant, tools.SAMPLES) for _ in range(tools.FORKS)]
    long, _ = _fork(kind, variant, tools.CRITERION_SAMPLES)
    return tools.Block([values for values, _ in runs], [wall for _, wall in runs], long)


def _fork(kind: str, variant: str, samples: int) -> tuple[list[float], float]:
    options = ["--scenario", kind, "--variant", variant, "--seed", "1", "--samples", str(samples)]
    options += ["--warmup-ms", str(PROCESS["warmup"]), "--sample-ms", str(PROCESS["sample"])]
    printed, wall_s = _run([_BENCH, "run", *options], clean_environment())
    lines = [json.loads(line) for line in printed.splitlines()]
    return [line["ns"] / line["ops"] for line in lines if line["type"] == "sample"], wall_s


def clean_environment(**changes: str) -> dict[str, str]:
    """Return this environment without what would lead `./lab` to another checkout's code, results or settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PERFLAB_", "PYTHONPATH"))}
    return kept | changes


def _run(command: list[str], environment: dict[str, str]) -> tuple[str, float]:
    """Run a command; return what it printed and its seconds."""
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout, time.perf_counter() - begun
