"""Shapes found and shapes fixed, on simulated programs: half widths, slow-downs found, false alarms, coverage.

`PYTHONPATH=src .venv/bin/python benchmarks/shapes.py` prints the table of docs/measuring.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
import numpy as np

from perflab.measure.presets import PRESETS
from perflab.measure.shape import Probes, best_shape, rounds_of_probes
from perflab.stats.interval import mean_intervals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

UNIT_S = 0.01
LOOKS = 32


@dataclass(frozen=True)
class Program:
    """A program; spreads are standard deviations on the log scale.

    Attributes:
        start_s: From a process's start to its end, without its samples.
        between: Of its processes.
        within: Of its samples of 10 ms.
        slow_down: Of the variant that is compared with it, 0.05 for 5 %.
        warm_s: Time constant of its warm-up, in which it starts at half its speed; 0 if it needs none.
    """

    start_s: float
    between: float
    within: float
    slow_down: float
    warm_s: float = 0.0

    def samples(self, rng: np.random.Generator, processes: int, begin: int, samples: int) -> Floats:
        """Log times of samples of 10 ms, one row a process, from the sample `begin` of its life on."""
        life = UNIT_S * np.arange(begin, begin + samples)
        warm = math.log(2) * np.exp(-life / self.warm_s) if self.warm_s else np.zeros(samples)
        return warm + rng.normal(0, self.between, (processes, 1)) + rng.normal(0, self.within, (processes, samples))


PROGRAMS = {
    "dictionaries in Python": Program(0.040, 0.05, 0.05, 0.05),
    "the same, processes differ by 10 %": Program(0.040, 0.10, 0.05, 0.05),
    "pointer chase in C": Program(0.012, 0.03, 0.03, 0.02),
    "computation in C++": Program(0.010, 0.008, 0.02, 0.01),
    "contended lock": Program(0.012, 0.15, 0.3, 0.10),
    "settles in 30 ms": Program(0.080, 0.03, 0.05, 0.05, warm_s=0.03),
    "settles in a second": Program(0.400, 0.03, 0.05, 0.05, warm_s=0.25),
}


def shapes(program: Program, rng: np.random.Generator) -> tuple[Mapping[str, int], float]:
    """The shape that is found for a pair of variants, and the seconds that are left then."""
    quick = PRESETS["quick"]
    left_s = quick.budget_s - program.start_s - 3 * UNIT_S
    rounds = rounds_of_probes(quick, 2, program.start_s, LOOKS * UNIT_S)
    if not rounds:
        return {}, left_s
    series = [program.samples(rng, rounds, 0, LOOKS) for _ in range(2)]
    left_s -= 2 * rounds * (program.start_s + LOOKS * UNIT_S)
    return best_shape(Probes(series, 10, program.start_s, UNIT_S), quick, least_warmup_ms=0, left_s=left_s), left_s


def interval(
    program: Program, rng: np.random.Generator, shape: Mapping[str, int], left_s: float, more: float
) -> tuple[float, float]:
    """The interval of the log ratio of two variants of which the second is slower, after a run that used its time."""
    quick = PRESETS["quick"]
    whole = {name: shape.get(name, getattr(quick, name)) for name in ("warmup_ms", "sample_ms", "samples")}
    warm, measured = whole["warmup_ms"] // 10, whole["sample_ms"] * whole["samples"] // 10
    process_s = program.start_s + (warm + measured) * UNIT_S
    rounds = min(max(int(left_s / (2 * process_s)), quick.min_rounds), quick.max_rounds)
    # The time of a process is the mean over its operations.
    base, slower = (-np.log(np.exp(-program.samples(rng, rounds, warm, measured)).mean(axis=1)) for _ in range(2))
    low, high = mean_intervals((slower - base + math.log1p(more))[None], resamples=1000)
    return float(low[0]), float(high[0])


def trials(program: Program, count: int, *, found: bool) -> list[str]:
    """Cells of the table."""
    rng = np.random.default_rng(1)
    widths, seen, alarms, covered, chosen = [], 0, 0, 0, []
    truth = math.log1p(program.slow_down)
    for _ in range(count):
        shape, left_s = shapes(program, rng) if found else ({}, PRESETS["quick"].budget_s)
        chosen.append((shape.get("warmup_ms", 250), shape.get("samples", 2) * shape.get("sample_ms", 100)))
        low, high = interval(program, rng, shape, left_s, program.slow_down)
        same = interval(program, rng, shape, left_s, 0)
        widths.append((high - low) / 2)
        seen += low > 0
        alarms += same[0] > 0 or same[1] < 0
        covered += low <= truth <= high
    warm, measured = np.median(chosen, axis=0)
    return [
        f"{warm:.0f} + {measured:.0f} ms",
        f"{np.median(widths):.1%}",
        *(f"{n / count:.1%}" for n in (seen, alarms, covered)),
    ]


@click.command()
@click.option("--trials", "count", default=1000, show_default=True)
def main(count: int) -> None:
    """Print the table."""
    heads = ["program", "slow-down", "shape", "process", "half width", "found", "A/A false alarms", "coverage"]
    click.echo(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for name, program in PROGRAMS.items():
        for found in (False, True):
            cells = [name, f"{program.slow_down:.0%}", "found" if found else "fixed"]
            click.echo(f"| {' | '.join([*cells, *trials(program, count, found=found)])} |")


if __name__ == "__main__":
    main()
