"""What other tools would say of two variants that were measured one after the other.

Each rule is the tool's own default: how many processes and samples it takes, and when it calls two results different.
A word is about the second variant against the first; `None` where the tool sees no difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Word = Literal["faster", "slower"] | None


@dataclass(frozen=True)
class Block:
    """A variant's processes, one after the other, before or after all of the other variant's.

    Attributes:
        forks: Nanoseconds an operation, per process and sample; every process has as many samples.
        walls: Seconds from a process's start to its end.
        long: Nanoseconds an operation of the samples of one process that made many.
    """

    forks: Sequence[Sequence[float]]
    walls: Sequence[float]
    long: Sequence[float]


JMH_FORKS, JMH_ITERATIONS, JMH_CONFIDENCE = 5, 5, 0.999
PYPERF_PROCESSES, PYPERF_VALUES = 20, 3
HYPERFINE_RUNS = 10
CRITERION_SAMPLES, CRITERION_NOISE, CRITERION_RESAMPLES = 100, 0.01, 10_000
_SIGNIFICANCE = 0.05

FORKS = max(JMH_FORKS, PYPERF_PROCESSES, HYPERFINE_RUNS)
SAMPLES = max(JMH_ITERATIONS, PYPERF_VALUES)
"""A block with so many processes of so many samples holds what each tool but criterion takes."""


def jmh(first: Block, second: Block) -> Word:
    """JMH: five forks of five iterations; the 99.9 % intervals (Student's t over all iterations) do not overlap."""
    (low_a, high_a), (low_b, high_b) = (
        _t_interval(np.ravel([fork[:JMH_ITERATIONS] for fork in block.forks[:JMH_FORKS]]), JMH_CONFIDENCE)
        for block in (first, second)
    )
    return "slower" if low_b > high_a else "faster" if high_b < low_a else None


def pyperf(first: Block, second: Block) -> Word:
    """Pyperf's `compare_to`: twenty processes of three values; Student's two-sample t-test at 95 %."""
    a, b = (np.ravel([fork[:PYPERF_VALUES] for fork in block.forks[:PYPERF_PROCESSES]]) for block in (first, second))
    return t_test(a, b, equal_var=True)


def hyperfine(first: Block, second: Block) -> Word:
    """Hyperfine: ten runs of the whole command; Welch's t-test at 95 %, as its `scripts/welch_ttest.py` does."""
    a, b = (np.asarray(block.walls[:HYPERFINE_RUNS]) for block in (first, second))
    return t_test(a, b, equal_var=False)


def criterion(first: Block, second: Block) -> Word:
    """criterion.rs: a hundred samples of one process.

    Different if a bootstrapped t-test gives p < 0.05 and the 95 % interval of the change of the mean lies beyond 1 %.
    """
    a, b = (np.asarray(block.long[:CRITERION_SAMPLES]) for block in (first, second))
    rng = np.random.default_rng(0)
    if _bootstrapped_p(a, b, rng) >= _SIGNIFICANCE:
        return None
    means_a, means_b = (rng.choice(one, (CRITERION_RESAMPLES, len(one))).mean(axis=1) for one in (a, b))
    low, high = np.quantile(means_b / means_a - 1, [0.025, 0.975])
    return "slower" if low > CRITERION_NOISE else "faster" if high < -CRITERION_NOISE else None


RULES: dict[str, Callable[[Block, Block], Word]] = {
    "JMH": jmh,
    "criterion": criterion,
    "hyperfine": hyperfine,
    "pyperf": pyperf,
}


def _t_interval(values: np.ndarray, confidence: float) -> tuple[float, float]:
    half = stats.t.ppf((1 + confidence) / 2, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values))
    return float(values.mean() - half), float(values.mean() + half)


def t_test(a: np.ndarray, b: np.ndarray, *, equal_var: bool) -> Word:
    if stats.ttest_ind(a, b, equal_var=equal_var).pvalue >= _SIGNIFICANCE:
        return None
    return "slower" if b.mean() > a.mean() else "faster"


def _bootstrapped_p(a: np.ndarray, b: np.ndarray, rng: np.random.Generator) -> float:
    """Two-sided: how often two samples drawn from both together have a t as large (Efron and Tibshirani 1993, 16.2)."""
    seen = abs(_t(a[None], b[None])[0])
    both = np.concatenate([a, b])
    drawn = rng.choice(both, (CRITERION_RESAMPLES, len(both)))
    return float((np.abs(_t(drawn[:, : len(a)], drawn[:, len(a) :])) >= seen).mean())


def _t(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    spread = a.var(axis=1, ddof=1) / a.shape[1] + b.var(axis=1, ddof=1) / b.shape[1]
    return (a.mean(axis=1) - b.mean(axis=1)) / np.sqrt(spread)
