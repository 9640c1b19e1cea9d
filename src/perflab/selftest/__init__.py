"""The lab's tests of itself: which steps there are, and how each is run and counted."""

from perflab.selftest.changes import changed_since_main, is_touched
from perflab.selftest.lanes import run_steps
from perflab.selftest.running import Result, accept_interrupts, run_step
from perflab.selftest.steps import Step, Work, preparation, steps

__all__ = [
    "Result",
    "Step",
    "Work",
    "accept_interrupts",
    "changed_since_main",
    "is_touched",
    "preparation",
    "run_step",
    "run_steps",
    "steps",
]
