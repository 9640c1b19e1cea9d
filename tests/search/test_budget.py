"""What a search may spend."""

from __future__ import annotations

import pytest

from perflab.measure.search import Budget, Spending


class Clock:
    """The time, as a test sets it."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("perflab.measure.search.time.monotonic", clock)
    return clock


def spend(spending: Spending, clock: Clock, seconds: float, trials: int = 1) -> None:
    for _ in range(trials):
        clock.now += seconds
        spending.trial(seconds)


def test_trials_are_counted(clock: Clock) -> None:
    spending = Spending(Budget(trials=3))
    spend(spending, clock, 10, trials=2)
    assert spending.spent() is None
    assert spending.text == "trial 3 of 3"
    spend(spending, clock, 10)
    assert spending.spent() == "trials"


def test_time_is_kept_back_for_the_confirmation(clock: Clock) -> None:
    spending = Spending(Budget(seconds=100))
    spend(spending, clock, 10, trials=5)
    # 50 s are gone; another trial of 10 and the confirmation of 40 just fit.
    assert spending.spent() is None
    spend(spending, clock, 10)
    assert spending.spent() == "minutes"


def test_the_first_trial_is_made_whatever_the_time(clock: Clock) -> None:
    spending = Spending(Budget(seconds=1))
    clock.now += 50
    assert spending.spent() is None


def test_what_is_left_is_the_nearer_of_the_two(clock: Clock) -> None:
    spending = Spending(Budget(trials=10, seconds=1000))
    assert spending.left() == 1000
    spend(spending, clock, 10, trials=2)
    assert spending.left() == pytest.approx((8 + 4) * 10)
    assert Spending(Budget(trials=10)).left() is None


def test_progress_grows_and_never_says_that_all_is_done(clock: Clock) -> None:
    spending = Spending(Budget(trials=4))
    seen = []
    for _ in range(9):
        seen.append(spending.done())
        spend(spending, clock, 1)
    assert seen == sorted(seen)
    assert max(seen) < 1
