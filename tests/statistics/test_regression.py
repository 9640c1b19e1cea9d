"""Intervals against thresholds."""

from __future__ import annotations

import pytest

from perflab.stats.comparison import regression_word
from perflab.stats.unpaired import compare_unpaired

LEVEL = 1000.0


def word(times: list[float], threshold: float) -> str:
    """The verdict on times that were 1000 in each of three forks."""
    return regression_word(compare_unpaired([LEVEL] * 3, times, "m", "ns", "lower"), threshold, LEVEL)


@pytest.mark.parametrize(
    ("times", "threshold", "expected"),
    [
        ([1100.0] * 3, 0.05, "regression"),
        ([1100.0] * 3, 0.10, "within threshold"),
        ([1101.0] * 3, 0.10, "regression"),
        ([1000.0] * 3, 0.0, "within threshold"),
        ([1001.0] * 3, 0.0, "regression"),
        ([990.0] * 3, 0.10, "better"),
        ([1000.0, 1050.0, 1300.0], 0.10, "inconclusive"),
        ([1180.0, 1190.0, 1200.0], 0.10, "regression"),
        ([1080.0, 1085.0, 1090.0], 0.10, "within threshold"),
    ],
)
def test_words(times: list[float], threshold: float, expected: str) -> None:
    assert word(times, threshold) == expected


def test_a_rate_may_fall_as_far_as_a_time_may_rise() -> None:
    for rate, expected in ((1000 / 1.09, "within threshold"), (1000 / 1.11, "regression")):
        found = compare_unpaired([LEVEL] * 3, [rate] * 3, "m", "1/s", "higher")
        assert regression_word(found, 0.10, LEVEL) == expected


def test_where_there_was_nothing_any_sure_worsening_is_one() -> None:
    lost = compare_unpaired([0.0] * 4, [1.0, 1.0, 2.0, 1.0], "lost", "messages", "lower")
    assert regression_word(lost, 0.10, 0.0) == "regression"
    none = compare_unpaired([0.0] * 4, [0.0] * 4, "lost", "messages", "lower")
    assert regression_word(none, 0.10, 0.0) == "within threshold"


def test_without_an_interval_nothing_is_known() -> None:
    short = compare_unpaired([1.0, 1.0], [9.0, 9.0], "m", "ns", "lower")
    assert regression_word(short, 0.10, 1.0) == "inconclusive"


def test_a_factor_as_a_share() -> None:
    for time, share, text in ((1100.0, 0.1, "+10.0 [+10.0, +10.0] %"), (500.0, -0.5, "-50.0 [-50.0, -50.0] %")):
        found = compare_unpaired([LEVEL] * 3, [time] * 3, "m", "ns", "lower").worse_by
        assert found is not None
        assert found.value == pytest.approx(share)
        assert str(found) == text
    assert compare_unpaired([], [1.0], "m", "ns", "lower").worse_by is None


def test_how_much_worse_has_its_ends_in_order() -> None:
    found = compare_unpaired([LEVEL] * 3, [900.0, 1000.0, 1200.0], "m", "ns", "lower").worse_by
    assert found is not None
    assert found.interval is not None
    assert found.interval[0] < found.value < found.interval[1]
    lost = compare_unpaired([0.0] * 4, [1.0, 1.0, 2.0, 1.0], "lost", "messages", "lower").worse_by
    assert lost is not None
    assert lost.interval is not None
    assert 0 < lost.interval[0] < lost.value == 1.25 < lost.interval[1]
    assert str(lost).startswith("+1.25 [+")
