"""Runs on disk: appended raw as they come, sealed when they end, never rewritten."""

from perflab.store.baselines import (
    SavedBaseline,
    baseline_folder,
    check_name,
    find_baselines,
    write_baseline,
)
from perflab.store.header import RESULT_VERSION, Arm, Ending, RunHeader, new_run_id
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
from perflab.store.writing import RunWriter

__all__ = [
    "RESULT_VERSION",
    "Arm",
    "Ending",
    "ProfileRecord",
    "Run",
    "RunHeader",
    "RunWriter",
    "SavedBaseline",
    "TestRecord",
    "baseline_folder",
    "check_name",
    "find_baselines",
    "find_profiles",
    "find_run",
    "find_runs",
    "find_tests",
    "new_run_id",
    "profile_folder",
    "read_samples",
    "write_baseline",
    "write_profile",
    "write_tests",
]
