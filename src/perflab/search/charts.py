"""A search's chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.charts import TrialPoint, trials
from perflab.search.space import setting_text

if TYPE_CHECKING:
    from perflab.charts import Chart
    from perflab.search.result import SearchResult, Trial


def search_chart(result: SearchResult) -> Chart | None:
    """Its trials in order; `None` before the first."""
    if not result.trials:
        return None
    title = f"{result.topic} {result.scenario}: settings of {result.variant}"
    return trials([_point(one, result) for one in result.trials], metric=result.scenario, title=title)


def _point(trial: Trial, result: SearchResult) -> TrialPoint:
    label, found = setting_text(trial.params), trial.comparison
    low, high = (found["low"], found["high"]) if found and trial.factor is not None else (None, None)
    return TrialPoint(trial.number, label, trial.factor, low, high, _confirmed(label, result), trial.failure)


def _confirmed(label: str, result: SearchResult) -> tuple[float, float, float] | None:
    for one in result.confirmed.comparisons if result.confirmed else []:
        if one["candidate"] == label and one["scale"] == "ratio" and one["low"] is not None:
            return one["estimate"], one["low"], one["high"]
    return None
