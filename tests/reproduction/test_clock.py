"""How the time for all measurements is divided among them."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from perflab.claims.reproduce import Settings, _Clock

if TYPE_CHECKING:
    from collections.abc import Callable

PRESET_S = 12.0


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Let time pass, in seconds; it passes by nothing else."""
    now = [0.0]
    module = sys.modules["perflab.claims.reproduce"]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def later(seconds: float) -> None:
        now[0] += seconds

    return later


def clock(minutes: float | None) -> _Clock:
    return _Clock(Settings([], "quick", minutes=minutes), {"small": 4, "large": 12})


def test_a_pair_gets_what_the_preset_says_and_more_variants_more() -> None:
    assert clock(60).budget_s(2, PRESET_S) == PRESET_S
    assert clock(60).budget_s(6, PRESET_S) == 3 * PRESET_S


def test_without_a_limit_the_preset_says() -> None:
    assert clock(None).budget_s(2, PRESET_S) is None


def test_a_short_time_is_divided_by_the_number_of_variants() -> None:
    assert clock(0.8).budget_s(4, PRESET_S) == pytest.approx(48 / 4)
    assert clock(0.8).budget_s(2, PRESET_S) == pytest.approx(48 / 8)


def test_what_one_does_not_need_is_there_for_the_others(wait: Callable[[float], None]) -> None:
    limited = clock(0.8)
    with limited.measuring("small", 4):
        wait(6)
    assert limited.budget_s(12, 1000.0) == pytest.approx(42)
    assert limited.left_s() == pytest.approx(42)
    limited.plan("large", 0)
    assert limited.left_s() == 0


def test_what_one_needs_in_excess_is_taken_from_the_others(wait: Callable[[float], None]) -> None:
    limited = clock(0.8)
    with limited.measuring("small", 4):
        wait(100)
    assert limited.budget_s(12, PRESET_S) == 1.0
