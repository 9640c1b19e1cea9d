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


@pytest.mark.parametrize(
    ("minutes", "variants", "seconds"),
    [
        (60, 2, PRESET_S),
        (60, 6, 3 * PRESET_S),  # more variants get more
        (None, 2, None),  # then the preset says
        (0.8, 4, pytest.approx(48 / 4)),  # a short time is divided by the number of variants
        (0.8, 2, pytest.approx(48 / 8)),
    ],
)
def test_a_run_gets_its_part_of_the_time(minutes: float | None, variants: int, seconds: float | None) -> None:
    assert clock(minutes).budget_s(variants, PRESET_S) == seconds


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
