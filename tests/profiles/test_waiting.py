from __future__ import annotations

import pytest

from perflab.profile.profile import off_cpu


@pytest.mark.parametrize(
    "leaf",
    [
        "__futex_abstimed_wait_common",
        "__lll_lock_wait",
        "___pthread_cond_timedwait",
        "__pthread_clockjoin_ex",
        "epoll_wait",
        "clock_nanosleep",
        "java.lang.VirtualThread.parkNanos",
        "jdk.internal.misc.Unsafe.park",
        "schedule [kernel]",
        "futex_do_wait [kernel]",
    ],
)
def test_these_sleep(leaf: str) -> None:
    assert off_cpu(("main", leaf))


@pytest.mark.parametrize(
    "leaf",
    [
        "__lll_lock_wake",
        "futex_wake [kernel]",
        "java.lang.VirtualThread.unpark",
        "readConfiguration",
        "pollQueue",
        "Contention.spin",
        "sched_yield",
        "selectBest",
    ],
)
def test_these_run(leaf: str) -> None:
    assert not off_cpu(("epoll_wait", leaf))
