from __future__ import annotations

import pytest

from perflab.profile.profile import charges, responsible


def test_the_program_is_charged_and_not_the_kernel_it_waits_in() -> None:
    stacks = {
        ("java.lang.Thread.run", "p.Box.poll", "java.util.concurrent.locks.LockSupport.park", "__futex_wait"): 7.0,
        ("java.lang.Thread.run", "p.Box.poll", "java.util.ArrayList.add"): 2.0,
        ("java.lang.Thread.run", "p.Box.work"): 4.0,
    }
    found = charges(stacks)
    assert [(charge.frame, charge.weight) for charge in found] == [("p.Box.poll", 9), ("p.Box.work", 4)]
    assert found[0].mostly_in == "__futex_wait"


def test_a_native_function_is_the_program_where_nothing_is_managed() -> None:
    stack = ("main", "critical_section", "pthread_mutex_lock", "__lll_lock_wait")
    assert responsible(stack, managed=False) == "critical_section"
    assert responsible(stack, managed=True) == "__lll_lock_wait"


def test_charges_add_up_to_the_whole(small: dict[tuple[str, ...], float]) -> None:
    assert sum(charge.weight for charge in charges(small)) == pytest.approx(sum(small.values()))
