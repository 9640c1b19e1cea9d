"""All variants in all scenarios of a topic's table: how close each comes to the best, what is void, and the scores."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perflab.host.machine import this_machine
from perflab.measure.analysis import figures, fork_table, measured, warnings_of
from perflab.measure.presets import PROVES_NOTHING
from perflab.model.errors import UsageError
from perflab.model.estimate import Estimate, flat
from perflab.stats.composite import Composite, rank_rounds
from perflab.stats.diagnostics import summarise
from perflab.store.runs import find_runs, select_runs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from perflab.model.protocol import Metric
    from perflab.stats.composite import Ranking, Score
    from perflab.stats.diagnostics import Summary
    from perflab.store.runs import Run
    from perflab.topics.catalogue import Component


_VOID = Estimate(0.0, 0.0, 0.0, "share")


@dataclass(frozen=True)
class TableCell:
    """A variant in a scenario: the headline and the worst-case metric, and their shares of the best; 0 if it is void.

    `void` says which of the scenario's rules it broke, `missing` why else there is no figure.
    """

    summary: Summary | None = None
    worst: Summary | None = None
    share: Estimate | None = None
    worst_share: Estimate | None = None
    void: str = ""
    missing: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `--json`."""
        return {
            "mean": self.summary.mean.value if self.summary and self.summary.mean else None,
            "worst_case": self.worst.mean.value if self.worst and self.worst.mean else None,
            "share": self.share and flat(self.share, "value"),
            "worst_case_share": self.worst_share and flat(self.worst_share, "value"),
            "void": self.void,
            "missing": self.missing,
        }


@dataclass(frozen=True)
class Standings:
    """A topic's table.

    Attributes:
        runs: By scenario.
        worst: Name of the worst-case metric; empty if the table has none.
        variants: In the order of their scores, those without one last.
        cells: By variant and scenario.
        scores: By the headline, best first; of variants that were measured or are void in every scenario.
        worst_scores: By the worst-case metric, for those that have one everywhere.
        rankings: By scenario.
    """

    component: str
    runs: dict[str, Run]
    worst: str
    variants: list[str]
    cells: dict[tuple[str, str], TableCell]
    scores: list[Score]
    worst_scores: list[Score]
    rankings: dict[str, Ranking]
    notes: list[str] = field(default_factory=list)

    @property
    def scenarios(self) -> list[str]:
        """The columns of the table."""
        return list(self.runs)

    def score(self, variant: str, *, worst_case: bool = False) -> Score | None:
        """The variant's score, if it has one."""
        scores = self.worst_scores if worst_case else self.scores
        return next((one for one in scores if one.label == variant), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `--json`."""
        return {
            "component": self.component,
            "runs": {scenario: run.id for scenario, run in self.runs.items()},
            "worst_case_metric": self.worst,
            "variants": {
                variant: {
                    "score": _scored(self.score(variant)),
                    "worst_case_score": _scored(self.score(variant, worst_case=True)),
                    "scenarios": {name: self.cells[variant, name].to_dict() for name in self.scenarios},
                }
                for variant in self.variants
            },
            "swaps": {
                scenario: [
                    {"ahead": one.ahead, "behind": one.behind, "swapped": one.swapped, "rounds": one.rounds}
                    for one in ranking.swaps
                ]
                for scenario, ranking in self.rankings.items()
            },
            "notes": self.notes,
        }


def find_table_runs(component: Component) -> list[Run]:
    """Return the runs for a topic's table: one a scenario at its defaults, of this machine, else of the reference.

    Of several the newest of those with the most variants is chosen. One that proves nothing counts only if there is no
    other, a damaged one only if all are damaged.
    """
    table = component.manifest.table
    if table is None:
        raise UsageError(f"{component.name} has no table", "see [table] in docs/adding-a-topic.md")
    lab = component.lab
    for results, machine in ((lab.results, this_machine().id), (lab.reference, None)):
        runs = select_runs(find_runs(results, component=component.name), params={}, machine=machine, plugin="")
        found = []
        for scenario in table.scenarios:
            fitting = sorted(
                (run for run in runs if run.header.scenario.name == scenario),
                key=lambda run: (run.header.preset != PROVES_NOTHING, len(run.header.arms), run.id),
                reverse=True,
            )
            found += [next(filter(_readable, fitting), fitting[0])] if fitting else []
        if found:
            return found
    raise UsageError(
        f"no scenario of {component.name}'s table has been measured", f"./lab reproduce {component.name} --quick --all"
    )


def _readable(run: Run) -> bool:
    with contextlib.suppress(UsageError), figures(run.id):
        MetricRounds.of(run, run.header.scenario.headline)
        return True
    return False


@figures("these runs make no table")
def standings(component: Component, runs: Sequence[Run]) -> Standings:
    """Make a table from one run per scenario, all of one machine."""
    if len({run.header.machine.id for run in runs}) > 1:
        raise UsageError("these runs come from different machines and make no table", ", ".join(run.id for run in runs))
    measured = list(dict.fromkeys(arm.label for run in runs for arm in run.header.arms))
    table = component.manifest.table
    by_scenario = {run.header.scenario.name: run for run in runs}
    headlines = {name: MetricRounds.of(run, run.header.scenario.headline) for name, run in by_scenario.items()}
    worst = {}
    for name, run in by_scenario.items():
        for metric in run.header.scenario.metrics:
            if table and metric.name == table.worst:
                with contextlib.suppress(UsageError):  # the headlines count without it
                    worst[name] = MetricRounds.of(run, metric)
    scores = composite_of(headlines).scores()
    variants = list(dict.fromkeys([*(one.label for one in scores), *measured]))
    return Standings(
        component=component.name,
        runs=by_scenario,
        worst=table.worst if table and worst else "",
        variants=variants,
        cells={
            (label, name): _cell(run, label, headlines[name], worst.get(name))
            for label in variants
            for name, run in by_scenario.items()
        },
        scores=scores,
        # Over fewer scenarios it would be another score.
        worst_scores=composite_of(worst).scores() if len(worst) == len(by_scenario) else [],
        rankings={name: rank_rounds(one.rounds, one.metric.better) for name, one in headlines.items()},
        notes=_notes(by_scenario, table.scenarios if table else []),
    )


@dataclass(frozen=True)
class MetricRounds:
    """A metric's rounds per variant that has a figure in a run, and the variants that are void there."""

    metric: Metric
    rounds: dict[str, list[float]]
    void: list[str]

    @classmethod
    def of(cls, run: Run, metric: Metric) -> MetricRounds:
        """Return the rounds of variants that ended well."""
        values, failures = fork_table(run, metric), run.failures
        present = [label for label in values if label not in failures and measured(values[label])]
        if not present:
            raise UsageError(f"run {run.id} has no figure that counts", "every variant is void or failed there")
        return cls(metric, {label: values[label] for label in present}, run.void)

    @functools.cached_property
    def shares(self) -> dict[str, Estimate]:
        """Each variant's share of the best one."""
        alone = Composite({"": self.rounds}, {"": self.metric.better})
        return {label: alone.estimate(label, "mean") for label in self.rounds}

    def summary(self, label: str) -> Summary:
        """Summarise a variant's rounds."""
        return summarise(self.rounds[label], self.metric.unit)


def composite_of(figures: Mapping[str, MetricRounds], among: Collection[str] | None = None) -> Composite:
    """Return the scores over scenarios, of all variants or `among` some: shares of the best of them."""

    def counts(label: str) -> bool:
        return among is None or label in among

    return Composite(
        {name: {label: row for label, row in one.rounds.items() if counts(label)} for name, one in figures.items()},
        {name: one.metric.better for name, one in figures.items()},
        {name: list(filter(counts, one.void)) for name, one in figures.items()},
    )


def _cell(run: Run, label: str, headline: MetricRounds, worst: MetricRounds | None) -> TableCell:
    failures = run.failures
    if label in headline.void:
        return TableCell(share=_VOID, worst_share=_VOID if worst else None, void=failures[label])
    if label not in headline.rounds:
        return TableCell(missing=failures.get(label, "not measured"))
    if worst is None or label not in worst.rounds:
        return TableCell(headline.summary(label), None, headline.shares[label])
    return TableCell(headline.summary(label), worst.summary(label), headline.shares[label], worst.shares[label])


def _notes(runs: Mapping[str, Run], wanted: Sequence[str]) -> list[str]:
    notes = [f"{name}: {note}" for name, run in runs.items() for note in warnings_of(run)]
    if absent := [name for name in wanted if name not in runs]:
        notes.append(f"not measured, and so not in the scores: {', '.join(absent)}")
    smoke = [name for name, run in runs.items() if run.header.preset == PROVES_NOTHING]
    if smoke:
        notes.append(f"measured by the preset {PROVES_NOTHING}, which proves nothing: {', '.join(smoke)}")
    return notes


def _scored(score: Score | None) -> dict[str, Any] | None:
    if score is None:
        return None
    figures = {name: flat(getattr(score, name), "value") for name in ("mean", "worst", "spread")}
    return {**figures, "worst_scenario": score.worst_scenario}
