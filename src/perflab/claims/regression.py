"""What was, against what is now: a saved baseline or a revision, and a verdict on each metric of each variant."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from perflab.measure.analysis import figures, fork_tables, precision_target
from perflab.model.errors import UsageError
from perflab.model.estimate import flat
from perflab.model.limits import limit
from perflab.stats.comparison import compare, regression_word, simultaneous_confidence
from perflab.stats.unpaired import compare_unpaired
from perflab.topics.manifest import threshold_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from perflab.measure.versions import VersionComparison
    from perflab.model.protocol import Metric
    from perflab.stats.comparison import Comparison, RegressionWord
    from perflab.topics.manifest import Manifest, Threshold


_CONFIDENCE = 0.95
_MOST_VERDICTS = 2_000
"""Of two runs: each thousand takes ten seconds."""


@dataclass(frozen=True)
class MetricVerdict:
    """The verdict on a variant's metric.

    Attributes:
        comparison: Of now with then; above 1 it is better now.
        threshold: By how much it may get worse.
        then: Mean of the baseline's forks, in the metric's unit.
        now: Mean of the forks made now.
        word: The verdict; `worse than saved` in place of `regression` where the two were not measured side by side.
    """

    scenario: str
    variant: str
    comparison: Comparison
    threshold: Threshold
    then: float
    now: float
    word: RegressionWord

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready values; `worse_by` as estimate, low and high, to be held against `threshold`."""
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
    """What there is no verdict on, and why; without a metric, a whole variant, and without a variant, all of them."""

    scenario: str
    variant: str
    metric: str
    reason: str


@dataclass(frozen=True)
class Regressions:
    """The verdicts on a saved baseline or a revision, measured again.

    Attributes:
        compared: The two versions.
        verdicts: One per variant and metric.
        interleaved: Whether the saved build took turns with the present one, so that drift cancels.
        drift: Where it did, the headline of its own forks, now against when they were saved.
        notes: What a reader should know.
        not_compared: What there is no verdict on.
    """

    compared: VersionComparison
    verdicts: list[MetricVerdict]
    interleaved: bool
    drift: dict[str, Comparison] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    not_compared: list[NotCompared] = field(default_factory=list)

    @property
    def failures(self) -> dict[str, str]:
        """Per label that dropped out now, why."""
        return self.compared.run.failures

    @property
    def regressed(self) -> bool:
        """Whether anything got worse by more than it may."""
        return any(one.word in {"regression", "worse than saved"} for one in self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "baseline": self.compared.baseline,
            "now": self.compared.candidate or None,
            "scenario": self.compared.run.header.scenario.name,
            "params": self.compared.run.header.settings,
            "saved_run": self.compared.saved.id if self.compared.saved else None,
            "run": self.compared.run.id,
            "interleaved": self.interleaved,
            "metrics": [one.to_dict() for one in self.verdicts],
            "not_compared": [dataclasses.asdict(one) for one in self.not_compared],
            "drift": {variant: one.to_dict() for variant, one in self.drift.items()},
            "failures": self.failures,
            "notes": self.notes,
            "machine": {"id": self.compared.run.header.machine.id, "title": self.compared.run.header.machine.title},
        }


@figures("no verdict")
def judge_regressions(compared: VersionComparison, manifest: Manifest) -> Regressions:
    """Judge every metric that both runs have, for every variant that both have.

    All intervals of the run hold together with 95 %: each is made at Bonferroni's level for their number.

    Raises:
        UsageError: If no metric has the same meaning in both runs, or figures of one cannot be compared.
    """
    scenario = compared.run.header.scenario
    headline = scenario.headline
    notes = [*compared.notes, *(f"{name} {why}" for name, why in compared.left_out.items())]
    not_compared = [NotCompared(scenario.name, name, "", why) for name, why in compared.left_out.items()]
    metrics = list(_metrics(compared))
    limit(len(metrics) * len(compared.variants), _MOST_VERDICTS, "metrics times variants")
    tables: dict[str, tuple[Metric, pd.DataFrame, pd.DataFrame]] = {}
    told = [metric.of for metric, reason in metrics if not reason]
    of_now = fork_tables(compared.run, told)
    of_then = fork_tables(compared.saved, told) if compared.saved else of_now
    for metric, reason in metrics:
        why = reason
        if not why:
            now, lacking = _told(of_now[metric.of])
            then, lacked = _told(of_then[metric.of])
            if then is None and now is None:
                continue  # what a harness may tell, and this one never does
            why = lacking or lacked
            if then is not None and now is not None:
                tables[metric.name] = metric, then, now
        if why:
            notes.append(f"{metric.name} is left out: {why}")
            not_compared.append(NotCompared(scenario.name, "", metric.name, why))
    if not tables:
        raise UsageError(
            f"no metric of {scenario.name!r} is what it was in {compared.baseline!r}",
            "a baseline can be saved again under another name",
        )
    level = simultaneous_confidence(_CONFIDENCE, len(compared.variants) * len(tables))
    found = [
        _verdict(compared, variant, *table, manifest=manifest, level=level)
        for variant in compared.variants
        for table in tables.values()
    ]
    drift = _drift(compared, *tables[headline.name]) if headline.name in tables else {}
    notes += [
        f"the saved build of {variant} is {one.verdict} now than when it was saved: the machine, or what both builds "
        "run on, has changed since"
        for variant, one in drift.items()
        if one.verdict in {"faster", "slower"} and not any(flag.startswith("within") for flag in one.flags)
    ]
    if not compared.interleaved:
        notes.insert(
            0,
            f"not measured side by side with {compared.baseline}: drift of the machine since then is in the figures, "
            "and nothing is called a regression",
        )
    return Regressions(
        compared,
        verdicts=[one for one in found if isinstance(one, MetricVerdict)],
        interleaved=compared.interleaved,
        drift=drift,
        notes=notes,
        not_compared=[*not_compared, *(one for one in found if isinstance(one, NotCompared))],
    )


def _told(found: pd.DataFrame | ValueError) -> tuple[pd.DataFrame | None, str]:
    """A metric's figures, or why there are none."""
    return (None, str(found)) if isinstance(found, ValueError) else (found, "")


def _metrics(compared: VersionComparison) -> Iterator[tuple[Metric, str]]:
    """Each of today's metrics once, and why it cannot be compared; empty if it has the same meaning in both runs."""
    then = compared.scenario.all_metrics
    scenario, seen = compared.run.header.scenario, set[str]()
    for one in scenario.all_metrics.values():
        if then.get(one.name) != one:
            yield one, f"{'has changed its meaning' if one.name in then else 'is new'} since {compared.baseline}"
        elif one.of not in seen:
            seen.add(one.of)
            yield one, ""


def _verdict(
    compared: VersionComparison,
    variant: str,
    metric: Metric,
    then: pd.DataFrame,
    now: pd.DataFrame,
    *,
    manifest: Manifest,
    level: float,
) -> MetricVerdict | NotCompared:
    scenario = compared.run.header.scenario
    earlier, later = compared.labels(variant)
    before = (now if compared.interleaved else then).get(earlier)
    if before is None or later not in now or before.isna().all() or now[later].isna().all():
        dropped = {earlier, later} & compared.run.failures.keys()
        why = "it dropped out" if dropped else "there are no figures of both"
        return NotCompared(scenario.name, variant, metric.name, why)
    old, new = before.tolist(), now[later].tolist()
    about = (metric.name, metric.unit, metric.better)
    target = precision_target(compared.run, scenario.headline) if metric.of == scenario.headline.of else None
    if compared.interleaved:
        pair = {earlier: old, later: new}
        (comparison,) = compare(pair, earlier, *about, confidence=level, target_half_width=target)
    else:
        names = (f"{variant} ({compared.baseline})", variant)
        comparison = compare_unpaired(old, new, *about, labels=names, confidence=level, target_half_width=target)
    threshold = threshold_for(manifest, scenario.name, metric.name)
    word = regression_word(comparison, threshold.worse_by, float(np.abs(before).mean()))
    return MetricVerdict(
        scenario=scenario.name,
        variant=variant,
        comparison=comparison,
        threshold=threshold,
        then=float(before.mean()),
        now=float(now[later].mean()),
        word=word if compared.interleaved or word != "regression" else "worse than saved",
    )


def _drift(
    compared: VersionComparison, headline: Metric, then: pd.DataFrame, now: pd.DataFrame
) -> dict[str, Comparison]:
    """The saved build's own forks, now against when they were saved; nothing was saved of a commit."""
    if not compared.interleaved or compared.saved is None:
        return {}
    labels = {variant: compared.labels(variant)[0] for variant in compared.variants}
    return {
        variant: compare_unpaired(
            then[variant].tolist(),
            now[label].tolist(),
            headline.name,
            headline.unit,
            headline.better,
            labels=("when saved", "the same build now"),
            confidence=simultaneous_confidence(_CONFIDENCE, len(labels)),
        )
        for variant, label in labels.items()
        if variant in then and label in now
    }
