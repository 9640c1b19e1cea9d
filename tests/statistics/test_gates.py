"""A gate over many metrics: the rates that docs/history.md states."""

from __future__ import annotations

import pytest
from simulated_gates import gates

pytestmark = pytest.mark.long


@pytest.mark.parametrize("kind", ["cpu-bound", "lock-contended", "rare slow mode"])
def test_code_that_has_not_changed_next_to_never_fails_a_gate(kind: str) -> None:
    same = gates(kind, experiments=60)
    assert same.regressions.any(axis=1).mean() <= 0.05


def test_what_uses_up_its_whole_allowance_everywhere_rarely_does() -> None:
    # At most 2.5 % are promised; of 150 gates more than nine would be one case in a hundred.
    assert gates("cpu-bound", 0.05, experiments=150).regressions.any(axis=1).sum() <= 9


def test_it_finds_what_is_far_beyond_the_threshold() -> None:
    assert gates("cpu-bound", 0.20, experiments=60).regressions.mean() >= 0.99
    assert gates("cpu-bound", experiments=60).inconclusive.mean() <= 0.01
