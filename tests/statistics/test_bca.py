"""Our BCa limits are SciPy's, draw for draw."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap

from perflab.stats.interval import bca_limits, draw_counts

GRID = 2.0**-20


def on_grid(rows: np.typing.NDArray[np.float64]) -> np.typing.NDArray[np.float64]:
    return np.rint(rows / GRID) * GRID


@pytest.mark.parametrize("n", [3, 4, 8, 31])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("shape", ["normal", "exponential", "two values"])
def test_they_are_scipys(n: int, confidence: float, shape: str) -> None:
    rng = np.random.default_rng(n)
    rows = {
        "normal": rng.normal(size=(2, 20, n)),
        "exponential": rng.exponential(size=(2, 20, n)),
        "two values": np.where(np.arange(n) == rng.integers(0, n, size=(2, 20, 1)), 5.0, 1.0),
    }[shape]
    rows = on_grid(rows)
    low, high = bca_limits(rows, confidence, draw_counts(n, 999, np.random.default_rng(7)))
    theirs = bootstrap(
        (rows,),
        np.mean,
        axis=-1,
        vectorized=True,
        n_resamples=999,
        confidence_level=confidence,
        method="BCa",
        rng=np.random.default_rng(7),
    ).confidence_interval
    assert low.shape == rows.shape[:-1]
    np.testing.assert_allclose(low, theirs.low, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(high, theirs.high, rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("error")
def test_a_mean_on_the_edge_of_its_resamples_has_no_limits() -> None:
    # One resample lies on one side of the mean, whatever is drawn, unless it ties.
    low, high = bca_limits(np.array([[0.0, 1.0, 5.0]]), 0.95, draw_counts(3, 1, np.random.default_rng(0)))
    assert np.isnan(low).all()
    assert np.isnan(high).all()
