"""Whether a metric got worse by more than it may: a comparison's interval against a threshold instead of against zero.

The question is not "is there a difference", which enough forks would always answer with yes, but "is it larger than
what was agreed on": a test of a shifted null hypothesis. Only an interval that lies wholly beyond the threshold is a
regression, so that the same code, measured again, is called one far less often than an interval misses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from perflab.statistics.comparison import Comparison

RegressionWord = Literal["regression", "within threshold", "better", "inconclusive"]


def regression_word(comparison: Comparison, worse_by: float, baseline_level: float) -> RegressionWord:
    """The verdict on a metric that may get worse by `worse_by`.

    Args:
        comparison: Of now, the candidate, with then, the baseline.
        worse_by: 0.1 allows a time of 1.1 times the baseline's, and a rate of 1/1.1 of it; not below zero.
        baseline_level: Mean size of the baseline's values, which `worse_by` is relative to on the difference scale.

    Returns:
        `regression` if the whole interval is beyond the threshold, `better` if all of it is an improvement,
        `within threshold` if none of it reaches the threshold, else, or without an interval, `inconclusive`.

    Raises:
        ValueError: If the threshold is below zero.
    """
    if worse_by < 0:
        raise ValueError(f"a threshold is not below zero: {worse_by}")
    if comparison.low is None or comparison.high is None:
        return "inconclusive"
    ratio = comparison.scale == "ratio"
    equal, bound = (1.0, 1 / (1 + worse_by)) if ratio else (0.0, -worse_by * baseline_level)
    if comparison.high < bound:
        return "regression"
    if comparison.low > equal:
        return "better"
    return "within threshold" if comparison.low >= bound else "inconclusive"


def worse_by(factor: float | None) -> float | None:
    """An improvement factor as the share by which a metric is worse, as a threshold has it; below zero it is better."""
    return 1 / factor - 1 if factor else None
