from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from perflab.model.errors import UsageError
from perflab.profile.profile import Profile
from perflab.profile.tree import DEEPEST, root_causes
from perflab.topics.manifest import Cause

PROFILE = Profile(
    "wall",
    "ns",
    {
        ("p.A.run", "p.A.lock", "jdk.internal.misc.Unsafe.park", "__futex_abstimed_wait_common"): 50.0,
        ("p.A.run", "p.A.lock", "p.A.spin"): 10.0,
        ("p.A.run", "p.A.sleep", "java.lang.Thread.sleep", "___pthread_cond_timedwait"): 30.0,
        ("p.A.run", "p.A.work"): 10.0,
    },
    operations=4,
)
LOCK = Cause("waiting for the lock", "wall", r"p\.A\.lock")
SLEEP = Cause("sleeping in the poll", "wall", r"Thread\.sleep")


def test_shares_are_of_the_whole_and_add_up_to_one() -> None:
    table = root_causes(PROFILE, [LOCK, SLEEP])
    assert [(row.name, row.share, row.per_operation) for row in table.rows] == [
        ("waiting for the lock", 0.6, 15.0),
        ("sleeping in the poll", 0.3, 7.5),
        ("everything else", 0.1, 2.5),
    ]


def test_waiting_is_told_from_running_within_a_cause() -> None:
    lock, sleep, rest = root_causes(PROFILE, [LOCK, SLEEP]).rows
    assert (lock.off_cpu_share, sleep.off_cpu_share, rest.off_cpu_share) == (pytest.approx(5 / 6), 1.0, 0.0)


def test_the_first_cause_that_matches_takes_the_stack() -> None:
    everything = Cause("running", "wall", r"^p\.A\.run")
    assert [row.share for row in root_causes(PROFILE, [everything, LOCK]).rows] == [1.0, 0.0, 0.0]
    assert [row.share for row in root_causes(PROFILE, [LOCK, everything]).rows] == [0.6, 0.4, 0.0]


def test_causes_of_other_modes_are_passed_over() -> None:
    table = root_causes(PROFILE, [Cause("allocating", "alloc", "."), LOCK])
    assert [row.name for row in table.rows] == ["waiting for the lock", "everything else"]


def test_only_wall_mode_knows_of_sleeping_threads() -> None:
    table = root_causes(Profile("cpu", "ns", {("a",): 1.0}), [])
    assert table.rows[0].off_cpu_share is None


def test_an_empty_profile_has_shares_of_zero() -> None:
    assert [row.share for row in root_causes(Profile("wall", "ns", {}), [LOCK]).rows] == [0.0, 0.0]


def test_the_table_is_json() -> None:
    found = json.loads(json.dumps(asdict(root_causes(PROFILE, [LOCK]))))
    assert found["rows"][0]["name"] == "waiting for the lock"


def test_a_broken_expression_and_a_name_given_twice_are_told() -> None:
    with pytest.raises(UsageError, match="'broken' are no regular expression"):
        root_causes(PROFILE, [Cause("broken", "wall", "(")])
    with pytest.raises(UsageError, match="names of their own"):
        root_causes(PROFILE, [LOCK, LOCK])


def test_a_cause_is_searched_at_both_ends_of_a_stack_that_is_deeper_than_any_that_is_read() -> None:
    deep = ("main", *("Box.offer",) * DEEPEST, "middle", *("Box.offer",) * DEEPEST, "unpark")
    causes = [Cause("middle", "wall", "middle"), Cause("waking", "wall", r"^main;.*unpark$")]
    table = root_causes(Profile("wall", "ns", {deep: 1.0}), causes)
    assert [row.share for row in table.rows] == [0.0, 1.0, 0.0]
