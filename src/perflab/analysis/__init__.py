"""What a run says: comparisons, summaries and the noise of this machine, from its samples."""

from perflab.analysis.analyse import (
    Analysis,
    analyse,
    compare_runs,
    fork_table,
    precision_target,
    whole_samples,
)
from perflab.analysis.noise import band_of, noise_for
from perflab.analysis.regression import MetricVerdict, NotCompared, Regressions, judge_regressions
from perflab.analysis.standings import Cell, Standings, find_table_runs, standings

__all__ = [
    "Analysis",
    "Cell",
    "MetricVerdict",
    "NotCompared",
    "Regressions",
    "Standings",
    "analyse",
    "band_of",
    "compare_runs",
    "find_table_runs",
    "fork_table",
    "judge_regressions",
    "noise_for",
    "precision_target",
    "standings",
    "whole_samples",
]
