"""What perflab adds to a measurement: a run's forks started by it, and the same commands started by hand.

Both sides run the same forks in the same interleaved order; which side begins changes with every repetition.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from timing import LAB, Figure, clean_environment, median_figure, report, run

from perflab.components import find_component, program_environment, run_command
from perflab.runner import measurement_lock
from perflab.statistics import mean_interval
from perflab.store import Run, find_run

TOPIC, SCENARIO, VARIANTS = "mailbox", "burst", ("linked", "mpsc-repaired")
ROUNDS = 9
"""Enough that the precision is looked at, which is part of what perflab adds."""

REPETITIONS = 5
GOAL_PERCENT = 3.0


@dataclass(frozen=True)
class Pair:
    """One repetition, in seconds."""

    command: float
    run: float
    forks: float
    by_hand: float


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder)
        forks = _forks(_by_perflab(results)[1])  # builds what must be built; not counted
        pairs = [_pair(results, forks, hand_first=bool(number % 2)) for number in range(REPETITIONS)]
    return [
        _percent(
            "perflab's run against the same forks by hand", [(one.run, one.by_hand) for one in pairs], GOAL_PERCENT
        ),
        _percent("of that, between the forks", [(one.run, one.forks) for one in pairs]),
        median_figure(f"the {len(forks)} forks by hand", [one.by_hand for one in pairs], "s"),
        median_figure(
            "before and after the run: start-up, describe, compare", [one.command - one.run for one in pairs], "s"
        ),
    ]


def _pair(results: Path, forks: list[list[str]], *, hand_first: bool) -> Pair:
    by_hand = _by_hand(forks) if hand_first else 0.0
    command_s, done = _by_perflab(results)
    if done.ending is None or len(done.forks()) != len(forks):
        raise SystemExit(f"{done.id} has not measured {len(forks)} forks")
    by_hand = by_hand or _by_hand(forks)
    return Pair(command_s, done.ending.wall_s, float(done.forks()["wall_s"].sum()), by_hand)


def _by_perflab(results: Path) -> tuple[float, Run]:
    chosen = [option for variant in VARIANTS for option in ("--variant", variant)]
    # Neither precision nor time may end it before the last round.
    limits = ["--quick", "--rounds", str(ROUNDS), "--precision", "0.001", "--budget", "3600"]
    environment = clean_environment(PERFLAB_RESULTS=str(results))
    ended = run([LAB, "measure", TOPIC, "--scenario", SCENARIO, *chosen, *limits, "--json"], environment=environment)
    return ended.wall_s, find_run(json.loads(ended.stdout)["run"], results)


def _forks(measured: Run) -> list[list[str]]:
    """The commands of a run's forks, in its order; with the same seed every run has the same."""
    component, header = find_component(TOPIC), measured.header
    warmup_ms, sample_ms, samples = (int(header.options[name]) for name in ("warmup_ms", "sample_ms", "samples"))
    forks = measured.forks().sort_values(["round", "position"])
    return [
        run_command(
            component,
            SCENARIO,
            variant,
            header.params,
            warmup_ms=warmup_ms,
            sample_ms=sample_ms,
            samples=samples,
            seed=header.seed + round_,
        )
        for round_, variant in zip(forks["round"].tolist(), forks["variant"].tolist(), strict=True)
    ]


def _by_hand(forks: list[list[str]]) -> float:
    component = find_component(TOPIC)
    environment = program_environment(component)
    with measurement_lock():
        begun = time.perf_counter()
        for command in forks:
            run(command, cwd=component.folder, environment=environment)
        return time.perf_counter() - begun


def _percent(what: str, pairs: list[tuple[float, float]], goal: float | None = None) -> Figure:
    """How much longer the first of each pair took, with the 95 % interval over repetitions."""
    added = [100 * (longer / base - 1) for longer, base in pairs]
    interval = mean_interval(added)
    spread = f"{interval.low:.2g} to {interval.high:.2g}, 95 % interval of {len(added)}" if interval else ""
    return Figure(what, statistics.mean(added), "%", goal, spread)


if __name__ == "__main__":
    report(measure())
