from __future__ import annotations

import pytest

from perflab.model.errors import UsageError
from perflab.profile.profile import Profile
from perflab.profile.tree import Difference, difference, prune

BEFORE = Profile(
    "wall", "ns", {("p.A.run", "p.A.lock", "futex_wait"): 600.0, ("p.A.run", "p.A.work"): 400.0}, operations=10
)
AFTER = Profile("wall", "ns", {("p.A.run", "p.A.work"): 900.0, ("p.A.run", "p.A.flush"): 100.0}, operations=20)


def delta(found: Difference) -> float:
    before, after = found.root.totals
    return after - before


def test_per_operation_where_both_know_their_operations() -> None:
    found = difference(BEFORE, AFTER)
    assert found.per_operation
    assert found.unit == "ns/op"
    assert found.root.totals == [100, 50]
    assert delta(found) == -50
    assert {change.frame: change.delta for change in found.changes} == {"p.A.lock": -60, "p.A.flush": 5, "p.A.work": 5}
    assert found.changes[0].frame == "p.A.lock"


def test_by_share_where_one_does_not() -> None:
    found = difference(BEFORE, Profile("wall", "ns", AFTER.stacks))
    assert not found.per_operation
    assert found.unit == "share"
    assert delta(found) == pytest.approx(0)
    assert {change.frame: round(change.delta, 6) for change in found.changes}["p.A.work"] == 0.5


def test_deltas_add_up_to_the_whole(small: dict[tuple[str, ...], float], large: dict[tuple[str, ...], float]) -> None:
    found = difference(Profile("cpu", "ns", small, operations=3), Profile("cpu", "ns", large, operations=7))
    assert sum(change.delta for change in found.changes) == pytest.approx(delta(found))
    nodes = prune(found.root, 0).nodes
    assert sum(node.own[1] - node.own[0] for node in nodes) == pytest.approx(delta(found))
    assert delta(found) == pytest.approx(sum(large.values()) / 7 - sum(small.values()) / 3)


def test_a_program_against_itself_shows_nothing(small: dict[tuple[str, ...], float]) -> None:
    profile = Profile("cpu", "ns", small)
    found = difference(profile, profile)
    assert all(change.delta == 0 for change in found.changes)


def test_other_modes_and_empty_profiles_cannot_be_compared() -> None:
    with pytest.raises(UsageError, match="cannot compare a wall profile"):
        difference(BEFORE, Profile("cpu", "ns", {("a",): 1.0}))
    with pytest.raises(UsageError, match="empty"):
        difference(BEFORE, Profile("wall", "ns", {}))
    assert delta(difference(BEFORE, Profile("wall", "ns", {}, operations=5))) == -100
