"""Running bench programs: fresh processes, interleaved in rounds, one measurement at a time."""

from perflab.runner.again import Again, measure_again
from perflab.runner.beside import Sides, measure_sides, prepare_sides
from perflab.runner.experiment import Experiment, run_experiment
from perflab.runner.fork import Fork, run_fork
from perflab.runner.lock import measurement_lock
from perflab.runner.measure import (
    PRESET_VARIABLE,
    REUSE_VARIABLE,
    Request,
    chosen_preset,
    execute,
    measure,
    measure_noise,
    plan,
    prepare,
)
from perflab.runner.pairing import pair_runs
from perflab.runner.presets import PRESETS, PROVES_NOTHING, Preset, usual_preset
from perflab.runner.profiled import ProfileRequest, profile
from perflab.runner.progress import Portion, Progress, Silent
from perflab.runner.saving import check_free, save_baseline
from perflab.runner.settings import Settings

__all__ = [
    "PRESETS",
    "PRESET_VARIABLE",
    "PROVES_NOTHING",
    "REUSE_VARIABLE",
    "Again",
    "Experiment",
    "Fork",
    "Portion",
    "Preset",
    "ProfileRequest",
    "Progress",
    "Request",
    "Settings",
    "Sides",
    "Silent",
    "check_free",
    "chosen_preset",
    "execute",
    "measure",
    "measure_again",
    "measure_noise",
    "measure_sides",
    "measurement_lock",
    "pair_runs",
    "plan",
    "prepare",
    "prepare_sides",
    "profile",
    "run_experiment",
    "run_fork",
    "save_baseline",
    "usual_preset",
]
