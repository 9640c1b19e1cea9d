"""Running bench programs: fresh processes, interleaved in rounds, one measurement at a time."""

from perflab.runner.experiment import Experiment, run_experiment
from perflab.runner.fork import Fork, run_fork
from perflab.runner.lock import measurement_lock
from perflab.runner.measure import PRESET_VARIABLE, REUSE_VARIABLE, Request, measure, measure_noise, prepare
from perflab.runner.presets import PRESETS, PROVES_NOTHING, Preset
from perflab.runner.profiled import ProfileRequest, profile
from perflab.runner.progress import Progress, Silent

__all__ = [
    "PRESETS",
    "PRESET_VARIABLE",
    "PROVES_NOTHING",
    "REUSE_VARIABLE",
    "Experiment",
    "Fork",
    "Preset",
    "ProfileRequest",
    "Progress",
    "Request",
    "Silent",
    "measure",
    "measure_noise",
    "measurement_lock",
    "prepare",
    "profile",
    "run_experiment",
    "run_fork",
]
