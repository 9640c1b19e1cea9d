"""What a run says: comparisons, summaries and the noise of this machine, from its samples."""

from perflab.analysis.analyse import Analysis, analyse, compare_runs
from perflab.analysis.noise import band_of, noise_for

__all__ = ["Analysis", "analyse", "band_of", "compare_runs", "noise_for"]
