"""Running bench programs: fresh processes, interleaved in rounds, one measurement at a time."""

from perflab.runner.again import Again, measure_again
from perflab.runner.experiment import Experiment, run_experiment
from perflab.runner.fork import Fork, run_fork
from perflab.runner.lock import measurement_lock
from perflab.runner.measure import PRESET_VARIABLE, REUSE_VARIABLE, Request, measure, measure_noise, prepare
from perflab.runner.presets import PRESETS, PROVES_NOTHING, Preset
from perflab.runner.profiled import ProfileRequest, profile
from perflab.runner.progress import Progress, Silent
from perflab.runner.saving import check_free, save_baseline

__all__ = [
    "PRESETS",
    "PRESET_VARIABLE",
    "PROVES_NOTHING",
    "REUSE_VARIABLE",
    "Again",
    "Experiment",
    "Fork",
    "Preset",
    "ProfileRequest",
    "Progress",
    "Request",
    "Silent",
    "check_free",
    "measure",
    "measure_again",
    "measure_noise",
    "measurement_lock",
    "prepare",
    "profile",
    "run_experiment",
    "run_fork",
    "save_baseline",
]
