"""Simulated experiments whose truth is known: two variants, forks that differ, and a drift that both share.

Run as a program it prints the tables of `docs/measuring.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perflab.stats.comparison import regression_word
from perflab.stats.interval import mean_intervals
from perflab.stats.precision import MINIMUM_ROUNDS_TO_STOP, SETTLING_ROUNDS
from perflab.stats.unpaired import compare_unpaired

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

EXPERIMENTS = 2_000
RESAMPLES = 1_000
ROUNDS = (5, 8, 15, 30)
MAX_ROUNDS = 30


def cpu_bound(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Log values of forks whose paired log ratio has a standard deviation of 0.012, as measured on a busy machine."""
    return rng.normal(0, 0.012 / math.sqrt(2), shape)


def lock_contended(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Forks in one of two modes, half of them each: a paired log ratio with a standard deviation of 0.32."""
    return 0.42 * (rng.random(shape) < 0.5) + rng.normal(0, 0.08, shape)


def rare_slow_mode(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Forks of which 15 % are in another mode: also 0.3, but skewed."""
    return 0.55 * (rng.random(shape) < 0.15) + rng.normal(0, 0.08, shape)


def spiky(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """CPU-bound forks of which 5 % are disturbed by 40 %."""
    return cpu_bound(rng, shape) + 0.4 * (rng.random(shape) < 0.05)


KINDS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "cpu-bound": cpu_bound,
    "lock-contended": lock_contended,
    "rare slow mode": rare_slow_mode,
    "spikes": spiky,
}


@dataclass(frozen=True)
class Experiments:
    """Values of many experiments at once, each row an experiment and each column a round."""

    baseline: Floats
    candidate: Floats
    factor: float

    @property
    def scores(self) -> Floats:
        return np.log(self.candidate) - np.log(self.baseline)


def simulate(
    kind: str, rounds: int, *, factor: float = 1.1, experiments: int = EXPERIMENTS, seed: int = 1
) -> Experiments:
    """Experiments in which the candidate is truly better by `factor`."""
    rng = np.random.default_rng(seed)
    shape = (experiments, rounds)
    drift = np.cumsum(rng.normal(0, 0.03, shape), axis=1)
    baseline = 1e6 * np.exp(drift + KINDS[kind](rng, shape))
    candidate = 1e6 * factor * np.exp(drift + KINDS[kind](rng, shape))
    return Experiments(baseline, candidate, factor)


def coverage(kind: str, rounds: int, *, confidence: float = 0.95, seed: int = 1) -> float:
    """Share of experiments whose interval holds the true factor."""
    runs = simulate(kind, rounds, seed=seed)
    low, high = mean_intervals(runs.scores, confidence, resamples=RESAMPLES)
    return float(np.mean((low <= math.log(runs.factor)) & (math.log(runs.factor) <= high)))


def false_alarms(kind: str, rounds: int, *, seed: int = 2) -> float:
    """Share of A/A experiments whose interval excludes equality."""
    low, high = mean_intervals(simulate(kind, rounds, factor=1.0, seed=seed).scores, resamples=RESAMPLES)
    return float(np.mean((low > 0) | (high < 0)))


@dataclass(frozen=True)
class Stopped:
    """What happened in sequential experiments: rounds at the stop, and the interval that is reported there."""

    rounds: NDArray[np.int64]
    low: Floats
    high: Floats

    def share_covering(self, truth: float) -> float:
        return float(np.mean((self.low <= truth) & (truth <= self.high)))

    def no_narrower_than(self, centre: Floats, target: float) -> Stopped:
        """As `compare` reports it when it knows the target."""
        reach = math.log1p(target)
        return Stopped(self.rounds, np.minimum(self.low, centre - reach), np.maximum(self.high, centre + reach))


def stop_sequentially(
    scores: Floats, target: float, *, resamples: int = RESAMPLES, max_rounds: int = MAX_ROUNDS
) -> Stopped:
    """Grow every experiment round by round until the rule of `precise_enough`, here vectorised, ends it."""
    shape = (len(scores), max_rounds + 1)
    low, high, width = np.full(shape, -np.inf), np.full(shape, np.inf), np.full(shape, np.inf)
    stop = np.full(len(scores), max_rounds)
    running = np.ones(len(scores), dtype=bool)
    for rounds in range(MINIMUM_ROUNDS_TO_STOP - SETTLING_ROUNDS, max_rounds + 1):
        low[running, rounds], high[running, rounds] = mean_intervals(scores[running, :rounds], resamples=resamples)
        width[running, rounds] = np.expm1((high - low)[running, rounds] / 2)
        precise = (width[:, rounds] <= target) & (width[:, rounds - SETTLING_ROUNDS] <= target)
        ended = running & precise & (rounds >= MINIMUM_ROUNDS_TO_STOP)
        stop[ended] = rounds
        running &= ~ended
        if not running.any():
            break
    each = np.arange(len(scores))
    return Stopped(stop, low[each, stop], high[each, stop])


STOPPING_TARGETS = {"cpu-bound": (0.008, 0.0065), "lock-contended": (0.24, 0.18)}


@dataclass(frozen=True)
class Sequential:
    """Coverage of sequential runs, with and without telling `compare` the target."""

    mean_rounds: float
    naive: float
    corrected: float


def sequential(kind: str, target: float, *, factor: float, experiments: int = 1_500, seed: int = 3) -> Sequential:
    """Coverage of the true factor at the round where the stopping rule ends the run."""
    runs = simulate(kind, MAX_ROUNDS, factor=factor, experiments=experiments, seed=seed)
    stopped = stop_sequentially(runs.scores, target, resamples=600)
    centre = np.array([row[:rounds].mean() for row, rounds in zip(runs.scores, stopped.rounds, strict=True)])
    truth = math.log(factor)
    return Sequential(
        mean_rounds=float(stopped.rounds.mean()),
        naive=stopped.share_covering(truth),
        corrected=stopped.no_narrower_than(centre, target).share_covering(truth),
    )


UNPAIRED_EXPERIMENTS = 1_000


@dataclass(frozen=True)
class Unpaired:
    """Shares of experiments of two runs: whose interval misses the truth, and that are called a regression."""

    excludes_truth: float
    regressions: float


def unpaired(
    kind: str, forks: int, *, worse_by: float, shift: float = 1.0, drift: float = 0.0, seed: int = 5
) -> Unpaired:
    """Two runs, one after the other, of code whose second version takes `shift` times as long.

    `drift` is the step of the machine's random walk from fork to fork, as in `simulate`, on the log scale.
    """
    rng = np.random.default_rng(seed)
    missed = regressions = 0
    for _ in range(UNPAIRED_EXPERIMENTS):
        logs = KINDS[kind](rng, (1, 2 * forks))[0] + np.cumsum(rng.normal(0, drift, 2 * forks))
        logs[forks:] += math.log(shift)
        before, after = np.exp(logs[:forks]), np.exp(logs[forks:])
        found = compare_unpaired(before.tolist(), after.tolist(), "m", "u", "lower")
        assert found.estimate is not None
        assert found.estimate.interval is not None
        low, high = found.estimate.interval
        missed += not low <= 1 / shift <= high
        regressions += regression_word(found, worse_by, float(before.mean())) == "regression"
    return Unpaired(missed / UNPAIRED_EXPERIMENTS, regressions / UNPAIRED_EXPERIMENTS)


def unpaired_table() -> list[str]:
    """The table of two runs in `docs/measuring.md`."""
    head = ["missed", "regressions", "with drift: missed", "regressions", "20 % slower found"]
    lines = [f"| forks, n = 8 each | {' | '.join(head)} |", f"|---|{'---|' * len(head)}"]
    for kind in KINDS:
        same, drifting = unpaired(kind, 8, worse_by=0.05), unpaired(kind, 8, worse_by=0.05, drift=0.03)
        slower = unpaired(kind, 8, worse_by=0.10, shift=1.2).regressions
        shares = (same.excludes_truth, same.regressions, drifting.excludes_truth, drifting.regressions, slower)
        lines.append(f"| {kind} | {' | '.join(f'{share:.1%}' for share in shares)} |")
    return lines


def tables() -> str:
    """The tables of `docs/measuring.md`."""
    lines = [f"| forks | {' | '.join(f'n = {n}' for n in ROUNDS)} |", f"|---|{'---|' * len(ROUNDS)}"]
    for kind in KINDS:
        lines.append(f"| {kind}: coverage | {' | '.join(f'{coverage(kind, n):.1%}' for n in ROUNDS)} |")
        lines.append(f"| {kind}: A/A false alarms | {' | '.join(f'{false_alarms(kind, n):.1%}' for n in ROUNDS)} |")
    lines += ["", "| forks | target | rounds, mean | coverage | A/A false alarms | the same, target not told |"]
    lines += ["|---|---|---|---|---|---|"]
    for kind, targets in STOPPING_TARGETS.items():
        for target in targets:
            true, null = sequential(kind, target, factor=1.1), sequential(kind, target, factor=1.0, seed=4)
            lines.append(
                f"| {kind} | {target:.2%} | {true.mean_rounds:.1f} | {true.corrected:.1%} | {1 - null.corrected:.1%} "
                f"| {true.naive:.1%}, {1 - null.naive:.1%} |"
            )
    return "\n".join([*lines, "", *unpaired_table()])


if __name__ == "__main__":
    print(tables())
