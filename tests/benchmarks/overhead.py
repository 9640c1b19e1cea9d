"""What perflab adds to a measurement: a run's forks started by it, and the same commands started by hand.

Both sides run the same forks in the same interleaved order; which side begins changes with every repetition. That
comparison is as noisy as the machine, so the two places where perflab can add time are also looked at alone: inside a
fork, with a bench program that always takes as long, and between forks, from the run's own clocks.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from timing import LAB, clean_environment, mean_figure, median_figure, report, run

from perflab.host.lock import measurement_lock
from perflab.measure.fork import run_fork
from perflab.model.lab import CHECKOUT, Lab
from perflab.model.protocol import PROTOCOL_VERSION, End, Sample, Start, Validation
from perflab.store.runs import Run, find_run
from perflab.topics.catalogue import find_component
from perflab.topics.program import program_environment, run_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from timing import Figure

OWN = Lab.from_environment()

TOPIC, SCENARIO, VARIANTS = "mailbox", "burst", ("linked", "mpsc-repaired")
ROUNDS = 9
"""Enough that the precision is looked at, which is part of what perflab adds."""

REPETITIONS = 5
FORK_REPETITIONS = 30
GOAL_PERCENT = 3.0

_MESSAGES = (
    Start(PROTOCOL_VERSION, "steady", "sleep", "shell"),
    *(Sample(i, 1.0, 1.0) for i in range(2)),
    End(2, 2.0, 2.0, Validation(passed=True)),
)
_STEADY = [
    "/bin/sh",
    "-c",
    'sleep 0.1; printf "%s\\n" "$@"',
    "sh",
    *(msgspec.json.encode(one).decode() for one in _MESSAGES),
]
"""A bench program that always takes as long, and says as much as a quick fork does."""


@dataclass(frozen=True)
class Pair:
    """One repetition, in seconds."""

    command: float
    run: float
    forks: float
    by_hand: float


def measure() -> Iterator[Figure]:
    inside_ms = [1e3 * (_by_run_fork() - _by_popen()) for _ in range(FORK_REPETITIONS)]
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder)
        forks = _forks(_by_perflab(results)[1])  # builds what must be built; not counted
        pairs = [_pair(results, forks, hand_first=bool(number % 2)) for number in range(REPETITIONS)]
    whole = [100 * (one.run / one.by_hand - 1) for one in pairs]
    parts = [100 * (one.run - one.forks + len(forks) * statistics.mean(inside_ms) / 1e3) / one.by_hand for one in pairs]
    yield mean_figure(f"perflab's run against the same {len(forks)} forks by hand", whole, "%", GOAL_PERCENT)
    yield mean_figure("the same, from its parts", parts, "%", GOAL_PERCENT)
    yield mean_figure("inside a fork", inside_ms, "ms")
    yield median_figure("between all forks", [one.run - one.forks for one in pairs], "s")
    yield median_figure("all forks by hand", [one.by_hand for one in pairs], "s")
    yield median_figure("before and after the run", [one.command - one.run for one in pairs], "s")


def _by_run_fork() -> float:
    begun = time.perf_counter()
    run_fork(_STEADY, cwd=CHECKOUT, environment=os.environ, timeout_s=60)
    return time.perf_counter() - begun


def _by_popen() -> float:
    """By hand, but without `timing.run`, whose temporary files would count in perflab's favour."""
    begun = time.perf_counter()
    subprocess.run(_STEADY, cwd=CHECKOUT, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return time.perf_counter() - begun


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
    component, header = find_component(OWN, TOPIC), measured.header
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
    component = find_component(OWN, TOPIC)
    environment = program_environment(component)
    with measurement_lock(OWN.lock):
        begun = time.perf_counter()
        for command in forks:
            subprocess.run(
                command,
                cwd=component.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=True,
            )
        return time.perf_counter() - begun


if __name__ == "__main__":
    report(measure())
