"""Our BCa limits are SciPy's, draw for draw."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap

from perflab.stats import interval
from perflab.stats.interval import bca_limits

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
    low, high = bca_limits(rows, confidence, np.random.default_rng(7), 999)
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
    low, high = bca_limits(np.array([[0.0, 1.0, 5.0]]), 0.95, np.random.default_rng(0), 1)
    assert np.isnan(low).all()
    assert np.isnan(high).all()


def test_they_do_not_depend_on_how_many_values_are_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = on_grid(np.random.default_rng(1).normal(size=(2, 3, 7)))
    whole = bca_limits(rows, 0.95, np.random.default_rng(7), 999)
    monkeypatch.setattr(interval, "_CHUNK_ELEMENTS", 1_000)
    np.testing.assert_array_equal(bca_limits(rows, 0.95, np.random.default_rng(7), 999), whole)
