"""Where in a history the level changes: the best splits of a series, and whether chance finds splits as good.

The splits are ruptures' (Truong, Oudre and Vayatis 2020), exact by dynamic programming. Whether there is one at all is
asked of the series itself, as Matteson and James (2014) do: had nothing changed, each order of its values would have
been as likely as the one seen, so that shuffled series show how good a split chance alone finds. That assumes neither
a shape nor a size of the noise, both of which a shared machine changes as it likes, but it takes a number of runs.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


FALSE_ALARMS = 0.02
"""The share of histories without any change in which one is found."""

LEAST_LEVEL = 3
"""Runs that a level must have: one odd run is no level, and two may be one odd day."""

_LEVEL = FALSE_ALARMS / 2
"""Of each of the two questions that a part is asked."""

_SHUFFLES = 1999
_ENOUGH_AS_GOOD = 40


@dataclass(frozen=True, slots=True)
class Change:
    """A change of level.

    `index` is that of the first value at the new level, `p` the share of shuffled series with a split as good.
    """

    index: int
    p: float


def values_needed() -> int:
    """The fewest values in which a change can be found: of fewer, too many orders are as good as the best."""
    number = 2 * LEAST_LEVEL
    while not _enough(number):
        number += 1
    return number


def _enough(number: int) -> bool:
    """Whether few enough of the orders of so many values are as good as the best: it and its mirror image are."""
    return 2 / math.comb(number, number // 2) <= _LEVEL


def find_changes(values: Sequence[float] | Floats) -> list[Change]:
    """The changes of level in a series, in its order.

    Each part is asked first for one change, and then for two, so that a regression which was repaired is found although
    both ends are alike; each question has half of `FALSE_ALARMS`.

    Args:
        values: One per run, on a scale on which noise is about as large everywhere; logarithms for ratios and times.
    """
    series = np.asarray(values, dtype=float)
    if not np.isfinite(series).all():
        raise ValueError("changes are looked for in finite values")
    found = _within(series, 0, np.random.default_rng(0))
    if not found:
        return []
    # Each was placed within its own part; placed together, each is where the others let it be.
    places = _splits(series, len(found))
    return [Change(place, p) for place, (_, p) in zip(places, sorted(found), strict=True)]


def _within(part: Floats, offset: int, chance: np.random.Generator) -> list[tuple[int, float]]:
    """The changes in a part of the series that begins at `offset`, with their p."""
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
    """How often shuffled values split as well; ends early where that is often (Besag and Clifford 1991)."""
    as_good = 0
    for shuffles in range(1, _SHUFFLES + 1):
        other = chance.permutation(part)
        # A sum in another order differs in its last digits.
        as_good += _gain(other, _splits(other, number)) >= gain * (1 - 1e-9)
        if as_good == _ENOUGH_AS_GOOD:
            return as_good / shuffles
    return (as_good + 1) / (_SHUFFLES + 1)


def _splits(series: Floats, number: int) -> list[int]:
    """The indices at which to split a series into parts with the least squared deviation from their own means."""
    from ruptures.detection import KernelCPD  # noqa: PLC0415 - it imports SciPy

    found: list[int] = KernelCPD(kernel="linear", min_size=LEAST_LEVEL).fit(series).predict(n_bkps=number)
    return [int(place) for place in found[:-1]]


def _gain(series: Floats, places: Sequence[int]) -> float:
    """By how much splitting there reduces the squared deviation."""
    parts = np.split(series - series.mean(), places)
    return float(sum(part.sum() ** 2 / part.size for part in parts))
