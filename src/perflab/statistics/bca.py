"""Efron's (1987) bias-corrected and accelerated bootstrap limits of a mean, for many rows at once.

The figures are those of `scipy.stats.bootstrap`, draw for draw, and a test compares the two. They are computed here
because importing `scipy.stats` takes longer than all else that a comparison does, and would happen between two forks.
For a mean the jackknife has a closed form as well: leaving out a value moves the mean by its deviation over n - 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def bca_limits(
    rows: Floats, confidence: float, rng: np.random.Generator, resamples: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Limits of the mean along the last axis; every row is resampled at the same indices.

    Args:
        rows: shape (..., n), no row constant; sums of a row must be exact, so that resamples that tie, tie.
        confidence: nominal level, between 0 and 1.
        rng: draws the indices.
        resamples: how many.

    Returns:
        Lower and upper limits of shape (...); NaN where no resample lies on one side of the mean.
    """
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 - SciPy is slow to import

    n = rows.shape[-1]
    means = rows[..., rng.integers(0, n, (resamples, n))].mean(axis=-1)
    means.sort(axis=-1)
    centre = rows.mean(axis=-1, keepdims=True)
    below = (means < centre).sum(axis=-1) + (means <= centre).sum(axis=-1)
    bias = ndtri(below / (2 * resamples))
    deviations = rows - centre
    acceleration = (deviations**3).sum(axis=-1) / (6 * (deviations**2).sum(axis=-1) ** 1.5)
    low, high = (bias + z for z in ndtri([(1 - confidence) / 2, (1 + confidence) / 2]))
    with np.errstate(invalid="ignore"):  # an infinite bias gives NaN, as documented
        levels = [ndtr(bias + shifted / (1 - acceleration * shifted)) for shifted in (low, high)]
    return _quantiles(means, levels[0]), _quantiles(means, levels[1])


def _quantiles(ordered: Floats, levels: Floats) -> Floats:
    """Each sorted row's quantile at its own level, linear between neighbours; NaN at a level of NaN."""
    last = ordered.shape[-1] - 1
    position = levels * last
    below = np.floor(np.nan_to_num(position)).astype(np.intp)
    neighbours = np.stack([below, np.minimum(below + 1, last)], axis=-1)
    left, right = np.moveaxis(np.take_along_axis(ordered, neighbours, axis=-1), -1, 0)
    quantiles: Floats = left + (position - below) * (right - left)
    return quantiles
