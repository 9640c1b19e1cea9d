"""What a run says: comparisons, summaries and the noise of this machine, from its samples."""

from perflab.analysis.analyse import Analysis, analyse, compare_runs
from perflab.analysis.noise import load_noise, save_noise

__all__ = ["Analysis", "analyse", "compare_runs", "load_noise", "save_noise"]
