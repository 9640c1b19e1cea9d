"""A saved baseline against what was measured now: a verdict on each metric of each variant."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from perflab.analysis.analyse import fork_table, precision_target
from perflab.components import threshold_for
from perflab.errors import UsageError
from perflab.statistics import compare, compare_unpaired, regression_word, simultaneous_confidence, worse_by

if TYPE_CHECKING:
    import pandas as pd

    from perflab.components import Manifest, Threshold
    from perflab.protocol import Metric, Scenario
    from perflab.runner import Again
    from perflab.statistics import Comparison, RegressionWord

_CONFIDENCE = 0.95


@dataclass(frozen=True)
class MetricVerdict:
    """What became of a variant's metric.

    Attributes:
        scenario: Its scenario.
        variant: The variant.
        comparison: Of now with then; above 1 it is better now.
        threshold: By how much it may get worse.
        then: Mean of the baseline's forks, in the metric's unit.
        now: Mean of the forks made now.
        word: The verdict.
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
        factors = (one.estimate, one.high, one.low) if one.scale == "ratio" else (None, None, None)
        return {
            "scenario": self.scenario,
            "variant": self.variant,
            "metric": one.metric,
            "verdict": self.word,
            "worse_by": dict(zip(("estimate", "low", "high"), map(worse_by, factors), strict=True)),
            "threshold": self.threshold.worse_by,
            "threshold_source": self.threshold.source,
            "then": self.then,
            "now": self.now,
            "comparison": one.to_dict(),
        }


@dataclass(frozen=True)
class Regressions:
    """What a saved baseline, measured again, says.

    Attributes:
        again: The two runs.
        verdicts: One per variant and metric.
        interleaved: Whether the saved build took turns with the present one, so that drift cancels.
        drift: Where it did, the headline of its own forks, now against when they were saved.
        notes: What a reader should know.
    """

    again: Again
    verdicts: list[MetricVerdict]
    interleaved: bool
    drift: dict[str, Comparison] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def failures(self) -> dict[str, str]:
        """Per label that dropped out now, why."""
        ending = self.again.run.ending
        return dict(ending.failures) if ending else {}

    @property
    def regressed(self) -> bool:
        """Whether anything got worse by more than it may."""
        return any(one.word == "regression" for one in self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "baseline": self.again.baseline.name,
            "scenario": self.again.baseline.scenario,
            "params": self.again.baseline.settings,
            "saved_run": self.again.saved.id,
            "run": self.again.run.id,
            "interleaved": self.interleaved,
            "metrics": [one.to_dict() for one in self.verdicts],
            "drift": {variant: one.to_dict() for variant, one in self.drift.items()},
            "failures": self.failures,
            "notes": self.notes,
        }


def judge_regressions(again: Again, manifest: Manifest) -> Regressions:
    """Judge every metric that both runs have, for every variant that both have.

    All intervals of the run hold together with 95 %: each is made at Bonferroni's level for their number.

    Raises:
        UsageError: If no metric means today what it meant then.
    """
    return _Judging(again, manifest).go()


class _Judging:
    def __init__(self, again: Again, manifest: Manifest) -> None:
        self._again = again
        self._manifest = manifest
        self._notes = [f"{name} was saved and is not there any more" for name in again.gone]
        labels = {arm.label for arm in again.run.header.arms}
        self._variants = [name for name in again.baseline.variants if name in labels]

    def go(self) -> Regressions:
        scenario = self._again.run.header.scenario
        tables = {metric.name: tables for metric in self._metrics(scenario) if (tables := self._tables(metric))}
        metrics = [metric for metric in self._metrics(scenario) if metric.name in tables]
        if not metrics:
            raise UsageError(
                f"no metric of {scenario.name!r} is what it was when {self._again.baseline.name!r} was saved",
                "save it again under another name",
            )
        level = simultaneous_confidence(_CONFIDENCE, len(self._variants) * len(metrics))
        verdicts = [
            verdict
            for variant in self._variants
            for metric in metrics
            if (verdict := self._verdict(variant, metric, *tables[metric.name], level)) is not None
        ]
        headline = tables.get(scenario.headline.name)
        drift = self._drift(scenario.headline, *headline) if headline and self._again.kept else {}
        if not self._again.kept:
            self._notes.insert(
                0, "not interleaved with the baseline: drift of the machine since then is in the figures"
            )
        return Regressions(self._again, verdicts, bool(self._again.kept), drift, self._notes)

    def _metrics(self, scenario: Scenario) -> list[Metric]:
        """Those that mean today what they meant then, each once."""
        earlier = self._again.saved.header.scenario
        then = {one.name: one for one in [earlier.headline, *earlier.metrics]}
        found: dict[str, Metric] = {}
        for one in [scenario.headline, *scenario.metrics]:
            if then.get(one.name) == one:
                found.setdefault(one.of, one)
        return list(found.values())

    def _tables(self, metric: Metric) -> tuple[pd.DataFrame, pd.DataFrame] | None:
        """The forks of then and of now."""
        try:
            return fork_table(self._again.saved, metric), fork_table(self._again.run, metric)
        except ValueError as error:
            self._notes.append(f"{metric.name} is left out: {error}")
            return None

    def _verdict(
        self, variant: str, metric: Metric, then: pd.DataFrame, now: pd.DataFrame, level: float
    ) -> MetricVerdict | None:
        label = self._again.kept.get(variant)
        before = now[label] if label in now else None if label else then.get(variant)
        if before is None or variant not in now or before.isna().all() or now[variant].isna().all():
            return None
        about = (metric.name, metric.unit, metric.better)
        if label:
            target = precision_target(self._again.run, self._again.run.header.scenario.headline)
            (comparison,) = compare(
                {label: before.tolist(), variant: now[variant].tolist()},
                label,
                *about,
                confidence=level,
                target_half_width=target if metric.of == self._again.run.header.scenario.headline.of else None,
            )
        else:
            names = (f"{variant} ({self._again.baseline.name})", variant)
            comparison = compare_unpaired(
                before.tolist(), now[variant].tolist(), *about, labels=names, confidence=level
            )
        threshold = threshold_for(self._manifest, self._again.baseline.scenario, metric.name)
        return MetricVerdict(
            scenario=self._again.baseline.scenario,
            variant=variant,
            comparison=comparison,
            threshold=threshold,
            then=float(before.mean()),
            now=float(now[variant].mean()),
            word=regression_word(comparison, threshold.worse_by, float(np.abs(before).mean())),
        )

    def _drift(self, headline: Metric, then: pd.DataFrame, now: pd.DataFrame) -> dict[str, Comparison]:
        found = {}
        for variant, label in self._again.kept.items():
            if variant not in then or label not in now:
                continue
            one = compare_unpaired(
                then[variant].tolist(),
                now[label].tolist(),
                headline.name,
                headline.unit,
                headline.better,
                labels=("when saved", "the same build now"),
                confidence=simultaneous_confidence(_CONFIDENCE, len(self._again.kept)),
            )
            found[variant] = one
            if one.verdict in {"faster", "slower"} and not any(flag.startswith("within") for flag in one.flags):
                self._notes.append(
                    f"the saved build of {variant} is {one.verdict} now than when it was saved: the machine, or what "
                    "both builds run on, has changed since"
                )
        return found
