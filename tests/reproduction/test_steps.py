"""How long a sequence of steps still takes, as it is told on the way."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from perflab.reproduction import steps
from perflab.reproduction.steps import Step, run_steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from perflab.runner import Progress


class Ear:
    """Keeps what it is told of the time left."""

    def __init__(self) -> None:
        self.left: list[float | None] = []

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        assert 0 <= done <= 1
        assert text
        self.left.append(seconds_left)

    def note(self, text: str) -> None:
        raise AssertionError(text)


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Let time pass, in seconds; it passes by nothing else."""
    now = [0.0]
    monkeypatch.setattr(steps, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def later(seconds: float) -> None:
        now[0] += seconds

    return later


def test_a_step_as_quick_as_expected_takes_what_was_expected(wait: Callable[[float], None]) -> None:
    def work(progress: Progress) -> None:
        wait(4.0)
        progress.update(0.5, "half")

    ear = Ear()
    run_steps([Step("one", 10.0, work), Step("two", 3.0, lambda _: None)], ear)
    assert ear.left == [13.0, 9.0, 3.0]


def test_a_step_that_takes_longer_goes_on_as_it_has_begun(wait: Callable[[float], None]) -> None:
    def work(progress: Progress) -> None:
        wait(30.0)
        progress.update(0.25, "a quarter")
        wait(90.0)
        progress.update(1.0, "all")

    ear = Ear()
    run_steps([Step("one", 10.0, work), Step("two", 3.0, lambda _: None)], ear)
    assert ear.left == [13.0, 93.0, 3.0, 3.0]


def test_a_step_that_knows_better_is_believed(wait: Callable[[float], None]) -> None:
    def work(progress: Progress) -> None:
        wait(30.0)
        progress.update(0.25, "a quarter", 7.0)

    ear = Ear()
    run_steps([Step("one", 10.0, work), Step("two", 3.0, lambda _: None)], ear)
    assert ear.left == [13.0, 10.0, 3.0]
