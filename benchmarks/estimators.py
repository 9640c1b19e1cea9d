"""The estimators and intervals that `docs/measuring.md` weighs against each other; run it to print the table."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats
from simulated import KINDS, rare_slow_mode, simulate

from perflab.stats.comparison import score_and_interval
from perflab.stats.interval import expanded_confidence, mean_intervals, student_quantile

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

EXPERIMENTS = 1_000
RESAMPLES = 1_000
ROUNDS = (5, 8, 15)
EFFECTS = {"cpu-bound": 1.012, "lock-contended": 1.35, "rare slow mode": 1.22, "spikes": 1.05}


def mean(rows: Floats, axis: int = -1) -> Floats:
    return rows.mean(axis=axis)


def trimmed_mean(rows: Floats, axis: int = -1) -> Floats:
    return stats.trim_mean(rows, 0.2, axis=axis)


def hodges_lehmann(rows: Floats, axis: int = -1) -> Floats:
    """Median of the means of all pairs; the axis is the last one."""
    assert axis == -1
    first, second = np.triu_indices(rows.shape[-1])
    return np.median((rows[..., first] + rows[..., second]) / 2, axis=-1)


def bootstrapped(statistic: Callable[..., Floats], method: str, rows: Floats) -> tuple[Floats, Floats]:
    """Expanded interval of a statistic, by SciPy's bootstrap."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        limits = stats.bootstrap(
            (rows,),
            statistic,
            axis=-1,
            vectorized=True,
            batch=50,
            n_resamples=RESAMPLES,
            method=method,
            confidence_level=expanded_confidence(0.95, rows.shape[1]),
            rng=np.random.default_rng(0),
        ).confidence_interval
    return limits.low, limits.high


def students_t(rows: Floats) -> tuple[Floats, Floats]:
    n = rows.shape[1]
    reach = student_quantile(0.975, n) * rows.std(axis=1, ddof=1) / math.sqrt(n)
    return rows.mean(axis=1) - reach, rows.mean(axis=1) + reach


def robust(rows: Floats) -> tuple[Floats, Floats]:
    found = [score_and_interval(row, 0.95, robust=True)[1] for row in rows]
    return np.array([one.low for one in found if one]), np.array([one.high for one in found if one])


INTERVALS: dict[str, Callable[[Floats], tuple[Floats, Floats]]] = {
    "mean, BCa guarded by t": lambda rows: mean_intervals(rows, resamples=RESAMPLES),
    "mean, BCa": lambda rows: bootstrapped(mean, "BCa", rows),
    "mean, t": students_t,
    "20 % trimmed mean, BCa": lambda rows: bootstrapped(trimmed_mean, "BCa", rows),
    "Hodges-Lehmann where both are disturbed alike, else the mean": robust,
    "Hodges-Lehmann, percentile": lambda rows: bootstrapped(hodges_lehmann, "percentile", rows),
}


def coverage_and_power(kind: str, interval: str, rounds: int) -> tuple[float, float]:
    """Coverage of no difference, and how often a difference of `EFFECTS` is seen."""
    low, high = INTERVALS[interval](simulate(kind, rounds, factor=1.0, experiments=EXPERIMENTS, seed=11).scores)
    effect = math.log(EFFECTS[kind])
    return float(np.mean((low <= 0) & (high >= 0))), float(np.mean((low + effect > 0) | (high + effect < 0)))


def hidden_slow_mode(interval: str, rounds: int = 30) -> float:
    """How often a candidate of which 15 % of the forks are 1.73 times as fast is told from one without such a mode."""
    rng, shape = np.random.default_rng(12), (EXPERIMENTS, rounds)
    scores = rare_slow_mode(rng, shape) - rng.normal(0, 0.08, shape)
    low, _ = INTERVALS[interval](scores)
    return float(np.mean(low > 0))


def table() -> str:
    """Coverage and power, as `docs/measuring.md` shows them."""
    heads = [f"{kind}, n = {n}" for kind in KINDS for n in ROUNDS]
    lines = [f"| estimator, interval | {' | '.join(heads)} | rare mode seen |", f"|---|{'---|' * (len(heads) + 1)}"]
    for interval in INTERVALS:
        cells = [coverage_and_power(kind, interval, n) for kind in KINDS for n in ROUNDS]
        shown = " | ".join(f"{covered:.1%}, {power:.0%}" for covered, power in cells)
        lines.append(f"| {interval} | {shown} | {hidden_slow_mode(interval):.0%} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
