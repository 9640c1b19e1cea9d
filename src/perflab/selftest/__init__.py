"""The lab's tests of itself: which steps there are, and how each is run and counted."""

from perflab.selftest.running import Result, accept_interrupts, run_step
from perflab.selftest.steps import Step, steps

__all__ = ["Result", "Step", "accept_interrupts", "run_step", "steps"]
