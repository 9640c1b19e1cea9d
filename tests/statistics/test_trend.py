"""Mann and Kendall's test and Theil and Sen's slope are SciPy's, exact and asymptotic, with ties and without."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import kendalltau, theilslopes

from perflab.stats.diagnostics import theil_sen_slope, trend_p_value


@pytest.mark.parametrize("n", [2, 3, 6, 7, 32, 33, 34, 120])
@pytest.mark.parametrize("slope", [-0.3, 0.0, 0.05])
@pytest.mark.parametrize("digits", [0, 9])
def test_they_are_scipys(n: int, slope: float, digits: int) -> None:
    rng = np.random.default_rng(n)
    times = np.sort(rng.choice(3 * n, size=n, replace=False))
    values = np.round(slope * np.arange(n) + rng.normal(size=n), digits)
    if np.ptp(values) == 0:
        values[0] += 1
    assert trend_p_value(values) == pytest.approx(kendalltau(times, values).pvalue, rel=1e-9)
    assert theil_sen_slope(times, values) == pytest.approx(theilslopes(values, times).slope, rel=1e-12)


def test_its_p_value_counts_the_permutations_at_least_as_ordered() -> None:
    values = np.array([1.0, 3.0, 2.0, 4.0, 5.0])
    scores = [
        abs(sum(np.sign(b - a) for a, b in itertools.combinations(order, 2)))
        for order in itertools.permutations(range(5))
    ]
    assert trend_p_value(values) == pytest.approx(np.mean(np.array(scores) >= 8))


def test_a_perfect_order_of_five_is_no_drift_yet_and_of_six_is() -> None:
    assert trend_p_value(np.arange(5.0)) > 0.01
    assert trend_p_value(np.arange(6.0)) < 0.01
