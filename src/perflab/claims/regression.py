"""A saved baseline or a revision against the present: a verdict on each metric of each variant."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from perflab.measure.analysis import figures, fork_tables, measured, precision_target
from perflab.model.errors import UsageError
from perflab.model.estimate import flat
from perflab.stats.comparison import compare, regression_word, simultaneous_confidence
from perflab.stats.unpaired import compare_unpaired
from perflab.topics.manifest import threshold_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perflab.measure.analysis import Table
    from perflab.measure.versions import VersionComparison
    from perflab.model.protocol import Metric
    from perflab.stats.comparison import Comparison, RegressionWord
    from perflab.topics.manifest import Manifest, Threshold


_CONFIDENCE = 0.95


@dataclass(frozen=True)
class MetricVerdict:
    """The verdict on a variant's metric: `then` and `now` are means over forks; a ratio above 1 is better now."""

    scenario: str
    variant: str
    comparison: Comparison
    threshold: Threshold
    then: float
    now: float
    word: RegressionWord

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `--json`; `worse_by` is to be compared with `threshold`."""
        one = self.comparison
        return {
            "scenario": self.scenario,
            "variant": self.variant,
            "metric": one.metric,
            "verdict": self.word,
            "worse_by": flat(one.worse_by if one.scale == "ratio" else None),
            "threshold": self.threshold.worse_by,
            "threshold_source": self.threshold.source,
            "then": self.then,
            "now": self.now,
            "comparison": one.to_dict(),
        }


@dataclass(frozen=True)
class NotCompared:
    """A metric without a verdict, and why; an empty metric or variant stands for all."""

    scenario: str
    variant: str
    metric: str
    reason: str


@dataclass(frozen=True)
class Regressions:
    """The verdicts on two versions of a topic in a scenario.

    `drift` compares the headline of a saved baseline's build with its figures when it was saved, by variant.
    """

    compared: VersionComparison
    verdicts: list[MetricVerdict]
    drift: dict[str, Comparison] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    not_compared: list[NotCompared] = field(default_factory=list)

    @property
    def failures(self) -> dict[str, str]:
        """Why labels dropped out."""
        return self.compared.run.failures

    @property
    def regressed(self) -> bool:
        """Whether anything got worse beyond its threshold."""
        return any(one.word == "regression" for one in self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `--json`."""
        return {
            "baseline": self.compared.baseline,
            "now": self.compared.candidate or None,
            "scenario": self.compared.run.header.scenario.name,
            "params": self.compared.run.header.settings,
            "saved_run": self.compared.saved.id if self.compared.saved else None,
            "run": self.compared.run.id,
            "metrics": [one.to_dict() for one in self.verdicts],
            "not_compared": [dataclasses.asdict(one) for one in self.not_compared],
            "drift": {variant: one.to_dict() for variant, one in self.drift.items()},
            "failures": self.failures,
            "notes": self.notes,
            "machine": {"id": self.compared.run.header.machine.id, "title": self.compared.run.header.machine.title},
        }


@figures("no verdict")
def judge_regressions(compared: VersionComparison, manifest: Manifest) -> Regressions:
    """Judge every metric that both versions have, for every variant that both have.

    All intervals of the run hold together with 95 %: each is made at Bonferroni's level for their number.
    """
    scenario = compared.run.header.scenario
    notes = [*compared.notes, *(f"{name} {why}" for name, why in compared.left_out.items())]
    not_compared = [NotCompared(scenario.name, name, "", why) for name, why in compared.left_out.items()]
    metrics = list(_metrics(compared))
    values = fork_tables(compared.run, [metric.of for metric, reason in metrics if not reason])
    tables: dict[str, tuple[Metric, Table]] = {}
    for metric, reason in metrics:
        table = None if reason else values[metric.of]
        if isinstance(table, ValueError):
            continue  # a metric that a harness may report, and this one never does
        if table is not None:
            tables[metric.name] = metric, table
        else:
            notes.append(f"{metric.name} is left out: {reason}")
            not_compared.append(NotCompared(scenario.name, "", metric.name, reason))
    if not tables:
        raise UsageError(
            f"no metric of {scenario.name!r} is what it was in {compared.baseline!r}",
            "a baseline can be saved again under another name",
        )
    level = simultaneous_confidence(_CONFIDENCE, len(compared.variants) * len(tables))
    found = [
        _verdict(
            compared, variant, metric, table, threshold=threshold_for(manifest, scenario.name, metric.name), level=level
        )
        for variant in compared.variants
        for metric, table in tables.values()
    ]
    drift = _drift(compared, *tables[scenario.headline.name]) if scenario.headline.name in tables else {}
    notes += [
        f"the saved build of {variant} is {one.verdict} now than when it was saved: the machine, or what both builds "
        "run on, has changed since"
        for variant, one in drift.items()
        if one.verdict in {"faster", "slower"} and not one.within_margin
    ]
    return Regressions(
        compared,
        verdicts=[one for one in found if isinstance(one, MetricVerdict)],
        drift=drift,
        notes=notes,
        not_compared=[*not_compared, *(one for one in found if isinstance(one, NotCompared))],
    )


def _metrics(compared: VersionComparison) -> Iterator[tuple[Metric, str]]:
    """Yield each of today's metrics once, and why it cannot be compared, or an empty text."""
    then = compared.scenario.all_metrics
    seen = set[str]()
    for one in compared.run.header.scenario.all_metrics.values():
        if then.get(one.name) != one:
            yield one, f"{'has changed its meaning' if one.name in then else 'is new'} since {compared.baseline}"
        elif one.of not in seen:
            seen.add(one.of)
            yield one, ""


def _verdict(
    compared: VersionComparison,
    variant: str,
    metric: Metric,
    table: Table,
    *,
    threshold: Threshold,
    level: float,
) -> MetricVerdict | NotCompared:
    scenario = compared.run.header.scenario
    then, now = compared.labels(variant)
    if any(label not in table or not measured(table[label]) for label in (then, now)):
        dropped = {then, now} & compared.run.failures.keys()
        why = "it dropped out" if dropped else "there are no figures of both"
        return NotCompared(scenario.name, variant, metric.name, why)
    (comparison,) = compare(
        {then: table[then], now: table[now]},
        then,
        metric.name,
        metric.unit,
        metric.better,
        confidence=level,
        target_half_width=precision_target(compared.run, scenario.headline)
        if metric.of == scenario.headline.of
        else None,
    )
    return MetricVerdict(
        scenario=scenario.name,
        variant=variant,
        comparison=comparison,
        threshold=threshold,
        then=float(np.nanmean(table[then])),
        now=float(np.nanmean(table[now])),
        word=regression_word(comparison, threshold.worse_by, float(np.nanmean(np.abs(table[then])))),
    )


def _drift(compared: VersionComparison, headline: Metric, table: Table) -> dict[str, Comparison]:
    """Compare the saved build's forks with those of when it was saved, if they are of one length."""
    saved = compared.saved
    if saved is None or saved.header.shape != compared.run.header.shape:
        return {}
    then = fork_tables(saved, [headline.of])[headline.of]
    labels = {variant: compared.labels(variant)[0] for variant in compared.variants}
    if isinstance(then, ValueError):
        return {}
    return {
        variant: compare_unpaired(
            then[variant],
            table[label],
            headline.name,
            headline.unit,
            headline.better,
            labels=("when saved", "the same build now"),
            confidence=simultaneous_confidence(_CONFIDENCE, len(labels)),
        )
        for variant, label in labels.items()
        if variant in then and label in table
    }
