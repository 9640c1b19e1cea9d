"""Change point detection in histories: the best splits of a series, with a permutation test.

The splits are those of ruptures (Truong, Oudre and Vayatis 2020), exact by dynamic programming. The permutation test
follows Matteson and James (2014): without a change every order of the values is equally likely, so shuffled series
show how good a split is found by chance. It assumes neither a shape nor a size of the noise, both of which vary on a
shared machine, but needs a minimum number of runs.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflab.stats.arrays import np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


FALSE_ALARMS = 0.02
"""False-alarm rate: the share of histories without a change in which one is found."""

LEAST_LEVEL = 3
"""Minimum runs per level: one odd run is not a level, and two may be one odd day."""

_LEVEL = FALSE_ALARMS / 2
"""Level of each of the two tests per segment."""

_SHUFFLES = 1999
_ENOUGH_AS_GOOD = 40


@dataclass(frozen=True, slots=True)
class Change:
    """A change of level.

    `index` is the first value at the new level, `p` the share of shuffled series with an equally good split.
    """

    index: int
    p: float


def values_needed() -> int:
    """Return the minimum number of values in which a change can be found at this level."""
    number = 2 * LEAST_LEVEL
    while not _enough(number):
        number += 1
    return number


def _enough(number: int) -> bool:
    """Check that the smallest possible p is below the level: the best order and its mirror image are equally good."""
    return 2 / math.comb(number, number // 2) <= _LEVEL


def find_changes(values: Sequence[float] | Floats) -> list[Change]:
    """Return the changes of level in a series, in order.

    Each segment is tested for one change, and then for two, so that a repaired regression is found although both ends
    are alike; each test has half of `FALSE_ALARMS`.

    Args:
        values: One per run, on a scale with uniform noise: logarithms for ratios and times.
    """
    series = np.asarray(values, dtype=float)
    if not np.isfinite(series).all():
        raise ValueError("changes are looked for in finite values")
    found = _within(series, 0, np.random.default_rng(0))
    if not found:
        return []
    # Each was placed within its own segment; now optimise all places together.
    places = _splits(series, len(found))
    return [Change(place, p) for place, (_, p) in zip(places, sorted(found), strict=True)]


def _within(part: Floats, offset: int, chance: np.random.Generator) -> list[tuple[int, float]]:
    """Return the changes in a segment that starts at `offset`, with their p."""
    if not _enough(part.size) or part.min() == part.max():
        return []
    for number in (1, 2):
        if part.size < (number + 1) * LEAST_LEVEL:
            continue
        places = _splits(part, number)
        p = _chance_of(part, number, _gain(part, places), chance)
        if p > _LEVEL:
            continue
        ends = [0, *places, part.size]
        found = [(offset + place, p) for place in places]
        for start, stop in itertools.pairwise(ends):
            found += _within(part[start:stop], offset + start, chance)
        return sorted(found)
    return []


def _chance_of(part: Floats, number: int, gain: float, chance: np.random.Generator) -> float:
    """Return the share of shuffles with as good a split; stop early if they are many (Besag and Clifford 1991)."""
    as_good = 0
    for shuffles in range(1, _SHUFFLES + 1):
        other = chance.permutation(part)
        # Sums in another order differ in the last digits.
        as_good += _gain(other, _splits(other, number)) >= gain * (1 - 1e-9)
        if as_good == _ENOUGH_AS_GOOD:
            return as_good / shuffles
    return (as_good + 1) / (_SHUFFLES + 1)


def _splits(series: Floats, number: int) -> list[int]:
    """Return the indices that split a series into segments with the least squared deviation from their means."""
    from ruptures.detection import KernelCPD  # noqa: PLC0415 - it imports SciPy

    found: list[int] = KernelCPD(kernel="linear", min_size=LEAST_LEVEL).fit(series).predict(n_bkps=number)
    return [int(place) for place in found[:-1]]


def _gain(series: Floats, places: Sequence[int]) -> float:
    """Return the reduction of the squared deviation by a split."""
    parts = np.split(series - series.mean(), places)
    return float(sum(part.sum() ** 2 / part.size for part in parts))
