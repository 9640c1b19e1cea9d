"""The lab's tests of itself: which steps there are, and how each is run and counted."""

from perflab.selftest.running import Result, run_step
from perflab.selftest.steps import Step, steps

__all__ = ["Result", "Step", "run_step", "steps"]
