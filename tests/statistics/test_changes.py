"""Changes of level: found where they are, and not found where there are none."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflab.stats.changes import find_changes, values_needed

NOISE = 0.02
SERIES_WITHOUT = 150


def series(seed: int, *levels: tuple[int, float]) -> np.ndarray:
    chance = np.random.default_rng(seed)
    return np.concatenate([chance.normal(level, NOISE, number) for number, level in levels])


@pytest.mark.parametrize("seed", range(8))
def test_a_step_is_found_at_its_place(seed: int) -> None:
    (change,) = find_changes(series(seed, (14, 0.0), (9, 0.10)))
    assert change.index == 14
    assert change.p <= 0.01


@pytest.mark.parametrize("seed", range(4))
def test_a_regression_that_was_repaired_is_two_changes(seed: int) -> None:
    found = find_changes(series(seed, (10, 0.0), (6, -0.12), (10, 0.0)))
    assert [one.index for one in found] == [10, 16]


def test_three_steps_are_three_changes() -> None:
    found = find_changes(series(3, (10, 0.0), (10, 0.15), (10, 0.3), (10, 0.45)))
    assert [one.index for one in found] == [10, 20, 30]


@pytest.mark.long
@pytest.mark.parametrize("shape", ["normal", "bimodal", "heavy"])
def test_where_nothing_changed_next_to_nothing_is_found(shape: str) -> None:
    alarms = 0
    for seed in range(SERIES_WITHOUT):
        chance = np.random.default_rng([seed, len(shape)])
        draw = {
            "normal": lambda chance=chance: chance.normal(0, NOISE, 25),
            "bimodal": lambda chance=chance: chance.normal(0, NOISE, 25) + 0.3 * (chance.random(25) < 0.3),
            "heavy": lambda chance=chance: chance.standard_t(2, 25) * NOISE,
        }[shape]
        alarms += bool(find_changes(draw()))
    # Two per cent are promised, three of 150; of more than eight, chance makes one in two hundred.
    assert alarms <= 8


def test_one_odd_run_is_no_change() -> None:
    values = series(1, (20, 0.0))
    values[11] = 0.5
    assert find_changes(values) == []


def test_with_fewer_than_needed_nothing_is_found_however_large() -> None:
    needed = values_needed()
    assert needed == 10
    steep = np.repeat([0.0, 1.0], 5) + series(2, (10, 0.0))
    assert [one.index for one in find_changes(steep)] == [5]
    assert find_changes(steep[1:]) == []


def test_what_never_varies_never_changed() -> None:
    assert find_changes([1.0] * 30) == []
    assert [one.index for one in find_changes([1.0] * 12 + [2.0] * 12)] == [12]


@given(
    st.lists(st.floats(-5, 5), min_size=0, max_size=24),
    st.floats(-3, 3),
    st.sampled_from([-4.0, 0.25, 2.0]),
)
@settings(max_examples=25)
def test_shift_and_scale_move_nothing_and_levels_are_long_enough(
    values: list[float], shift: float, scale: float
) -> None:
    # On a grid, so that a shift does not round values that differ into values that are equal.
    grid = np.round(np.asarray(values), 1)
    found = [one.index for one in find_changes(grid)]
    assert found == [one.index for one in find_changes(np.round(shift) + scale * grid)]
    ends = [0, *found, len(values)]
    assert all(stop - start >= 3 for start, stop in itertools.pairwise(ends)) or not found


@pytest.mark.parametrize("bad", [[float("nan")] * 12, [float("inf")] * 12])
def test_what_is_no_number_is_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="finite"):
        find_changes(bad)
