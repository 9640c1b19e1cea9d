from __future__ import annotations

import random

import pytest

Stacks = dict[tuple[str, ...], float]


def grown(seed: int, branches: int, depth: int) -> Stacks:
    """Stacks like a profiler's: few heavy paths, a long tail of light ones, some of them deep."""
    chance = random.Random(seed)  # noqa: S311 - a fixture, not a secret
    stacks: Stacks = {}
    for number in range(branches):
        length = 1 + int(depth * chance.random() ** 2)
        path = tuple(
            f"org.example.module{chance.randrange(4)}.Class{chance.randrange(30)}.method" for _ in range(length)
        )
        stacks[path] = stacks.get(path, 0.0) + round(1e9 / (1 + number) ** 1.3, 3)
    return stacks


@pytest.fixture
def large() -> Stacks:
    return grown(seed=1, branches=6_000, depth=40)


@pytest.fixture
def small() -> Stacks:
    return grown(seed=2, branches=200, depth=12)
