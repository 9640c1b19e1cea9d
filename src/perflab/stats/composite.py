"""A composite score over several scenarios: a variant's share of the best, on average and in its worst scenario.

The score is reactive-bench's: in each scenario a variant's performance, here the geometric mean of its rounds, is
divided by that of the fastest variant, and void results count as zero. The `mean` over the scenarios is the composite
score, `worst` is the lowest share of any scenario, and `spread` is the mean minus the worst.

The interval is a bootstrap over rounds. Rounds are resampled for all variants of a scenario together, because they
share the round's drift, and for each scenario separately, because scenarios share no rounds. The best variant is
determined in every resample, so that the interval includes the divisor's uncertainty. As in `interval`, two corrections
are made for a small number of rounds: percentiles at Hesterberg's (2015) expanded level, and limits never closer than
Student's t times the bootstrap's standard error, because no resample leaves [min, max].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from perflab.model.estimate import Estimate
from perflab.stats.arrays import np
from perflab.stats.comparison import direction, simultaneous_confidence
from perflab.stats.interval import CONFIDENCE, MINIMUM_ROUNDS, expanded_confidence, student_quantile

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from perflab.model.protocol import Better

    Floats = NDArray[np.float64]


Figure = Literal["mean", "worst", "spread"]

_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Score:
    """A variant's score. All figures are shares of the best: 1 is as fast as the fastest, 0 is void.

    `shares` has one per scenario; a small spread means consistency.
    """

    label: str
    shares: dict[str, Estimate]
    mean: Estimate
    worst: Estimate
    spread: Estimate
    worst_scenario: str


class Composite:
    """The scores of all variants that have a figure, or are void, in every scenario.

    Args:
        rounds: Per scenario and variant one value above zero per round, the same round at the same index; NaN where the
            fork is missing. Each scenario has its own rounds.
        better: Direction of improvement of each scenario's metric.
        void: Variants per scenario whose results do not count; their values are ignored.
    """

    def __init__(
        self,
        rounds: Mapping[str, Mapping[str, Sequence[float]]],
        better: Mapping[str, Better],
        void: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        if not rounds:
            raise ValueError("a score needs at least one scenario")
        dropped = {scenario: set((void or {}).get(scenario, ())) for scenario in rounds}
        logs = {name: _logs(name, values, better[name], dropped[name]) for name, values in rounds.items()}
        everyone = list(dict.fromkeys(label for name in rounds for label in (*rounds[name], *sorted(dropped[name]))))
        self.labels = [one for one in everyone if all(one in logs[name] or one in dropped[name] for name in rounds)]
        self.scenarios = list(rounds)
        fewest = min(_length(own) for own in logs.values())
        self._fewest = fewest
        rng = np.random.default_rng(0)
        self._estimated = np.stack([self._shares(logs[name], None) for name in rounds], axis=-1)
        self._resampled: Floats | None = None
        if fewest >= MINIMUM_ROUNDS:
            shares = (
                self._shares(own, rng.integers(0, _length(own), (_RESAMPLES, _length(own)))) for own in logs.values()
            )
            self._resampled = np.stack([*shares], axis=-1)

    def scores(self) -> list[Score]:
        """The variants' scores, the best mean first."""
        found = [self._score(label) for label in self.labels]
        return sorted(found, key=lambda one: (-one.mean.value, one.label))

    def estimate(self, label: str, figure: Figure) -> Estimate:
        """Return a figure of a variant."""
        index = self._index(label)
        resampled = None if self._resampled is None else _figure(self._resampled[:, index], figure)
        return _share(self._with_limits(float(_figure(self._estimated[index], figure)), resampled))

    def lead(self, label: str, over: str, figure: Figure, *, comparisons: int = 1) -> Estimate:
        """Return a variant's lead over another in a figure; positive if it is better.

        Args:
            label: The variant.
            over: The other variant.
            figure: The figure; a smaller spread is better.
            comparisons: Number of leads to hold jointly with the confidence (Bonferroni).
        """
        sign = -1 if figure == "spread" else 1
        mine, theirs = self._index(label), self._index(over)
        value = sign * (_figure(self._estimated[mine], figure) - _figure(self._estimated[theirs], figure))
        resampled = None
        if self._resampled is not None:
            resampled = sign * (_figure(self._resampled[:, mine], figure) - _figure(self._resampled[:, theirs], figure))
        return self._with_limits(float(value), resampled, comparisons, signed=True)

    def _shares(self, logs: Mapping[str, Floats], indices: NDArray[np.int64] | None) -> Floats:
        """Return shares of a scenario's best, of shape (..., labels); zero if void."""
        taken = [own if indices is None else own[indices] for own in logs.values()]
        with np.errstate(invalid="ignore", divide="ignore"):
            present = np.stack([(~np.isnan(own)).sum(axis=-1) for own in taken], axis=-1)
            means = np.stack([np.nansum(own, axis=-1) for own in taken], axis=-1) / present
        shares = np.exp(means - np.fmax.reduce(means, axis=-1, keepdims=True))
        order = list(logs)
        zero = np.zeros(shares.shape[:-1])
        columns = [shares[..., order.index(label)] if label in logs else zero for label in self.labels]
        return np.stack(columns, axis=-1) if columns else np.zeros((*shares.shape[:-1], 0))

    def _score(self, label: str) -> Score:
        index = self._index(label)
        shares = {}
        for number, name in enumerate(self.scenarios):
            resampled = None if self._resampled is None else self._resampled[:, index, number]
            shares[name] = _share(self._with_limits(float(self._estimated[index, number]), resampled))
        return Score(
            label=label,
            shares=shares,
            mean=self.estimate(label, "mean"),
            worst=self.estimate(label, "worst"),
            spread=self.estimate(label, "spread"),
            worst_scenario=self.scenarios[int(np.argmin(self._estimated[index]))],
        )

    def _index(self, label: str) -> int:
        if label not in self.labels:
            raise ValueError(f"{label!r} has no score: it was not measured in every one of {', '.join(self.scenarios)}")
        return self.labels.index(label)

    def _with_limits(
        self, value: float, resampled: Floats | None, comparisons: int = 1, *, signed: bool = False
    ) -> Estimate:
        if resampled is None:
            return Estimate(value, unit="share", signed=signed)
        n, confidence = self._fewest, simultaneous_confidence(CONFIDENCE, comparisons)
        level = expanded_confidence(confidence, n)
        low, high = np.nanquantile(resampled, [(1 - level) / 2, (1 + level) / 2])
        error = float(np.nanstd(resampled)) * math.sqrt(n / (n - 1))
        student = student_quantile((1 + confidence) / 2, n) * error
        ends = min(float(low), value - student), max(float(high), value + student)
        return Estimate(value, *ends, unit="share", signed=signed, level=confidence)


def _share(estimate: Estimate) -> Estimate:
    """Limit a share to the range from void to the best."""
    return estimate.map(lambda share: min(max(share, 0.0), 1.0))


def _figure(shares: Floats, figure: Figure) -> Floats:
    """Reduce the last axis, the scenarios, to a figure."""
    if figure == "spread":
        return np.asarray(shares.mean(axis=-1) - shares.min(axis=-1))
    return np.asarray(shares.mean(axis=-1) if figure == "mean" else shares.min(axis=-1))


def _logs(
    scenario: str, values: Mapping[str, Sequence[float]], better: Better, void: Collection[str]
) -> dict[str, Floats]:
    """Return the rounds of each variant that counts as logarithms, higher being better."""
    found = {}
    for label, series in values.items():
        row = np.asarray(series, dtype=float)
        known = row[~np.isnan(row)]
        if label in void or not known.size:
            continue
        if not (np.isfinite(known).all() and (known > 0).all()):
            raise ValueError(f"a share of the best needs values above zero: {label} in {scenario}")
        found[label] = direction(better) * np.log(row)
    if not found:
        raise ValueError(f"no variant has a value in {scenario}")
    if len({row.size for row in found.values()}) > 1:
        raise ValueError(f"rounds do not match in {scenario}")
    return found


def _length(logs: Mapping[str, Floats]) -> int:
    return next(iter(logs.values())).size


# Rank stability: how often a single round would give another ranking.
#
# A published ranking is one order. Each round of an interleaved run gives its own, and variants that swap between
# rounds have no rank that another day would confirm.


@dataclass(frozen=True, slots=True)
class Swap:
    """Two variants, and the number of their common rounds in which their order was reversed.

    A tie is half a swap.
    """

    ahead: str
    behind: str
    swapped: float
    rounds: int

    @property
    def share(self) -> float | None:
        """Share of swapped rounds, 0 to 1; `None` without a common round. At 0.5 neither is ahead."""
        return self.swapped / self.rounds if self.rounds else None


@dataclass(frozen=True, slots=True)
class Rank:
    """A variant's place over all rounds (1 is the best), and its best and worst place in a round."""

    label: str
    place: int
    best: int
    worst: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """The ranks in order, and each pair's swaps, `ahead` being the variant with the better rank."""

    places: list[Rank]
    swaps: list[Swap]

    def swap(self, one: str, other: str) -> Swap | None:
        """Return the swaps of a pair, in either order."""
        return next((swap for swap in self.swaps if {swap.ahead, swap.behind} == {one, other}), None)


def rank_rounds(values: Mapping[str, Sequence[float]], better: Better) -> Ranking:
    """Rank variants by their median round, and count the rounds with another order.

    Variants without a value are left out.
    """
    sign = direction(better)
    rows = {label: sign * np.asarray(series, dtype=float) for label, series in values.items()}
    rows = {label: row for label, row in rows.items() if not np.isnan(row).all()}
    if len({row.shape for row in rows.values()}) > 1:
        raise ValueError("rounds do not match")
    order = sorted(rows, key=lambda label: (-float(np.nanmedian(rows[label])), label))
    swaps = []
    for ahead, behind in combinations(order, 2):
        first, second = rows[ahead], rows[behind]
        both = ~(np.isnan(first) | np.isnan(second))
        swapped = (first < second)[both].sum() + (first == second)[both].sum() / 2
        swaps.append(Swap(ahead, behind, float(swapped), int(both.sum())))
    places = []
    for number, label in enumerate(order):
        in_rounds = _places(label, rows)
        places.append(Rank(label, number + 1, min(in_rounds), max(in_rounds)))
    return Ranking(places, swaps)


def _places(label: str, rows: Mapping[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]]) -> list[int]:
    """Return the variant's place in each of its rounds, among the variants of that round."""
    own = rows[label]
    ahead = np.stack([row > own for row in rows.values()]).sum(axis=0)
    return [int(place) + 1 for place in ahead[~np.isnan(own)]]
