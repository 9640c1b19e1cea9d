"""What a run says: comparisons, summaries and the noise of this machine, from its samples."""

from perflab.analysis.analyse import Analysis, analyse, compare_runs
from perflab.analysis.noise import band_of, noise_for
from perflab.analysis.regression import MetricVerdict, Regressions, judge_regressions

__all__ = [
    "Analysis",
    "MetricVerdict",
    "Regressions",
    "analyse",
    "band_of",
    "compare_runs",
    "judge_regressions",
    "noise_for",
]
