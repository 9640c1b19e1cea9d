from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflab.stats.comparison import cliffs_delta, effect_word

sides = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=10)


@given(sides, sides)
def test_delta_counts_wins_minus_losses(ours: list[float], theirs: list[float]) -> None:
    wins = sum(a > b for a in ours for b in theirs) - sum(a < b for a in ours for b in theirs)
    assert cliffs_delta(ours, theirs) == pytest.approx(wins / (len(ours) * len(theirs)))


@pytest.mark.parametrize(
    ("delta", "word"),
    [(0, "negligible"), (0.146, "negligible"), (-0.147, "small"), (0.33, "medium"), (-0.474, "large"), (1, "large")],
)
def test_the_words_are_romanos(delta: float, word: str) -> None:
    assert effect_word(delta) == word


def test_many_forks_make_no_table_of_their_pairs() -> None:
    # Of 3,000 with 3,000 it had 70 MB, twice: 2,000 verdicts on two runs took minutes.
    tracemalloc.start()
    assert cliffs_delta(range(3000), range(3000)) == 0
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
