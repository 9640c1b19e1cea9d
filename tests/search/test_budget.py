"""What a search may spend."""

from __future__ import annotations

import pytest

from perflab.measure.search import Budget, BudgetTracker


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


def spend(tracker: BudgetTracker, clock: Clock, seconds: float, trials: int = 1) -> None:
    for _ in range(trials):
        clock.now += seconds
        tracker.trial(seconds)


def test_trials_are_counted(clock: Clock) -> None:
    tracker = BudgetTracker(Budget(trials=3))
    spend(tracker, clock, 10, trials=2)
    assert tracker.spent() is None
    assert tracker.text == "trial 3 of 3"
    spend(tracker, clock, 10)
    assert tracker.spent() == "trials"


def test_time_is_kept_back_for_the_confirmation(clock: Clock) -> None:
    tracker = BudgetTracker(Budget(seconds=100))
    spend(tracker, clock, 10, trials=5)
    # 50 s are gone; another trial of 10 and the confirmation of 40 just fit.
    assert tracker.spent() is None
    spend(tracker, clock, 10)
    assert tracker.spent() == "minutes"


def test_the_first_trial_is_made_whatever_the_time(clock: Clock) -> None:
    tracker = BudgetTracker(Budget(seconds=1))
    clock.now += 50
    assert tracker.spent() is None


def test_what_is_left_is_the_nearer_of_the_two(clock: Clock) -> None:
    tracker = BudgetTracker(Budget(trials=10, seconds=1000))
    assert tracker.left() == 1000
    spend(tracker, clock, 10, trials=2)
    assert tracker.left() == pytest.approx((8 + 4) * 10)
    assert BudgetTracker(Budget(trials=10)).left() is None


def test_progress_grows_and_never_says_that_all_is_done(clock: Clock) -> None:
    tracker = BudgetTracker(Budget(trials=4))
    seen = []
    for _ in range(9):
        seen.append(tracker.done())
        spend(tracker, clock, 1)
    assert seen == sorted(seen)
    assert max(seen) < 1
