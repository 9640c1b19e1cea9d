"""The other tools' rules, on samples of a known kind."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from tools import CRITERION_SAMPLES, FORKS, RULES, SAMPLES, Block

TRIALS = 60


def block(rng: np.random.Generator, level: float, between: float, within: float) -> Block:
    """Forks that differ by `between` on the log scale, their samples by `within`."""

    def fork(samples: int) -> list[float]:
        return list(level * np.exp(rng.normal(0, between) + rng.normal(0, within, samples)))

    forks = [fork(SAMPLES) for _ in range(FORKS)]
    return Block(forks, [sum(values) for values in forks], fork(CRITERION_SAMPLES))


def false_alarms(rule: str, *, between: float, within: float) -> int:
    rng = np.random.default_rng(7)
    words = [RULES[rule](block(rng, 100, between, within), block(rng, 100, between, within)) for _ in range(TRIALS)]
    return sum(word is not None for word in words)


@pytest.mark.parametrize("rule", RULES)
def test_a_large_difference_is_found_and_its_direction(rule: str) -> None:
    rng = np.random.default_rng(3)
    slow, fast = block(rng, 150, 0.01, 0.01), block(rng, 100, 0.01, 0.01)
    assert RULES[rule](fast, slow) == "slower"
    assert RULES[rule](slow, fast) == "faster"


@pytest.mark.parametrize("rule", RULES)
def test_samples_that_are_independent_raise_few_false_alarms(rule: str) -> None:
    assert false_alarms(rule, between=0, within=0.05) <= 0.15 * TRIALS


@pytest.mark.parametrize("rule", ["criterion", "pyperf"])
def test_forks_that_differ_more_than_their_samples_raise_many(rule: str) -> None:
    """Samples of one process are taken for independent, which the lab avoids. JMH's 99.9 % hides most of it."""
    assert false_alarms(rule, between=0.1, within=0.01) > 0.2 * TRIALS
