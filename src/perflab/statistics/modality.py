"""Whether the forks fall into two groups, as they do when a lock convoy or a core placement forms in some of them.

The statistic is the best two-group split's separation: the distance of the group means over the standard deviation
within the groups (the D of Ashman et al. (1994), with a pooled spread). Half of any unimodal sample is "separated" from
the other half too (a split normal sample has D = 2.6), so their bound of D > 2 means nothing here. The flag compares
with the same statistic on samples from the uniform distribution instead, the least favourable unimodal one of Hartigan
and Hartigan (1985), which keeps false alarms far below the level on bell shapes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MINIMUM_FORKS = 8
SMALLEST_GROUP = 0.2
"""Share of the forks; fewer are outliers, not a mode."""

LEVEL = 0.05
"""False-alarm rate on uniform data; on normal data it is below 0.02."""

_SIMULATIONS = 4_000
_ENDLESS = 1e9


@dataclass(frozen=True, slots=True)
class Modality:
    """The best split of a variant's forks into two groups.

    Attributes:
        bimodal: the separation is more than unimodal data show.
        separation: distance of the group means in standard deviations within the groups.
        p_value: share of uniform samples at least as separated.
        centres: geometric (or, if a value is not above zero, arithmetic) mean of each group, in the metric's unit.
        upper_share: share of the forks in the upper group.
    """

    bimodal: bool
    separation: float
    p_value: float
    centres: tuple[float, float]
    upper_share: float


def modality(values: Floats) -> Modality | None:
    """Test one variant's forks for two modes; None for fewer than `MINIMUM_FORKS` or constant values.

    Args:
        values: finite, at least one per fork; compared on the log scale if all are above zero.
    """
    n = values.size
    if n < MINIMUM_FORKS:
        return None
    logarithmic = bool((values > 0).all())
    ordered = np.sort(np.log(values) if logarithmic else values)
    scale = float(np.ptp(ordered))
    if scale <= 1e-12 * max(1.0, float(np.abs(ordered).max())):
        return None
    separations = _separations(((ordered - ordered[0]) / scale)[np.newaxis, :])[0]
    best = int(np.argmax(separations))
    upper = n - (_smallest_group(n) + best)
    separation = float(separations[best])
    null = _uniform_separations(n)
    p_value = (1 + null.size - int(np.searchsorted(null, separation))) / (1 + null.size)
    centres = float(ordered[: n - upper].mean()), float(ordered[n - upper :].mean())
    return Modality(
        bimodal=p_value < LEVEL,
        separation=separation,
        p_value=p_value,
        centres=(math.exp(centres[0]), math.exp(centres[1])) if logarithmic else centres,
        upper_share=upper / n,
    )


def _smallest_group(n: int) -> int:
    return max(2, math.ceil(SMALLEST_GROUP * n))


def _separations(rows: Floats) -> Floats:
    """Separation of every allowed split of sorted rows: shape (rows, splits)."""
    n = rows.shape[1]
    smallest = _smallest_group(n)
    sizes = np.arange(smallest, n - smallest + 1)
    centred = rows - rows.mean(axis=1, keepdims=True)
    lower = np.cumsum(centred, axis=1)[:, sizes - 1]
    distance = -lower / (n - sizes) - lower / sizes
    total = (centred**2).sum(axis=1, keepdims=True)
    within = np.sqrt(np.maximum(total - lower**2 / sizes - lower**2 / (n - sizes), 0) / (n - 2))
    separations: Floats = np.minimum(distance / np.maximum(within, 1 / _ENDLESS), _ENDLESS)
    return separations


@lru_cache(maxsize=64)
def _uniform_separations(n: int) -> Floats:
    """The statistic's distribution for unimodal data, sorted."""
    samples = np.sort(np.random.default_rng(n).random((_SIMULATIONS, n)), axis=1)
    null = np.sort(_separations(samples).max(axis=1))
    null.setflags(write=False)
    return null
