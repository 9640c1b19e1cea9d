"""Sweeps: the same comparison at each point of a grid of parameters, on this machine or on those of a cluster."""

from perflab.sweeps.grid import MOST_POINTS, Axis, Point, label, points_of, read_axes
from perflab.sweeps.local import measure_here
from perflab.sweeps.plan import SweepPlan, plan_again, plan_sweep
from perflab.sweeps.result import Gap, Measured, SweepResult, collect

__all__ = [
    "MOST_POINTS",
    "Axis",
    "Gap",
    "Measured",
    "Point",
    "SweepPlan",
    "SweepResult",
    "collect",
    "label",
    "measure_here",
    "plan_again",
    "plan_sweep",
    "points_of",
    "read_axes",
]
