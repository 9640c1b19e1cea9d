"""Telling threads that wait from threads that run, by where their stacks end.

A `wall` sample holds no thread state, but a thread that the kernel has put to sleep stands in one of few functions.
"""

from __future__ import annotations

import re

ALL_ASLEEP = "(while every thread sleeps)"
"""Stands innermost in a wait during which no thread of the program ran or could have run."""

# The C library's and the kernel's ways to sleep, HotSpot's own parking, and the names that Java's waiting methods have.
# A thread that yields or wakes another one runs.
_SLEEPING = re.compile(
    r"(__)?futex(_\w+)?_wait\w*|__lll_lock_wait\w*|_*pthread_cond_(timed|clock)?wait\w*|_*pthread_(clock|timed)?join\w*"
    r"|__new_sem_wait\w*|sem_(timed|clock)?wait|(__)?(clock_)?nanosleep|usleep"
    r"|(__)?(epoll_p?wait2?|p?poll|p?select|accept4?|recv(from|msg)?|read|wait4|waitpid|sigtimedwait|sigwait)"
    r"|Platform(Event|Monitor|Mutex|Parker)::(park|wait)\w*|Parker::park"
    r"|jdk\.internal\.misc\.Unsafe\.park|java\.lang\.(Object\.wait0?|Thread\.sleep(Nanos)?0?)"
    r"|java\.lang\.VirtualThread\.(park\w*|yieldContinuation)"
    r"|(schedule|__schedule|futex_\w*wait\w*|do_nanosleep|schedule_hrtimeout_range) \[kernel\]"
)


def off_cpu(stack: tuple[str, ...]) -> bool:
    """Whether a thread with this (cleaned) stack sleeps: the innermost frame is one of the functions that do."""
    return stack[-1] == ALL_ASLEEP or bool(_SLEEPING.fullmatch(stack[-1]))
