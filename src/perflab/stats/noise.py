"""The noise band: the ratios of A/A pairs, two identical variants, on this machine."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from perflab.model.estimate import Estimate, flat_fields
from perflab.stats.arrays import np
from perflab.stats.interval import MINIMUM_ROUNDS, mean_intervals, student_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


_COVERAGE = 0.95
_EXPERIMENTS = 1_000
_RESAMPLES = 1_000


@dataclass(frozen=True)
class NoiseBand:
    """The ratios of two identical variants on this machine.

    `coverage` of future estimates of `rounds` rounds fall inside the band around the `ratio` of 1; its lower end is
    always 1 / the upper. `logs` are those of the newest of the A/A `pairs`.
    """

    ratio: Estimate
    coverage: float
    pairs: int
    rounds: int
    logs: Floats = field(repr=False, compare=False)

    @cached_property
    def false_alarms(self) -> float:
        """Share of A/A comparisons, resampled from the pairs, whose interval excludes 1; takes seconds."""
        return _false_alarm_rate(self.logs, min(self.rounds, self.logs.size))

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        found = flat_fields(self, "ratio")
        del found["ratio"], found["logs"]
        return {**found, "false_alarms": self.false_alarms}


def noise_band(
    pairs: Sequence[float],
    *,
    rounds: int | None = None,
) -> NoiseBand:
    """Return the band of the ratios of two identical variants.

    The choice of the numerator is arbitrary, so the log ratios have a mean of zero by design and the pairs only
    determine their spread: rms over `pairs` values estimates it with as many degrees of freedom, and an estimate over
    `rounds` new rounds falls within t_{coverage, pairs} rms / sqrt(rounds).

    `pairs` has the ratio of each A/A round, NaN where a fork is missing. `rounds`, by default as many, is the number of
    rounds of the estimates that the band applies to.
    """
    ratios = np.asarray(pairs, dtype=float)
    ratios = ratios[~np.isnan(ratios)]
    if ratios.size < MINIMUM_ROUNDS:
        raise ValueError(f"a noise band needs at least {MINIMUM_ROUNDS} A/A pairs, not {ratios.size}")
    if not (np.isfinite(ratios).all() and (ratios > 0).all()):
        raise ValueError("A/A ratios are finite and above zero")
    if rounds is None:
        rounds = int(ratios.size)
    if rounds < MINIMUM_ROUNDS:
        raise ValueError(f"a comparison needs at least {MINIMUM_ROUNDS} rounds, not {rounds}")
    logs = np.log(ratios)
    rms = math.sqrt(float(np.mean(logs**2)))
    reach = student_quantile((1 + _COVERAGE) / 2, ratios.size + 1) * rms / math.sqrt(rounds)
    return NoiseBand(
        ratio=Estimate(1.0, math.exp(-reach), math.exp(reach), unit="x", level=_COVERAGE),
        coverage=_COVERAGE,
        pairs=int(ratios.size),
        rounds=rounds,
        logs=logs[-_MOST_RESAMPLED:],
    )


_MOST_RESAMPLED = 300
"""Pairs, the newest ones, by which false alarms are counted: more take seconds, and change the count by little."""


def _false_alarm_rate(logs: Floats, rounds: int) -> float:
    """Return the share of comparisons of A/A data whose interval excludes equality.

    An experiment is a random choice of distinct pairs with random signs, the randomisation under which no difference is
    exactly true (Fisher 1935). Drawing with replacement would repeat pairs and find spreads that never occurred.
    """
    rng = np.random.default_rng(0)
    chosen = rng.permuted(np.tile(logs, (_EXPERIMENTS, 1)), axis=1)[:, :rounds]
    signs = rng.choice(np.array([-1.0, 1.0]), size=chosen.shape)
    low, high = mean_intervals(chosen * signs, resamples=_RESAMPLES)
    return float(np.mean((low > 0) | (high < 0)))
