"""What was, against what is now: a saved baseline or a revision, and a verdict on each metric of each variant."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from perflab.components.manifest import threshold_for
from perflab.model.errors import UsageError
from perflab.model.estimate import flat
from perflab.run.analysis import fork_table, precision_target
from perflab.stats.comparison import compare, regression_word, simultaneous_confidence
from perflab.stats.unpaired import compare_unpaired

if TYPE_CHECKING:
    import pandas as pd

    from perflab.components.manifest import Manifest, Threshold
    from perflab.model.protocol import Metric
    from perflab.run.again import Again
    from perflab.stats.comparison import Comparison, RegressionWord


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

    def to_dict(self) -> dict[str, str]:
        """As JSON-ready values."""
        return dataclasses.asdict(self)


@dataclass(frozen=True)
class Regressions:
    """What a saved baseline or a revision, measured again, says.

    Attributes:
        again: What is compared.
        verdicts: One per variant and metric.
        interleaved: Whether the saved build took turns with the present one, so that drift cancels.
        drift: Where it did, the headline of its own forks, now against when they were saved.
        notes: What a reader should know.
        not_compared: What there is no verdict on.
    """

    again: Again
    verdicts: list[MetricVerdict]
    interleaved: bool
    drift: dict[str, Comparison] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    not_compared: list[NotCompared] = field(default_factory=list)

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
            "baseline": self.again.name,
            "now": self.again.now or None,
            "scenario": self.again.run.header.scenario.name,
            "params": self.again.run.header.settings,
            "saved_run": self.again.saved.id if self.again.saved else None,
            "run": self.again.run.id,
            "interleaved": self.interleaved,
            "metrics": [one.to_dict() for one in self.verdicts],
            "not_compared": [one.to_dict() for one in self.not_compared],
            "drift": {variant: one.to_dict() for variant, one in self.drift.items()},
            "failures": self.failures,
            "notes": self.notes,
            "machine": {"id": self.again.run.header.machine.id, "title": self.again.run.header.machine.title},
        }


def judge_regressions(again: Again, manifest: Manifest) -> Regressions:
    """Judge every metric that both runs have, for every variant that both have.

    All intervals of the run hold together with 95 %: each is made at Bonferroni's level for their number.

    Raises:
        UsageError: If no metric means now what it meant then.
    """
    return _Judging(again, manifest).go()


class _Judging:
    def __init__(self, again: Again, manifest: Manifest) -> None:
        self._again = again
        self._manifest = manifest
        self._scenario = again.run.header.scenario
        self._notes = [*again.notes, *(f"{name} {why}" for name, why in again.gone.items())]
        self._not_compared = [NotCompared(self._scenario.name, name, "", why) for name, why in again.gone.items()]
        labels = {arm.label for arm in again.run.header.arms}
        self._variants = [name for name in again.variants if again.label(name) in labels]

    def go(self) -> Regressions:
        same = self._metrics()
        tables = {metric.name: tables for metric in same if (tables := self._tables(metric))}
        metrics = [metric for metric in same if metric.name in tables]
        if not metrics:
            raise UsageError(
                f"no metric of {self._scenario.name!r} is what it was in {self._again.name!r}",
                "a baseline can be saved again under another name",
            )
        level = simultaneous_confidence(_CONFIDENCE, len(self._variants) * len(metrics))
        verdicts = [
            verdict
            for variant in self._variants
            for metric in metrics
            if (verdict := self._verdict(variant, metric, *tables[metric.name], level)) is not None
        ]
        headline = tables.get(self._scenario.headline.name)
        drift = self._drift(self._scenario.headline, *headline) if headline and self._again.kept else {}
        if not self._again.kept:
            self._notes.insert(
                0, f"not interleaved with {self._again.name}: drift of the machine since then is in the figures"
            )
        return Regressions(self._again, verdicts, bool(self._again.kept), drift, self._notes, self._not_compared)

    def _metrics(self) -> list[Metric]:
        """Those that mean today what they meant then, each once."""
        then = {one.name: one for one in [self._again.earlier.headline, *self._again.earlier.metrics]}
        found: dict[str, Metric] = {}
        for one in [self._scenario.headline, *self._scenario.metrics]:
            if then.get(one.name) == one:
                found.setdefault(one.of, one)
            else:
                why = "is new" if one.name not in then else "has changed its meaning"
                self._leave_out(one, f"{why} since {self._again.name}")
        return list(found.values())

    def _tables(self, metric: Metric) -> tuple[pd.DataFrame, pd.DataFrame] | None:
        """The forks of then and of now."""
        try:
            now = fork_table(self._again.run, metric)
            return fork_table(self._again.saved, metric) if self._again.saved else now, now
        except ValueError as error:
            self._leave_out(metric, str(error))
            return None

    def _leave_out(self, metric: Metric, reason: str) -> None:
        self._notes.append(f"{metric.name} is left out: {reason}")
        self._not_compared.append(NotCompared(self._scenario.name, "", metric.name, reason))

    def _verdict(
        self, variant: str, metric: Metric, then: pd.DataFrame, now: pd.DataFrame, level: float
    ) -> MetricVerdict | None:
        earlier, later = self._again.kept.get(variant), self._again.label(variant)
        before = (now if earlier else then).get(earlier or variant)
        if before is None or later not in now or before.isna().all() or now[later].isna().all():
            why = "it dropped out" if {earlier, later} & self._failures().keys() else "there are no figures of both"
            self._not_compared.append(NotCompared(self._scenario.name, variant, metric.name, why))
            return None
        about = (metric.name, metric.unit, metric.better)
        target = precision_target(self._again.run, self._scenario.headline)
        target = target if metric.of == self._scenario.headline.of else None
        if earlier:
            (comparison,) = compare(
                {earlier: before.tolist(), later: now[later].tolist()},
                earlier,
                *about,
                confidence=level,
                target_half_width=target,
            )
        else:
            names = (f"{variant} ({self._again.name})", variant)
            comparison = compare_unpaired(
                before.tolist(),
                now[later].tolist(),
                *about,
                labels=names,
                confidence=level,
                target_half_width=target,
            )
        threshold = threshold_for(self._manifest, self._scenario.name, metric.name)
        return MetricVerdict(
            scenario=self._scenario.name,
            variant=variant,
            comparison=comparison,
            threshold=threshold,
            then=float(before.mean()),
            now=float(now[later].mean()),
            word=regression_word(comparison, threshold.worse_by, float(np.abs(before).mean())),
        )

    def _failures(self) -> dict[str, str]:
        ending = self._again.run.ending
        return dict(ending.failures) if ending else {}

    def _drift(self, headline: Metric, then: pd.DataFrame, now: pd.DataFrame) -> dict[str, Comparison]:
        """How the saved build's own forks are now against when they were saved; of a commit, nothing was saved."""
        found: dict[str, Comparison] = {}
        for variant, label in self._again.kept.items() if self._again.saved else ():
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
