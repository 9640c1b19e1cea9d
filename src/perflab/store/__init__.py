"""Runs on disk: appended raw as they come, sealed when they end, never rewritten."""

from perflab.store.baselines import (
    SavedBaseline,
    baseline_folder,
    check_name,
    find_baselines,
    write_baseline,
)
from perflab.store.header import RESULT_VERSION, SHAPE, Arm, Ending, RunHeader, new_run_id
from perflab.store.naming import meant_by
from perflab.store.reading import Run, find_run, find_runs, read_samples
from perflab.store.records import (
    ProfileRecord,
    TestRecord,
    find_profiles,
    find_tests,
    profile_folder,
    write_profile,
    write_tests,
)
from perflab.store.sweeps import (
    PointRecord,
    Sweep,
    SweepHeader,
    find_sweep,
    keep_point,
    new_sweep_id,
    open_sweep,
    point_key,
    start_sweep,
)
from perflab.store.transfer import pack_run, unpack_run
from perflab.store.writing import RunWriter, write_whole

__all__ = [
    "RESULT_VERSION",
    "SHAPE",
    "Arm",
    "Ending",
    "PointRecord",
    "ProfileRecord",
    "Run",
    "RunHeader",
    "RunWriter",
    "SavedBaseline",
    "Sweep",
    "SweepHeader",
    "TestRecord",
    "baseline_folder",
    "check_name",
    "find_baselines",
    "find_profiles",
    "find_run",
    "find_runs",
    "find_sweep",
    "find_tests",
    "keep_point",
    "meant_by",
    "new_run_id",
    "new_sweep_id",
    "open_sweep",
    "pack_run",
    "point_key",
    "profile_folder",
    "read_samples",
    "start_sweep",
    "unpack_run",
    "write_baseline",
    "write_profile",
    "write_tests",
    "write_whole",
]
