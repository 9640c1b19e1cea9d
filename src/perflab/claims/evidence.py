"""Finding the evidence on a claim: what this machine's newest reproduction made, else the committed reference runs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from perflab.claims.ledger import Measured, Mechanism, Order, Scaling, Score, Share
from perflab.claims.standings import MetricRounds, composite_of
from perflab.host.machine import this_machine
from perflab.measure.analysis import compare_in, figures, fork_table, fork_tables, measured, unsettled
from perflab.measure.grid import label_at
from perflab.measure.presets import PROVES_NOTHING
from perflab.model.errors import LabError, UsageError
from perflab.model.format import typed
from perflab.model.units import is_count
from perflab.profile.callgrind import COUNTS, INSTRUCTIONS
from perflab.stats.diagnostics import summarise
from perflab.stats.metrics import Percentile, operations_needed, parse_metric
from perflab.store.forks import fork_figures
from perflab.store.records import find_profiles, find_tests
from perflab.store.runs import find_runs, select_runs
from perflab.topics.catalogue import find_component, find_metric

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from perflab.claims.ledger import Claim, Ledger
    from perflab.host.machine import Machine
    from perflab.measure.analysis import Table
    from perflab.model.estimate import Estimate
    from perflab.model.lab import Lab
    from perflab.model.protocol import Metric, ParameterValue
    from perflab.stats.comparison import Comparison
    from perflab.stats.composite import Composite, Figure
    from perflab.store.records import ProfileRecord, RunHeader, TestRecord
    from perflab.store.runs import Run


Origin = Literal["local", "reference", "bundle", "none"]


@dataclass(frozen=True)
class Evidence:
    """The evidence on a claim: an estimate or a test's outcome; `why` says why there is neither.

    Attributes:
        estimate: The measured figure. In a ranking it is the lead over the closest of the others, with the interval of
            the least lead over any of them: that one need not be the closest by estimate.
        passed: Whether the claim's test passed.
        rival: In a ranking, the variant that comes closest or is ahead.
        runs: Runs, profiles or tests.
        why: Why there is no figure, or why a test failed.
        void: A variant of the claim gave wrong results; `why` says which.
        busy: By run, warnings of other work on the machine.
        disturbed: So much other work that it decides nothing: its scenario is a topic's, whose threads meet, and it is
            about a time or rate.
        unsettled: Notes on variants whose figure depends on how long their processes lasted.
        small: The share of the machine that a process may use, if small.
        cores: The usable cores of the machine that it comes from, or would come from.
        counted: The factor by instructions beside one by time, which is not judged by it.
    """

    estimate: Estimate | None = None
    passed: bool | None = None
    rival: str = ""
    runs: list[str] = field(default_factory=list)
    origin: Origin = "none"
    why: str = ""
    void: bool = False
    busy: dict[str, list[str]] = field(default_factory=dict)
    disturbed: bool = False
    unsettled: list[str] = field(default_factory=list)
    small: str = ""
    cores: float = math.inf
    counted: str = ""


@dataclass
class Results:
    """The runs, profiles and tests of a topic from one origin, each from the oldest to the newest."""

    origin: Origin
    runs: list[Run] = field(default_factory=list)
    profiles: list[ProfileRecord] = field(default_factory=list)
    tests: list[TestRecord] = field(default_factory=list)

    @classmethod
    def local(cls, lab: Lab, component: str) -> Results:
        """Return this machine's results: a results folder that was copied from elsewhere may hold others."""
        return cls._read("local", lab.results, component, this_machine().id)

    @classmethod
    def reference(cls, lab: Lab, component: str) -> Results:
        """Return the committed results."""
        return cls._read("reference", lab.reference, component)

    @classmethod
    def bundle(cls, results: Path, component: str, machine: Machine) -> Results:
        """Return an evidence bundle's results, as far as they are of the machine that it names."""
        return cls._read("bundle", results, component, machine.id)

    @classmethod
    def _read(cls, origin: Origin, results: Path, component: str, machine: str | None = None) -> Results:
        tests = [one for one in find_tests(results) if one.component == component]
        if machine is not None:
            # Tests in bundles of earlier versions do not say where they ran; all of a bundle is of one machine.
            known = {machine, ""} if origin == "bundle" else {machine}
            tests = [one for one in tests if one.machine in known]
        return cls(
            origin,
            select_runs(
                find_runs(results, component=component),
                kinds=("measure", "scaling", "counts"),
                complete=False,
                machine=machine,
            ),
            [one for one in find_profiles(results) if one.component == component and machine in {None, one.machine.id}],
            tests,
        )

    def counting(self, name: str = "") -> Results:
        """Return those that claims rest on: of local ones a reproduction's, or only the named run or profile."""

        def counts(record: RunHeader | ProfileRecord) -> bool:
            return record.id == name if name else record.reproduction or self.origin != "local"

        # Counts are the same whoever makes them.
        runs = [run for run in self.runs if counts(run.header) or (run.header.kind == "counts" and not name)]
        return replace(self, runs=runs, profiles=[one for one in self.profiles if counts(one)])

    @property
    def cores(self) -> float:
        """The usable cores of the machine that it was measured on; records of tests do not have them."""
        machines = [one.header.machine for one in self.runs] + [one.machine for one in self.profiles]
        if self.origin == "local" or not machines:
            return this_machine().usable_cores
        return min(one.usable_cores for one in machines)


def gather(
    lab: Lab, ledger: Ledger, places: Sequence[Results] | None = None, claims: Iterable[Claim] | None = None
) -> dict[str, Evidence]:
    """Find the evidence on a ledger's claims, or on some of them, by the claim's id.

    The first of `places` with evidence counts, one of a machine that has what the claim needs before others. By default
    they are this machine's results, then the reference. Evidence that cannot be used is none, and `why` says so.
    """
    if places is None:
        places = [Results.local(lab, ledger.component), Results.reference(lab, ledger.component)]
    wanted = ledger.claims if claims is None else list(claims)
    metrics = {claim.metric for claim in wanted if isinstance(claim, Measured) and claim.metric}
    finders: dict[tuple[str, int], _Finder] = {}
    gathered: dict[str, Evidence] = {}
    for claim in wanted:
        pieces: list[Evidence] = []
        named = claim.evidence if isinstance(claim, Measured) else ""
        for number, place in enumerate(places if not claim.missing else ()):
            if (named, number) not in finders:
                finders[named, number] = _Finder(lab, ledger.component, place.counting(named), metrics)
            if piece := finders[named, number].evidence(claim):
                pieces.append(piece)
        pieces.append(Evidence(cores=places[0].cores))
        chosen = next((piece for piece in pieces if not claim.needs.beyond(piece.cores)), pieces[0])
        if chosen is pieces[-1] and isinstance(claim, Measured):
            chosen = replace(chosen, why=_nearest_run(claim, places[0]))
        gathered[claim.id] = chosen
    return gathered


_MOST_DIFFERENCES = 3  # in a message


def _nearest_run(claim: Measured, place: Results) -> str:
    """Say which run comes nearest to what a claim rests on, and what it lacks; empty if there is none."""
    if claim.evidence:
        return f"{claim.evidence}, which it rests on, is not here, or does not fit"
    if claim.score or isinstance(claim, Share):
        return ""
    best: tuple[int, str] | None = None
    for run in place.runs:
        scenario, header = run.header.scenario, run.header
        if (header.kind, scenario.name) != (_kind_of_run(claim), claim.scenario):
            continue
        took_part = {arm.variant for arm in header.arms}
        settings, wanted = header.settings, scenario.settings({}) | claim.params
        others = [name for name, value in settings.items() if name in wanted and value != wanted[name]]
        differs = [f"has no {name}" for name in claim.variants if name not in took_part]
        differs += [f"has {name}={typed(settings[name])}, not {name}={typed(wanted[name])}" for name in others]
        differs += [] if run.complete else ["did not end"]
        differs += ["has a preset that proves nothing"] if header.preset == PROVES_NOTHING else []
        if place.origin == "local" and not header.reproduction:
            differs.append(f"no reproduction made (with evidence: {run.id} it counts)")
        if differs and (best is None or len(differs) <= best[0]):
            best = len(differs), f"{run.id}, which {' and '.join(differs[:_MOST_DIFFERENCES])}"
    return f"no run fits; the nearest is {best[1]}" if best else ""


def _kind_of_run(claim: Measured) -> str:
    return "scaling" if isinstance(claim, Scaling) else "counts" if claim.counted else "measure"


def ends_of(claim: Scaling, variant: str = "") -> list[str]:
    """Return the labels of a variant, by default the candidate, at both ends, where these take turns in one run."""
    return [label_at(variant or claim.candidate, end) for end in claim.ends]


class _Finder:
    """Finds evidence in one place; figures that several claims need are computed once."""

    def __init__(self, lab: Lab, component: str, place: Results, metrics: set[str]) -> None:
        self._lab, self._component, self._place, self._metrics = lab, component, place, metrics
        self._figures: dict[str, RunFigures] = {}
        self._composites: dict[tuple[str, ...], Composite] = {}

    def evidence(self, claim: Claim) -> Evidence | None:
        """Return the evidence; if the statistics reject the data, it has no figure and says why."""
        try:
            with figures("what was measured cannot be judged"):
                found = self._find(claim)
                runs = [run for run in self._place.runs if found and run.id in found.runs]
                found = found and replace(found, counted=self._counted(claim, runs))
        except LabError as error:
            found, runs = Evidence(why=f"its evidence cannot be used: {error.message}"), []
        if found is None:
            return None
        machines = [run.header.machine for run in runs]
        machines += [one.machine for one in self._place.profiles if one.id in found.runs]
        warned = {run.id: run.ending.warnings for run in runs if run.ending and run.ending.warnings}
        metric = claim.metric if isinstance(claim, Measured) else None
        return replace(
            found,
            origin=self._place.origin,
            busy={name: [*warned[name], *self._calm_before(name)] for name in found.runs if name in warned},
            disturbed=any(self._is_disturbed(run, metric) for run in runs),
            unsettled=[note for run in runs for note in unsettled(run, metric, claim.variants)],
            small=next((machine.small for machine in machines if machine.small), ""),
            cores=min((machine.usable_cores for machine in machines), default=self._place.cores),
        )

    def _is_disturbed(self, run: Run, metric: str | None) -> bool:
        # What a bench runs is mostly one thread, which other work slows as much as its rival.
        if run.ending is None or self._component in self._lab.benches:
            return False
        return run.ending.load.disturbs_threads and _is_time(run, metric)

    def _counted(self, claim: Claim, runs: Sequence[Run]) -> str:
        """Return the factor by instructions of a claim about time, if that was counted."""
        if not isinstance(claim, Measured) or isinstance(claim, Scaling) or not (claim.baseline and runs):
            return ""
        if not all(_is_time(run, claim.metric) for run in runs):
            return ""
        run = self._newest("counts", claim.scenario, claim.variants, claim.params, INSTRUCTIONS)
        found = RunFigures(run).compare(claim.baseline, [claim.candidate], None) if run else []
        return str(found[0].estimate) if found else ""

    def _find(self, claim: Claim) -> Evidence | None:
        match claim:
            case Mechanism():
                return self._test(claim)
            case Share():
                return self._profile(claim)
            case Score() | Order() if claim.score:
                return self._score(claim, claim.score)
            case Measured():
                return self._run(claim)
        return None

    def _calm_before(self, name: str) -> list[str]:
        """Warn if a disturbed run takes the place of an earlier, undisturbed one."""
        header = next(run.header for run in self._place.runs if run.id == name)
        same = select_runs(
            self._place.runs,
            kinds=[header.kind],
            labels=[arm.label for arm in header.arms],
            params=header.params,
            scenario=header.scenario,
        )
        calm = [run for run in same if run.ending and not run.ending.warnings and run.header.preset != PROVES_NOTHING]
        return [f"it takes the place of {calm[-1].id}, which was not disturbed"] if calm else []

    def _test(self, claim: Mechanism) -> Evidence | None:
        record = next((one for one in reversed(self._place.tests) if one.test == claim.test), None)
        return Evidence(passed=record.passed, why=record.message, runs=[claim.test]) if record else None

    def _profile(self, claim: Share) -> Evidence | None:
        wanted = (claim.scenario, claim.candidate, claim.mode, claim.params)
        fitting = [one for one in self._place.profiles if (one.scenario, one.variant, one.mode, one.params) == wanted]
        if not fitting:
            return None
        profile = fitting[-1]
        if profile.stackless:
            return Evidence(runs=[profile.id], why=profile.stackless)
        if claim.cause not in profile.shares:
            raise UsageError(f"claim {claim.id!r} names a cause that no profile has: {claim.cause!r}")
        summary = summarise([100 * share for share in profile.shares[claim.cause]], "%")
        return Evidence(summary.mean, runs=[profile.id])

    def _newest(
        self,
        kind: str,
        scenario: str,
        labels: Collection[str],
        params: Mapping[str, ParameterValue],
        metric: str | None = None,
    ) -> Run | None:
        """Return the newest complete run in which these labels took part with these parameters."""
        for run in reversed(select_runs(self._place.runs, kinds=[kind], complete=False, labels=set(labels))):
            # The scenario of a bench has the name of what was counted.
            named = {scenario, INSTRUCTIONS} if metric in COUNTS else {scenario}
            if run.header.scenario.name not in named or run.header.preset == PROVES_NOTHING:
                continue
            asked = {**run.header.scenario.settings({}), **params}
            # An older run may lack a metric that its scenario has today.
            if run.header.settings != asked or (metric and metric not in run.header.scenario.all_metrics):
                continue
            if run.complete or (run.ending is not None and set(labels) <= set(run.ending.void)):
                return run
        return None

    def _run(self, claim: Measured) -> Evidence | None:
        labels = claim.variants
        if isinstance(claim, Scaling):
            labels = [*ends_of(claim), *(ends_of(claim, claim.baseline) if claim.baseline else [])]
        run = self._newest(_kind_of_run(claim), claim.scenario, labels, claim.params, claim.metric)
        if run is None:
            return None
        # A void variant is no rival in a ranking.
        labels = [label for label in labels if label not in set(run.void) & set(claim.over)]
        if failed := _failed(run, labels):
            return failed
        found = self._figure_in(run, claim, labels)
        return replace(found, runs=[run.id]) if found else None

    def _figure_in(self, run: Run, claim: Measured, labels: Sequence[str]) -> Evidence | None:
        of = self._figures.setdefault(run.id, RunFigures(run, self._metrics))
        if isinstance(claim, Scaling):
            ends, against = labels[:2], labels[2:]
            of_ends = (
                of.compare_growth(ends, against, claim.metric)
                if against
                else of.compare(ends[0], ends[1:], claim.metric)
            )
            return Evidence(of_ends[0].estimate) if of_ends else None
        if too_few := of.too_few_for(claim.metric, labels):
            return Evidence(why=too_few)
        if claim.over:
            return of.lead(claim.candidate, claim.over, claim.metric) or Evidence(why=_NO_RIVAL)
        if claim.baseline:
            compared = of.compare(claim.baseline, [claim.candidate], claim.metric)
            return Evidence(compared[0].estimate) if compared else None
        metric = find_metric(run.header.scenario, claim.metric)
        values = of.table(metric)
        if claim.candidate not in values or not measured(values[claim.candidate]):
            return None
        return Evidence(summarise(values[claim.candidate], metric.unit, sequential=run.header.sequential).mean)

    def _score(self, claim: Score | Order, figure: Figure) -> Evidence | None:
        table = find_component(self._lab, self._component).manifest.table
        among = claim.variants
        runs: dict[str, Run] = {}
        for name in table.scenarios if table else []:
            run = self._newest("measure", name, among, {})
            if run is None:
                return None
            runs[name] = run
        return replace(self._score_in(claim, figure, runs), runs=[run.id for run in runs.values()])

    def _score_in(self, claim: Score | Order, figure: Figure, runs: Mapping[str, Run]) -> Evidence:
        among = claim.variants
        for run in runs.values():
            # What is void has a score: zero.
            if failed := _failed(run, [label for label in among if label not in run.void]):
                return failed
        for name, run in runs.items():
            if set(among) <= set(run.void):
                why = f"all ranked variants are void in {name}, so none is the best there"
                return Evidence(why=why, void=True)
        key = (*(run.id for run in runs.values()), *sorted(among))
        if key not in self._composites:
            rounds = {name: MetricRounds.of(run, run.header.scenario.headline) for name, run in runs.items()}
            self._composites[key] = composite_of(rounds, among)
        composite = self._composites[key]
        if isinstance(claim, Order):
            return lead_by_score(composite, claim.candidate, figure) or Evidence(why=_NO_RIVAL)
        return Evidence(_in_percent(composite.estimate(claim.candidate, figure), "%"))


def _is_time(run: Run, metric: str | None) -> bool:
    return not is_count(find_metric(run.header.scenario, metric).unit)


def _failed(run: Run, labels: Iterable[str]) -> Evidence | None:
    """Return the reason, if one of these variants dropped out."""
    failures = run.failures
    label = next((label for label in labels if label in failures), None)
    if label is None:
        return None
    return Evidence(runs=[run.id], why=f"{label} failed: {failures[label]}", void=label in run.void)


_NO_RIVAL = "no other variant has a figure to compare with"


class RunFigures:
    """A run's figures, each read once; those of `metrics` together with the first one."""

    def __init__(self, run: Run, metrics: Collection[str] = ()) -> None:
        self._run, self._metrics = run, metrics
        self._tables: dict[str, Table | ValueError] = {}

    def table(self, metric: Metric) -> Table:
        """Return a metric's values per label and round."""
        if metric.of not in self._tables:
            scenario = self._run.header.scenario
            asked = {one.of for name, one in scenario.all_metrics.items() if name in self._metrics}
            self._tables |= fork_tables(self._run, {metric.of, *(asked - self._tables.keys())})
        return fork_table(self._run, metric, self._tables)

    def compare(self, base: str, others: Sequence[str], metric: str | None) -> list[Comparison]:
        """Compare these variants alone: what else took part in the run does not widen their intervals."""
        chosen = find_metric(self._run.header.scenario, metric)
        values = self.table(chosen)
        rounds = {label: values[label] for label in (base, *others) if label in values}
        return compare_in(self._run, chosen, rounds, base) if base in rounds else []

    def compare_growth(self, ends: Sequence[str], against: Sequence[str], name: str | None) -> list[Comparison]:
        """Return the factor by which the lead over a baseline grows: a ratio of ratios, round by round."""
        metric = find_metric(self._run.header.scenario, name)
        values = self.table(metric)
        if not {*ends, *against} <= set(values):
            return []
        with np.errstate(all="ignore"):
            pairs = [(end, np.array(values[end]) / values[other]) for end, other in zip(ends, against, strict=True)]
            lead = {end: (1 / ratio if metric.better == "lower" else ratio).tolist() for end, ratio in pairs}
        return compare_in(self._run, msgspec.structs.replace(metric, unit="x", better="higher"), lead, ends[0])

    def lead(self, candidate: str, over: Sequence[str], metric: str | None) -> Evidence | None:
        """Return a variant's lead over the closest of others; `None` if none of them has a figure."""
        found = self.compare(candidate, over, metric)
        leads = {one.candidate: one.estimate.reverse for one in found if one.estimate is not None}
        return _closest(leads, sure=len(leads) == len(found)) if leads else None

    def too_few_for(self, name: str | None, labels: Collection[str]) -> str:
        """Say why a percentile other than the headline cannot be judged: of eighty operations the 99th is the worst."""
        of = next((one.of for one in self._run.header.scenario.metrics if one.name == name), None)
        metric = parse_metric(of) if of else None
        if not isinstance(metric, Percentile):
            return ""
        known = fork_figures(self._run, []).operations
        operations = min((known[label] for label in labels if label in known), default=math.nan)
        needed = operations_needed(metric.key)
        few = operations < needed
        return f"samples of {operations:.0f} operations have no {metric.key}: it needs {needed}" if few else ""


def _closest(leads: Mapping[str, Estimate], *, sure: bool = True) -> Evidence:
    """Return the lead over the closest rival, with the interval of the least lead; without it unless `sure`."""
    rival = min(leads, key=lambda name: leads[name].value)
    intervals = [one.interval for one in leads.values() if one.interval]
    # A rival without an interval could be anywhere, and scales that differ have no common least.
    sure = sure and len(intervals) == len(leads) and len({one.unit for one in leads.values()}) == 1
    low, high = map(min, zip(*intervals, strict=True)) if sure else (None, None)
    return Evidence(replace(leads[rival], low=low, high=high), rival=rival)


def lead_by_score(composite: Composite, candidate: str, figure: Figure) -> Evidence | None:
    """Return how far a variant's score is ahead of the next one's, in points of a hundred; `None` if it is alone."""
    rivals = [label for label in composite.labels if label != candidate]
    if candidate not in composite.labels or not rivals:
        return None
    shares = {rival: composite.lead(candidate, rival, figure, comparisons=len(rivals)) for rival in rivals}
    return _closest({rival: _in_percent(share, "points") for rival, share in shares.items()})


def _in_percent(share: Estimate, unit: str) -> Estimate:
    return share.map(lambda value: 100 * value, unit=unit)
