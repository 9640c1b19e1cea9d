"""Where a variant stands among others: in one run, or by its score over the runs of a topic's table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflab.analysis import fork_table, precision_target
from perflab.components import find_metric
from perflab.statistics import Composite, compare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perflab.statistics import Estimate, Figure
    from perflab.store import Run

_PERCENT = 100.0


@dataclass(frozen=True)
class Lead:
    """How far a variant is ahead of whoever comes closest to it or is ahead of it.

    On the `ratio` scale above 1, on the `difference` scale above 0 where it is ahead. The interval is that of the least
    lead over any of the others, of which the closest by estimate need not be the one that could be ahead: its ends are
    the least of the ends of all leads, whose intervals hold together. `equal`: one of them makes no difference.
    """

    rival: str
    estimate: float
    interval: tuple[float, float] | None
    scale: str
    unit: str
    equal: bool = False


def lead_in(run: Run, candidate: str, over: Sequence[str], metric: str | None) -> Lead | None:
    """Where a variant stands in one run; `None` if nobody who could be ahead has a figure.

    What is void there is behind whatever is not, and no rival.
    """
    chosen = find_metric(run.header.scenario, metric)
    values = fork_table(run, chosen)
    void = run.ending.void if run.ending else []
    rounds = {label: values[label].tolist() for label in (candidate, *over) if label in values and label not in void}
    if candidate not in rounds or len(rounds) < 2:  # noqa: PLR2004 - a rival
        return None
    target = precision_target(run, chosen)
    found = compare(rounds, candidate, chosen.name, chosen.unit, chosen.better, target_half_width=target)
    closest = max((one for one in found if one.estimate is not None), key=lambda one: one.estimate or 0.0, default=None)
    if closest is None or closest.estimate is None:
        return None
    lows = [one.low for one in found if one.low is not None]
    highs = [one.high for one in found if one.high is not None]
    # A rival without an interval could be anywhere, and scales that differ have no common least.
    sure = len(lows) == len(highs) == len(found) and {one.scale for one in found} == {closest.scale}
    equal = any(one.verdict == "no difference" for one in found)
    if closest.scale == "difference":
        interval = (-max(highs), -max(lows)) if sure else None
        return Lead(closest.candidate, -closest.estimate, interval, "difference", chosen.unit, equal)
    interval = (1 / max(highs), 1 / max(lows)) if sure else None
    return Lead(closest.candidate, 1 / closest.estimate, interval, "ratio", "x", equal)


def composite_of(runs: Mapping[str, Run], among: Sequence[str]) -> Composite:
    """The scores of these variants, with the best of them as the best, whoever else took part.

    Args:
        runs: Per scenario of the table its run; all of them took part in each.
        among: The variants.

    Raises:
        ValueError: If a scenario has no figure of any of them.
    """
    rounds, void = {}, {}
    for name, run in runs.items():
        values = fork_table(run, run.header.scenario.headline)
        failures = run.ending.failures if run.ending else {}
        void[name] = [label for label in among if run.ending and label in run.ending.void]
        rounds[name] = {label: values[label].tolist() for label in among if label in values and label not in failures}
    return Composite(rounds, {name: run.header.scenario.better for name, run in runs.items()}, void)


def lead_by_score(composite: Composite, candidate: str, figure: Figure) -> Lead | None:
    """How far ahead a variant's score is of the next one's, in points of a hundred; `None` if there is no other."""
    rivals = [label for label in composite.labels if label != candidate]
    if candidate not in composite.labels or not rivals:
        return None
    leads = {rival: composite.lead(candidate, rival, figure, comparisons=len(rivals)) for rival in rivals}
    rival = min(leads, key=lambda name: leads[name].value)
    ends = [limits(in_percent(lead)) for lead in leads.values()]
    sure = [end for end in ends if end is not None]
    interval = (min(low for low, _ in sure), min(high for _, high in sure)) if len(sure) == len(ends) else None
    return Lead(rival, in_percent(leads[rival]).value, interval, "difference", "points")


def in_percent(estimate: Estimate) -> Estimate:
    """Of a share."""
    ends = [None if end is None else _PERCENT * end for end in (estimate.low, estimate.high)]
    return type(estimate)(_PERCENT * estimate.value, *ends)


def limits(estimate: Estimate) -> tuple[float, float] | None:
    """Both, or none."""
    return None if estimate.low is None or estimate.high is None else (estimate.low, estimate.high)
