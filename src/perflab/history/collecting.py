"""From the store to series: which runs may stand in one line."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from perflab.analysis import fork_table, precision_target
from perflab.components import find_metric
from perflab.errors import UsageError, unknown
from perflab.history.series import Point, Series
from perflab.statistics import compare, summarise
from perflab.store import find_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from perflab.protocol import Metric
    from perflab.store import Run


@dataclass(frozen=True)
class Wanted:
    """What a user wants to see the history of.

    Attributes:
        topic: The component.
        scenario: The scenario; that of the newest run without one.
        variants: All that were measured beside the baseline if there are none.
        metric: A metric of the scenario; its headline without one.
        against: The variant of the same run that they are compared with; that of most runs without one.
        absolute: Whether the values themselves are wanted and no factors.
    """

    topic: str
    scenario: str | None = None
    variants: Sequence[str] = ()
    metric: str | None = None
    against: str | None = None
    absolute: bool = False


def collect(wanted: Wanted) -> list[Series]:
    """The series of what is wanted, the longest of each variant first.

    Runs stand in one series if they are of one machine, and had the same parameters, the same meaning of the metric and
    forks of the same length, which decides how far a just-in-time compiler gets. Partial runs, plug-ins and builds of
    other commits that took part in a run are left out.

    Raises:
        UsageError: If there is nothing of what is wanted.
    """
    runs = _runs(wanted)
    against = "" if wanted.absolute else wanted.against or _usual_baseline(runs)
    measured = {arm.variant for run in runs for arm in run.header.arms if arm.label == arm.variant}
    for name in [*wanted.variants, *([against] if against else [])]:
        if name not in measured:
            raise unknown(f"variant in the runs of {wanted.topic} {runs[-1].header.scenario.name}", name, measured)
    chosen = list(wanted.variants) or sorted(measured - {against})
    found: dict[tuple[str, bytes], Series] = {}
    for run in runs:
        _add(found, run, wanted.metric, [name for name in chosen if name != against], against)
    if not found:
        raise UsageError(
            f"no run of {wanted.topic} {runs[-1].header.scenario.name} compares "
            f"{', '.join(chosen) or 'anything'} with {against}",
            f"--against another of {', '.join(sorted(measured))}, or --absolute",
        )
    order = {name: place for place, name in enumerate(chosen)}
    return sorted(found.values(), key=lambda one: (order[one.variant], -len(one.points)))


def _runs(wanted: Wanted) -> list[Run]:
    runs = [
        run
        for run in find_runs(component=wanted.topic)
        if run.header.kind in {"measure", "regression"}
        and not run.header.plugin
        and run.ending is not None
        and run.ending.complete
    ]
    if not runs:
        raise UsageError(f"no whole run of {wanted.topic} is in the store", f"./lab measure {wanted.topic} makes one")
    scenario = wanted.scenario or runs[-1].header.scenario.name
    chosen = [run for run in runs if run.header.scenario.name == scenario]
    if not chosen:
        raise unknown(f"scenario in the runs of {wanted.topic}", scenario, {run.header.scenario.name for run in runs})
    find_metric(chosen[-1].header.scenario, wanted.metric)
    return chosen


def _usual_baseline(runs: Sequence[Run]) -> str:
    variant_of = {(run.id, arm.label): arm.variant for run in runs for arm in run.header.arms}
    usual = Counter(variant_of[run.id, run.header.baseline] for run in runs if len(run.header.arms) > 1)
    return usual.most_common(1)[0][0] if usual else ""


def _add(
    found: dict[tuple[str, bytes], Series], run: Run, name: str | None, variants: Sequence[str], against: str
) -> None:
    header = run.header
    labels = {arm.label for arm in header.arms if arm.label == arm.variant and not arm.commit}
    known = {one.name: one for one in [header.scenario.headline, *header.scenario.metrics]}
    metric = known.get(name or header.scenario.headline.name)
    present = [variant for variant in variants if variant in labels]
    if metric is None or not present or (against and against not in labels):
        return
    try:
        table = fork_table(run, metric)
    except (UsageError, ValueError):
        return
    key = msgspec.json.encode([header.machine.id, sorted(header.settings.items()), metric, header.shape])
    for variant in present:
        point = _point(run, metric, table, variant, against)
        if point is None:
            continue
        series = found.setdefault(
            (variant, key),
            Series(
                header.component, header.scenario.name, header.settings, metric, variant, against, header.machine, []
            ),
        )
        series.points.append(point)


def _point(run: Run, metric: Metric, table: pd.DataFrame, variant: str, against: str) -> Point | None:
    """What a run says; `None` if it says nothing, or what has no logarithm."""
    if variant not in table or (against and against not in table):
        return None
    values = table[variant].tolist()
    if against:
        (one,) = compare(
            {against: table[against].tolist(), variant: values},
            against,
            metric.name,
            metric.unit,
            metric.better,
            target_half_width=precision_target(run, metric),
        )
        estimate, low, high = (one.estimate, one.low, one.high) if one.scale == "ratio" else (None, None, None)
        rounds = one.rounds
    else:
        summary = summarise(values)
        estimate, low, high, rounds = summary.mean, summary.low, summary.high, summary.forks
    if estimate is None or estimate <= 0:
        return None
    header = run.header
    runtime = f"{header.runtime.name} {header.runtime.version}"
    return Point(
        run.id, header.created, header.revision.commit, header.revision.dirty, estimate, low, high, rounds, runtime
    )
