"""Rank stability: how often a ranking would have come out otherwise, had it been made from one round alone.

A published ranking is one order. Each round of an interleaved run is a ranking of its own, and what changes places from
one round to the next has no rank that another day would confirm.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from perflab.statistics.pairing import direction

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perflab.protocol.messages import Better


@dataclass(frozen=True, slots=True)
class Swap:
    """Two variants, and in how many of the rounds that both have the order was the other way round.

    A tie is half a swap: it decides for neither.
    """

    ahead: str
    behind: str
    swapped: float
    rounds: int

    @property
    def share(self) -> float | None:
        """Swapped rounds of all rounds, 0 to 1; `None` without a common round. At 0.5 nobody is ahead."""
        return self.swapped / self.rounds if self.rounds else None


@dataclass(frozen=True, slots=True)
class Place:
    """A variant's place over all rounds (1 is the best), and its best and worst place in one round."""

    label: str
    place: int
    best: int
    worst: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """The places, first one first, and each pair's swaps, `ahead` being the one with the better place."""

    places: list[Place]
    swaps: list[Swap]

    def swap(self, one: str, other: str) -> Swap | None:
        """The pair's swaps, in either order."""
        return next((swap for swap in self.swaps if {swap.ahead, swap.behind} == {one, other}), None)


def rank_rounds(values: Mapping[str, Sequence[float]], better: Better) -> Ranking:
    """Rank variants over all rounds by their median round, and look how often a round says otherwise.

    Args:
        values: One value per round for each variant, the same round at the same index; NaN where the fork is missing.
            A variant without a value is left out.
        better: Which direction of the metric is an improvement.

    Raises:
        ValueError: Rounds that do not match, or an unknown direction.
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
        places.append(Place(label, number + 1, min(in_rounds), max(in_rounds)))
    return Ranking(places, swaps)


def _places(label: str, rows: Mapping[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]]) -> list[int]:
    """The variant's place in each round that has it, among those that the round has."""
    own = rows[label]
    ahead = np.stack([row > own for row in rows.values()]).sum(axis=0)
    return [int(place) + 1 for place in ahead[~np.isnan(own)]]
