"""What samples say: fork values, paired comparisons, their uncertainty, and when to stop measuring.

The unit of inference is the fork, one fresh process; see `docs/measuring.md` for the method and its sources. Nothing
here reads a file, draws or prints. SciPy is imported in the functions that need it, so that importing this stays cheap.
"""

from perflab.statistics.changes import Change, find_changes, values_needed
from perflab.statistics.comparison import Comparison, Verdict, compare, simultaneous_confidence
from perflab.statistics.composite import Composite, Estimate, Figure, Score
from perflab.statistics.diagnostics import Diagnostics, diagnose
from perflab.statistics.effect_size import cliffs_delta, effect_word
from perflab.statistics.interval import Interval, expanded_confidence, mean_interval
from perflab.statistics.metrics import Percentile, fork_value, fork_values, operations_needed, parse_metric
from perflab.statistics.noise import NoiseBand, noise_band
from perflab.statistics.power import minimum_detectable_effect, rounds_needed
from perflab.statistics.precision import half_widths, precise_enough
from perflab.statistics.ranks import Place, Ranking, Swap, rank_rounds
from perflab.statistics.regression import RegressionWord, regression_word, worse_by
from perflab.statistics.summary import Summary, summarise
from perflab.statistics.unpaired import compare_unpaired, precise_enough_unpaired

__all__ = [
    "Change",
    "Comparison",
    "Composite",
    "Diagnostics",
    "Estimate",
    "Figure",
    "Interval",
    "NoiseBand",
    "Percentile",
    "Place",
    "Ranking",
    "RegressionWord",
    "Score",
    "Summary",
    "Swap",
    "Verdict",
    "cliffs_delta",
    "compare",
    "compare_unpaired",
    "diagnose",
    "effect_word",
    "expanded_confidence",
    "find_changes",
    "fork_value",
    "fork_values",
    "half_widths",
    "mean_interval",
    "minimum_detectable_effect",
    "noise_band",
    "operations_needed",
    "parse_metric",
    "precise_enough",
    "precise_enough_unpaired",
    "rank_rounds",
    "regression_word",
    "rounds_needed",
    "simultaneous_confidence",
    "summarise",
    "values_needed",
    "worse_by",
]
