"""Finding the evidence on a claim: what this machine's newest reproduction made, else the committed reference runs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import groupby, islice, product
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec

from perflab.claims.standings import MetricRounds, composite_of
from perflab.host.machine import this_machine
from perflab.measure.analysis import compare_in, figures, fork_table, fork_tables, unsettled, whole_samples
from perflab.measure.plan import label_at
from perflab.measure.presets import PROVES_NOTHING
from perflab.model.commandline import typed
from perflab.model.errors import LabError, UsageError
from perflab.profile.profile import NO_STACKS
from perflab.stats.diagnostics import summarise
from perflab.stats.metrics import Percentile, operations_needed, parse_metric
from perflab.store.records import find_profiles, find_tests
from perflab.store.runs import find_runs, select_runs
from perflab.topics.catalogue import find_component, find_metric

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from perflab.claims.ledger import Claim, Ledger
    from perflab.host.machine import Machine
    from perflab.model.estimate import Estimate
    from perflab.model.lab import Lab
    from perflab.model.protocol import Metric, ParameterValue
    from perflab.stats.comparison import Comparison
    from perflab.stats.composite import Composite, Figure
    from perflab.stats.diagnostics import Summary
    from perflab.store.records import ProfileRecord, RunHeader, TestRecord
    from perflab.store.runs import Run


Origin = Literal["local", "reference", "bundle", "none"]

_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Evidence:
    """What there is on a claim: an estimate or a test's outcome; `why` says it if there is neither.

    Attributes:
        estimate: The measured figure. In a ranking it is the lead over the closest of the others, with the interval of
            the least lead over any of them: that one need not be the closest by estimate.
        passed: Whether the claim's test passed.
        rival: In a ranking, the variant that comes closest or is ahead.
        runs: The runs, profiles or tests that it rests on.
        origin: Where these are.
        why: Why there is no figure, or why a test failed.
        void: A variant of the claim gave wrong results; `why` says which.
        busy: Per run during which the machine had other work, the warnings.
        unsettled: Of which variants the figure depends on how long their processes lasted.
        small: What a process may use of the machine, if that is little.
        cores: How many cores a process may use of the machine that it comes from, or that it would come from.
    """

    estimate: Estimate | None = None
    passed: bool | None = None
    rival: str = ""
    runs: list[str] = field(default_factory=list)
    origin: Origin = "none"
    why: str = ""
    void: bool = False
    busy: dict[str, list[str]] = field(default_factory=dict)
    unsettled: list[str] = field(default_factory=list)
    small: str = ""
    cores: float = math.inf


@dataclass
class Shelf:
    """What was measured of a topic on this machine, or is committed; each kind from the oldest to the newest."""

    origin: Origin
    runs: list[Run] = field(default_factory=list)
    profiles: list[ProfileRecord] = field(default_factory=list)
    tests: list[TestRecord] = field(default_factory=list)
    metrics: frozenset[str | None] = frozenset()
    """That claims ask for: a run is read for many of them at once."""
    _made: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    _newest: dict[str, tuple[Hashable, dict[Hashable, Any]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def once(self, key: Hashable, make: Callable[[], _Made], of: tuple[str, Hashable] | None = None) -> _Made:
        """What one claim needs of a run, kept for the others of the same judgement: many look at one run.

        Why it cannot be had is kept, too: a run that is refused may take as long to read as any.

        Args:
            key: All that `make` depends on.
            make: Called if nothing is kept.
            of: A kind, and one of it: what takes megabytes is kept only until such of another one is asked for.
        """
        made = self._made
        if of is not None:
            kind, one = of
            if self._newest.get(kind, (None, made))[0] != one:
                self._newest[kind] = one, {}
            made = self._newest[kind][1]
        if key not in made:
            try:
                made[key] = make()
            except (LabError, ValueError, ArithmeticError) as error:
                made[key] = error
        found: _Made | Exception = made[key]
        if isinstance(found, Exception):
            raise found.with_traceback(None)
        return found

    @classmethod
    def local(cls, lab: Lab, component: str) -> Shelf:
        """What was measured on this machine: a results folder that was copied from elsewhere may hold more."""
        return cls._read("local", lab.results, component, this_machine().id)

    @classmethod
    def reference(cls, lab: Lab, component: str) -> Shelf:
        """What is committed."""
        return cls._read("reference", lab.reference, component)

    @classmethod
    def bundle(cls, results: Path, component: str, machine: Machine) -> Shelf:
        """What an evidence bundle holds that was measured on the machine that it names."""
        return cls._read("bundle", results, component, machine.id)

    @classmethod
    def _read(cls, origin: Origin, results: Path, component: str, machine: str | None = None) -> Shelf:
        tests = [one for one in find_tests(results) if one.component == component]
        if machine is not None:
            # Tests in bundles of earlier versions do not say where they ran; all of a bundle is of one machine.
            known = {machine, ""} if origin == "bundle" else {machine}
            tests = [one for one in tests if one.machine in known]
        return cls(
            origin,
            select_runs(
                find_runs(results, component=component), kinds=("measure", "scaling"), complete=False, machine=machine
            ),
            [one for one in find_profiles(results) if one.component == component and machine in {None, one.machine.id}],
            tests,
        )

    def pinned(self, name: str) -> Shelf:
        """This run or profile, if it is here, and no other; without a name those that claims rest on.

        Here these are what reproductions made. What is committed, or came in a bundle, was chosen by somebody.
        """

        def counts(record: RunHeader | ProfileRecord) -> bool:
            return record.id == name if name else record.reproduction or self.origin != "local"

        return replace(
            self,
            runs=[one for one in self.runs if counts(one.header)],
            profiles=[one for one in self.profiles if counts(one)],
        )

    @property
    def cores(self) -> float:
        """How many cores a process may use where it was measured; the record of a test does not say how many."""
        machines = [one.header.machine for one in self.runs] + [one.machine for one in self.profiles]
        if self.origin == "local" or not machines:
            return this_machine().usable_cores
        return min(one.usable_cores for one in machines)

    def settings(self, run: Run) -> tuple[dict[str, ParameterValue], dict[str, ParameterValue]]:
        """A run's parameters, and their defaults: there may be hundreds, and many claims are held against them."""
        return self.once(("settings", run.id), lambda: (run.header.settings, run.header.scenario.settings({})))

    def runs_of(
        self, claim: Claim, labels: Iterable[str], params: Mapping[str, ParameterValue], kind: str = "measure"
    ) -> Iterator[Run]:
        """The complete runs in which these labels took part with these parameters, the newest first."""
        wanted = set(labels)
        for run in reversed(select_runs(self.runs, kinds=[kind], complete=False, labels=wanted)):
            scenario = run.header.scenario
            here, defaults = self.settings(run)
            # An older run may lack a metric that its scenario has today.
            if (
                scenario.name == claim.scenario
                and here == {**defaults, **params}
                and (claim.metric is None or claim.metric in scenario.all_metrics)
                and run.header.preset != PROVES_NOTHING
                and (run.complete or (run.ending is not None and wanted <= set(run.ending.void)))
            ):
                yield run

    def run_of(self, claim: Claim) -> Run | None:
        """The run that a claim rests on which is about no score, mechanism or share."""
        scales = claim.kind == "scaling"
        labels = [*ends_of(claim), *_ends_of_baseline(claim)] if scales else claim.variants
        kind = "scaling" if scales else "measure"
        return self.once(("run", claim.id), lambda: next(self.runs_of(claim, labels, claim.params, kind), None))


def gather(
    lab: Lab, ledger: Ledger, shelves: Sequence[Shelf] | None = None, claims: Iterable[Claim] | None = None
) -> dict[str, Evidence]:
    """The evidence on each of a ledger's claims, by the claim's id.

    A claim whose evidence cannot be used, as when its run lacks what the metric is made of, has none, and `why` says
    so; it does not affect the other claims.

    Args:
        lab: Whose topics they are about.
        ledger: The claims.
        shelves: Where to look; the first that has something counts, one of a machine that has what the claim needs
            before others. By default this machine's, then the reference.
        claims: Only these of the ledger's claims.
    """
    if shelves is None:
        shelves = [Shelf.local(lab, ledger.component), Shelf.reference(lab, ledger.component)]
    wanted = ledger.claims if claims is None else list(claims)
    metrics = frozenset(one.metric for one in wanted)
    asked = [replace(shelf, metrics=metrics) for shelf in shelves]
    every: dict[str, list[Evidence]] = {claim.id: [] for claim in wanted}
    # What is missing for a claim need not be named by it, and no run can show it.
    looked_for = [claim for claim in wanted if not claim.missing]
    pins = groupby(sorted(looked_for, key=lambda one: one.evidence), lambda one: one.evidence)
    for (name, claims_on), shelf in product([(name, list(group)) for name, group in pins], asked):
        # A copy, which has kept nothing: a run under way has grown since the last judgement.
        own = shelf.pinned(name)
        # One run after the other: only the newest one's tables are kept.
        for claim in sorted(claims_on, key=lambda one: run.id if (run := own.run_of(one)) else ""):
            if piece := _usable(lab, claim, ledger.component, own):
                every[claim.id].append(piece)
    found: dict[str, Evidence] = {}
    for claim in wanted:
        pieces = [*every[claim.id], Evidence(cores=shelves[0].cores)]
        chosen = next((piece for piece in pieces if not claim.needs.beyond(piece.cores)), pieces[0])
        found[claim.id] = chosen if chosen is not pieces[-1] else replace(chosen, why=_nearest(claim, asked[0]))
    return found


def _nearest(claim: Claim, shelf: Shelf) -> str:
    """Which run comes nearest to what a claim rests on, and what it lacks; empty if it rests on none, or none does."""
    if claim.evidence:
        return f"{claim.evidence}, which it rests on, is not here, or does not fit"
    if claim.score or claim.kind in {"mechanism", "share"}:
        return ""
    kind = "scaling" if claim.kind == "scaling" else "measure"
    best: tuple[int, str] | None = None
    for run in shelf.runs:
        scenario = run.header.scenario
        if (run.header.kind, scenario.name) != (kind, claim.scenario):
            continue
        took_part = {arm.variant for arm in run.header.arms}
        differs = [f"has no {name}" for name in claim.variants if name not in took_part]
        here, defaults = shelf.settings(run)
        wanted = {**defaults, **claim.params}
        others = [name for name, value in here.items() if name in wanted and value != wanted[name]]
        differs += [f"has {name}={typed(here[name])}, not {name}={typed(wanted[name])}" for name in others[:_MOST_SAID]]
        unsaid = len(others[_MOST_SAID:])
        differs += [] if run.complete else ["did not end"]
        differs += ["has a preset that proves nothing"] if run.header.preset == PROVES_NOTHING else []
        if shelf.origin == "local" and not run.header.reproduction:
            differs.append(f"no reproduction made (with evidence: {run.id} it counts)")
        if differs and (best is None or len(differs) + unsaid <= best[0]):
            best = (
                len(differs) + unsaid,
                f"no run fits; the nearest is {run.id}, which {' and '.join(differs[:_MOST_SAID])}",
            )
    return best[1] if best else ""


_MOST_SAID = 3


def _usable(lab: Lab, claim: Claim, component: str, shelf: Shelf) -> Evidence | None:
    """Data that the statistics reject are a reason to have no figure; other errors are defects."""
    try:
        with figures("what was measured cannot be judged"):
            finder = _FINDERS.get(claim.kind, _run)
            found = _score(lab, claim, component, shelf) if claim.score else finder(claim, shelf)
    except LabError as error:
        found = Evidence(why=f"its evidence cannot be used: {error.message}")
    if found is None:
        return None
    warned = {run.id: run.ending.warnings for run in shelf.runs if run.ending}
    machines = {run.id: run.header.machine for run in shelf.runs}
    machines |= {profile.id: profile.machine for profile in shelf.profiles}
    own = [machines[name] for name in found.runs if name in machines]
    return replace(
        found,
        origin=shelf.origin,
        busy={name: [*warned[name], *_displaced(shelf, name)] for name in found.runs if warned.get(name)},
        unsettled=[
            note for run in shelf.runs if run.id in found.runs for note in unsettled(run, claim.metric, claim.variants)
        ],
        small=next((machine.small for machine in own if machine.small), ""),
        cores=min((machine.usable_cores for machine in own), default=shelf.cores),
    )


def _displaced(shelf: Shelf, name: str) -> list[str]:
    """A warning, if a run takes the place of an earlier one of the same that was not disturbed."""
    header = next(run.header for run in shelf.runs if run.id == name)
    same = select_runs(
        shelf.runs,
        kinds=[header.kind],
        labels=[arm.label for arm in header.arms],
        params=header.params,
        scenario=header.scenario,
    )
    calm = [run.id for run in same if run.ending and not run.ending.warnings and run.header.preset != PROVES_NOTHING]
    return [f"it takes the place of {calm[-1]}, which was not disturbed"] if calm else []


def _run(claim: Claim, shelf: Shelf) -> Evidence | None:
    run = shelf.run_of(claim)
    if run is None:
        return None
    # What is void is no rival in a ranking.
    no_rivals = set(run.void) & set(claim.over)
    labels = [label for label in claim.variants if label not in no_rivals]
    if failed := _failed(run, labels):
        return failed
    if too_few := _too_few_for(claim, shelf, run, labels):
        found: Evidence | None = Evidence(why=too_few)
    elif claim.over:
        found = lead_in(shelf, run, claim.candidate, claim.over, claim.metric) or Evidence(why=_NO_RIVAL)
    elif claim.baseline:
        compared = _compare_in(shelf, run, claim.baseline, [claim.candidate], claim.metric)
        found = Evidence(compared[0].estimate) if compared else None
    else:
        metric = find_metric(run.header.scenario, claim.metric)
        values = _table(shelf, run, metric)
        known = claim.candidate in values and values[claim.candidate].notna().any()
        found = Evidence(_summary(shelf, run, metric, claim.candidate).mean) if known else None
    return replace(found, runs=[run.id]) if found else None


def _table(shelf: Shelf, run: Run, metric: Metric) -> pd.DataFrame:
    def make() -> pd.DataFrame:
        scenario = run.header.scenario
        of = "run", run.id
        tables: dict[str, pd.DataFrame | ValueError] = shelf.once("tables", dict, of)
        if metric.of not in tables:
            wanted = {*shelf.metrics, scenario.name}
            asked = (one.of for name, one in scenario.all_metrics.items() if name in wanted and one.of not in tables)
            some = {metric.of, *islice(asked, max(3 * len(tables), _AT_ONCE))}
            tables |= shelf.once(("read", len(tables)), lambda: fork_tables(run, some), of)
        return fork_table(run, metric, tables)

    return shelf.once(("table", metric.name), make, ("run", run.id))


_AT_ONCE = 8
"""Metrics that a run is read for at first, and then for three times as many: claims may rest on a hundred runs."""


def _summary(shelf: Shelf, run: Run, metric: Metric, label: str) -> Summary:
    def make() -> Summary:
        return summarise(_table(shelf, run, metric)[label].tolist(), metric.unit, sequential=run.header.sequential)

    return shelf.once(("summary", run.id, metric.name, label), make)


def _compare_in(shelf: Shelf, run: Run, base: str, others: Sequence[str], metric: str | None) -> list[Comparison]:
    """These variants alone against one: what else took part in the run has no say in how wide their intervals are."""
    chosen = find_metric(run.header.scenario, metric)
    values = _table(shelf, run, chosen)
    rounds = {label: values[label].tolist() for label in (base, *others) if label in values}
    if base not in rounds:
        return []
    # Not by its name: many metrics may be made of the same. How a run ended says something of its headline alone.
    same = (chosen.of, chosen.unit, chosen.better, chosen == run.header.scenario.headline)
    return shelf.once(("ratios", run.id, same, *rounds), lambda: compare_in(run, chosen, rounds, base))


def _failed(run: Run, labels: Iterable[str]) -> Evidence | None:
    """The reason, if one of these variants dropped out."""
    failures = run.failures
    label = next((label for label in labels if label in failures), None)
    if label is None:
        return None
    return Evidence(runs=[run.id], why=f"{label} failed: {failures[label]}", void=label in run.void)


def _too_few_for(claim: Claim, shelf: Shelf, run: Run, labels: Collection[str]) -> str:
    """Why a percentile cannot be judged: of eighty operations the 99th is the worst one; empty if it can.

    A percentile that is a scenario's headline is always judged.
    """
    of = next((one.of for one in run.header.scenario.metrics if one.name == claim.metric), None)
    metric = parse_metric(of) if of else None
    if not isinstance(metric, Percentile):
        return ""

    def make() -> pd.Series[float]:
        return whole_samples(run).groupby("variant")["ops"].median()

    each = shelf.once(("operations", run.id), make)
    operations = each[each.index.isin(labels)].min()
    needed = operations_needed(metric.key)
    too_few = operations < needed
    return f"samples of {operations:.0f} operations have no {metric.key}: it needs {needed}" if too_few else ""


_NO_RIVAL = "no other variant has a figure to compare with"


def lead_in(shelf: Shelf, run: Run, candidate: str, over: Sequence[str], metric: str | None) -> Evidence | None:
    """Where a variant stands in one run; `None` if no other that could be ahead has a figure.

    What is void there is behind whatever is not, and no rival.
    """
    found = _compare_in(shelf, run, candidate, over, metric)
    leads = {one.candidate: one.estimate.reverse for one in found if one.estimate is not None}
    return _closest(leads, sure=len(leads) == len(found)) if leads else None


def _closest(leads: Mapping[str, Estimate], *, sure: bool = True) -> Evidence:
    """The lead over the closest rival, with the interval of the least lead; none if not all of them are known."""
    rival = min(leads, key=lambda name: leads[name].value)
    intervals = [one.interval for one in leads.values() if one.interval]
    # A rival without an interval could be anywhere, and scales that differ have no common least.
    sure = sure and len(intervals) == len(leads) and len({one.unit for one in leads.values()}) == 1
    low, high = map(min, zip(*intervals, strict=True)) if sure else (None, None)
    return Evidence(replace(leads[rival], low=low, high=high), rival=rival)


def _score(lab: Lab, claim: Claim, component: str, shelf: Shelf) -> Evidence | None:
    assert claim.score is not None  # noqa: S101 - the caller has looked
    table = shelf.once("scored", lambda: find_component(lab, component).manifest.table)
    among = claim.variants
    runs: dict[str, Run] = {}
    for name in table.scenarios if table else []:
        alike = msgspec.structs.replace(claim, scenario=name, metric=None)
        run = next(shelf.runs_of(alike, among, {}), None)
        if run is None:
            return None
        runs[name] = run
    found: Evidence | None = None
    for run in runs.values():
        # What is void has a score: zero.
        found = found or _failed(run, [name for name in among if name not in run.void])
    all_void = next((name for name, run in runs.items() if set(among) <= set(run.void)), None)
    if not found and all_void:
        why = f"all ranked variants are void in {all_void}, so none is the best there"
        found = Evidence(why=why, void=True)
    if not found:

        def headlines() -> dict[str, MetricRounds]:
            return {name: MetricRounds.of(run, run.header.scenario.headline) for name, run in runs.items()}

        def make() -> Composite:
            return composite_of(shelf.once("headlines", headlines, ("headlines", ids)), among)

        ids = tuple(run.id for run in runs.values())
        composite = shelf.once("composite", make, ("score", (ids, frozenset(among))))
        if claim.kind == "order":
            found = lead_by_score(composite, claim.candidate, claim.score) or Evidence(why=_NO_RIVAL)
        else:
            found = Evidence(_in_percent(composite.estimate(claim.candidate, claim.score), "%"))
    return replace(found, runs=[run.id for run in runs.values()])


def lead_by_score(composite: Composite, candidate: str, figure: Figure) -> Evidence | None:
    """How far ahead a variant's score is of the next one's, in points of a hundred; `None` if there is no other."""
    rivals = [label for label in composite.labels if label != candidate]
    if candidate not in composite.labels or not rivals:
        return None
    shares = {rival: composite.lead(candidate, rival, figure, comparisons=len(rivals)) for rival in rivals}
    return _closest({rival: _in_percent(share, "points") for rival, share in shares.items()})


def _in_percent(share: Estimate, unit: str) -> Estimate:
    return share.map(lambda value: 100 * value, unit=unit)


def ends_of(claim: Claim) -> list[str]:
    """The labels of a scaling claim's candidate at both ends, where these take turns in one run."""
    return [label_at(claim.candidate, end) for end in claim.ends]


def _ends_of_baseline(claim: Claim) -> list[str]:
    return [label_at(claim.baseline, end) for end in claim.ends] if claim.baseline else []


def _scaling(claim: Claim, shelf: Shelf) -> Evidence | None:
    ends, against = ends_of(claim), _ends_of_baseline(claim)
    interleaved = shelf.run_of(claim)
    if interleaved is None:
        return None
    if failed := _failed(interleaved, [*ends, *against]):
        return failed
    if against:
        compared = _grown(shelf, interleaved, claim.metric, ends, against)
    else:
        compared = _compare_in(shelf, interleaved, ends[0], ends[1:], claim.metric)
    return Evidence(compared[0].estimate, runs=[interleaved.id]) if compared else None


def _grown(shelf: Shelf, run: Run, name: str | None, ends: Sequence[str], against: Sequence[str]) -> list[Comparison]:
    """By what factor the advantage over a baseline grows from end to end: a ratio of ratios, round by round."""
    metric = find_metric(run.header.scenario, name)
    values = _table(shelf, run, metric)
    if not {*ends, *against} <= set(values):
        return []
    factor = msgspec.structs.replace(metric, unit="x", better="higher")

    def make() -> list[Comparison]:
        ratios = {end: values[end] / values[other] for end, other in zip(ends, against, strict=True)}
        lead = {end: (1 / ratio if metric.better == "lower" else ratio).tolist() for end, ratio in ratios.items()}
        return compare_in(run, factor, lead, ends[0])

    return shelf.once(("grown", run.id, metric.name, *ends, *against), make)


def _profile(claim: Claim, shelf: Shelf) -> Evidence | None:
    wanted = (claim.scenario, claim.candidate, claim.mode, claim.params)
    fitting = [one for one in shelf.profiles if (one.scenario, one.variant, one.mode, one.params) == wanted]
    if not fitting:
        return None
    profile = fitting[-1]
    if stackless := next((note for note in profile.notes if note.startswith(NO_STACKS)), ""):
        return Evidence(runs=[profile.id], why=stackless)
    if claim.cause not in profile.shares:
        raise UsageError(f"claim {claim.id!r} names a cause that no profile has: {claim.cause!r}")
    summary = summarise([100 * share for share in profile.shares[claim.cause]], "%")
    return Evidence(summary.mean, runs=[profile.id])


def _test(claim: Claim, shelf: Shelf) -> Evidence | None:
    record = next((one for one in reversed(shelf.tests) if one.test == claim.test), None)
    return Evidence(passed=record.passed, why=record.message, runs=[claim.test]) if record else None


_FINDERS = {"mechanism": _test, "share": _profile, "scaling": _scaling}
