"""Finding the evidence on a claim: this machine's newest runs, else the committed reference runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import msgspec

from perflab.components.catalogue import find_component, find_metric
from perflab.machine.machine import this_machine
from perflab.model.errors import LabError, UsageError
from perflab.model.paths import REFERENCE_DIR, RESULTS_DIR
from perflab.profile.profile import NO_STACKS
from perflab.run.analysis import analyse, compare_runs, fork_table, precision_target, whole_samples
from perflab.run.presets import PROVES_NOTHING
from perflab.stats.comparison import compare
from perflab.stats.composite import Composite
from perflab.stats.diagnostics import summarise
from perflab.stats.metrics import Percentile, operations_needed, parse_metric
from perflab.store.reading import find_runs, select_runs
from perflab.store.records import find_profiles, find_tests

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from perflab.judge.ledger import Claim, Ledger
    from perflab.model.estimate import Estimate
    from perflab.model.protocol import ParameterValue, Scenario
    from perflab.stats.comparison import Comparison
    from perflab.stats.composite import Figure
    from perflab.store.reading import Run
    from perflab.store.records import ProfileRecord, TestRecord


_PERCENT = 100.0


@dataclass(frozen=True)
class Lead:
    """How far a variant is ahead of whoever comes closest to it or is ahead of it.

    A factor is above 1, a difference above 0 where it is ahead. The interval is that of the least lead over any of the
    others, of which the closest by estimate need not be the one that could be ahead: its ends are the least of the ends
    of all leads, whose intervals hold together. `equal`: one of them makes no difference.
    """

    rival: str
    estimate: Estimate
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
    behind = {one.candidate: one.estimate for one in found if one.estimate is not None}
    if not behind:
        return None
    closest = max(behind, key=lambda name: behind[name].value)
    least = _least({name: one.reverse for name, one in behind.items()}, closest, sure=len(behind) == len(found))
    return Lead(closest, least, any(one.verdict == "no difference" for one in found))


def _least(leads: Mapping[str, Estimate], closest: str, *, sure: bool = True) -> Estimate:
    """The lead over the closest rival, with the interval of the least lead; none if not all of them are known."""
    intervals = [one.interval for one in leads.values() if one.interval]
    # A rival without an interval could be anywhere, and scales that differ have no common least.
    sure = sure and len(intervals) == len(leads) and len({one.unit for one in leads.values()}) == 1
    low, high = map(min, zip(*intervals, strict=True)) if sure else (None, None)
    return replace(leads[closest], low=low, high=high)


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
    return Lead(rival, _in_percent(_least(leads, rival), "points"))


def _in_percent(share: Estimate, unit: str) -> Estimate:
    return share.map(lambda value: _PERCENT * value, unit=unit)


Origin = Literal["local", "reference", "none"]


@dataclass(frozen=True)
class Evidence:
    """What there is on a claim: a figure with its interval, or a test's outcome; `why` if there is nothing.

    `void`: who the claim is about, or is held against, gave wrong results; `why` says which. `equal`: the comparison's
    whole interval lies within the margin of no difference. `rival`: of the variants that the
    candidate is ranked over, the one that comes closest or is ahead: with it the ranking stands or falls. `busy`: of
    each of the runs during which the machine had other work, what was said of it. `small`: what a process may use of
    the machine, if that is little.
    """

    estimate: Estimate | None = None
    equal: bool = False
    passed: bool | None = None
    runs: list[str] = field(default_factory=list)
    origin: Origin = "none"
    why: str = ""
    void: bool = False
    rival: str = ""
    busy: dict[str, list[str]] = field(default_factory=dict)
    small: str = ""


@dataclass
class Shelf:
    """Evidence of one origin, each kind from the oldest to the newest."""

    origin: Origin
    runs: list[Run] = field(default_factory=list)
    profiles: list[ProfileRecord] = field(default_factory=list)
    tests: list[TestRecord] = field(default_factory=list)

    @classmethod
    def local(cls) -> Shelf:
        """What was measured on this machine: a results folder that was carried here from elsewhere may hold more."""
        here = this_machine().id
        runs = [run for run in find_runs(RESULTS_DIR) if run.header.machine.id == here]
        profiles = [profile for profile in find_profiles(RESULTS_DIR) if profile.machine.id == here]
        return cls("local", runs, profiles, find_tests(RESULTS_DIR))

    @classmethod
    def reference(cls) -> Shelf:
        """What is committed."""
        return cls("reference", find_runs(REFERENCE_DIR), find_profiles(REFERENCE_DIR), find_tests(REFERENCE_DIR))

    def run(
        self, claim: Claim, component: str, labels: Iterable[str], params: Mapping[str, ParameterValue]
    ) -> Run | None:
        """The newest complete run in which these labels took part with these parameters."""
        return next(self.fitting(claim, component, labels, params), None)

    def fitting(
        self, claim: Claim, component: str, labels: Iterable[str], params: Mapping[str, ParameterValue]
    ) -> Iterator[Run]:
        """All of them, the newest first."""
        wanted = set(labels)
        runs = select_runs(self.runs, complete=False, labels=wanted, params=params, component=component)
        for run in reversed(runs):
            header = run.header
            if (
                header.scenario.name == claim.scenario
                and header.preset != PROVES_NOTHING
                and (claim.metric is None or claim.metric in _metric_names(header.scenario))
                and (run.complete or (run.ending is not None and wanted <= set(run.ending.void)))
            ):
                yield run


def _metric_names(scenario: Scenario) -> set[str]:
    """What a run can be asked for: an older one may lack a metric that its scenario has today."""
    return {metric.name for metric in [scenario.headline, *scenario.metrics]}


def gather(
    ledger: Ledger, shelves: Sequence[Shelf] | None = None, claims: Iterable[Claim] | None = None
) -> dict[str, Evidence]:
    """The evidence on each of a ledger's claims, by the claim's id.

    A claim whose evidence cannot be used, as when its run lacks what the metric is made of, has none, and `why` says
    so; it does not affect the other claims.

    Args:
        ledger: The claims.
        shelves: Where to look; what comes first counts. This machine's and then the reference machine's without any.
        claims: Only these of the ledger's claims.
    """
    shelves = [Shelf.local(), Shelf.reference()] if shelves is None else shelves
    found: dict[str, Evidence] = {}
    for claim in ledger.claims if claims is None else claims:
        pieces = (_guarded(claim, ledger.component, shelf) for shelf in shelves)
        found[claim.id] = next((piece for piece in pieces if piece is not None), Evidence())
    busy = {run.id: run.ending.warnings for shelf in shelves for run in shelf.runs if run.ending}
    small = {run.id: run.header.machine.small for shelf in shelves for run in shelf.runs}
    small |= {profile.id: profile.machine.small for shelf in shelves for profile in shelf.profiles}
    return {
        name: replace(
            one,
            busy={run: busy[run] for run in one.runs if busy.get(run)},
            small=next((small[run] for run in one.runs if small.get(run)), ""),
        )
        for name, one in found.items()
    }


def _guarded(claim: Claim, component: str, shelf: Shelf) -> Evidence | None:
    """As `_on_shelf`; data that the statistics reject are a reason to have no figure, other errors are defects."""
    try:
        return _on_shelf(claim, component, shelf)
    except (LabError, ValueError) as error:
        return Evidence(origin=shelf.origin, why=f"its evidence cannot be used: {error}")


def _on_shelf(claim: Claim, component: str, shelf: Shelf) -> Evidence | None:
    if claim.score:
        return _score(claim, component, shelf)
    if claim.over:
        return _ranking(claim, component, shelf)
    by_kind = {"mechanism": _test, "share": _profile, "scaling": _scaling}
    return by_kind.get(claim.kind, _run)(claim, component, shelf)


def _run(claim: Claim, component: str, shelf: Shelf) -> Evidence | None:
    labels = [claim.candidate, *([claim.baseline] if claim.baseline else [])]
    run = shelf.run(claim, component, labels, claim.params)
    if run is None:
        return None
    if failed := _failed(run, labels, shelf.origin):
        return failed
    if too_few := _too_few_for(claim, run, labels):
        return Evidence(runs=[run.id], origin=shelf.origin, why=too_few)
    return _compared(claim, run, shelf.origin) if claim.baseline else _alone(claim, run, shelf.origin)


def _failed(run: Run, labels: Iterable[str], origin: Origin) -> Evidence | None:
    """What there is to say where one of these did not get through."""
    ending = run.ending
    label = next((label for label in labels if ending and label in ending.failures), None)
    if ending is None or label is None:
        return None
    why = f"{label} did not get through: {ending.failures[label]}"
    return Evidence(runs=[run.id], origin=origin, why=why, void=label in ending.void)


def _ranking(claim: Claim, component: str, shelf: Shelf) -> Evidence | None:
    run = shelf.run(claim, component, [claim.candidate, *claim.over], claim.params)
    if run is None:
        return None
    nothing = Evidence(runs=[run.id], origin=shelf.origin)
    void = set(run.ending.void) - {claim.candidate} if run.ending else set()
    among = [name for name in (claim.candidate, *claim.over) if name not in void]
    if failed := _failed(run, among, shelf.origin):
        return failed
    if too_few := _too_few_for(claim, run, among):
        return replace(nothing, why=too_few)
    lead = lead_in(run, claim.candidate, claim.over, claim.metric)
    return replace(nothing, why="nobody to be ahead of") if lead is None else _of_lead(lead, nothing)


def _score(claim: Claim, component: str, shelf: Shelf) -> Evidence | None:
    assert claim.score is not None  # noqa: S101 - the caller has looked
    table = find_component(component).manifest.table
    among = [claim.candidate, *claim.over]
    runs = {}
    for name in table.scenarios if table else []:
        run = shelf.run(msgspec.structs.replace(claim, scenario=name, metric=None), component, among, {})
        if run is None:
            return None
        runs[name] = run
    nothing = Evidence(runs=[run.id for run in runs.values()], origin=shelf.origin)
    for run in runs.values():
        # What is void has a score: zero.
        void = run.ending.void if run.ending else []
        if failed := _failed(run, [name for name in among if name not in void], shelf.origin):
            return replace(failed, runs=nothing.runs)
    if nobody := next((run for run in runs.values() if run.ending and set(among) <= set(run.ending.void)), None):
        why = f"all that are ranked are void in {nobody.header.scenario.name}, so nothing is the best there"
        return replace(nothing, why=why, void=True)
    composite = composite_of(runs, among)
    if claim.kind == "order":
        lead = lead_by_score(composite, claim.candidate, claim.score)
        return replace(nothing, why="nobody to be ahead of") if lead is None else _of_lead(lead, nothing)
    return replace(nothing, estimate=_in_percent(composite.estimate(claim.candidate, claim.score), "%"))


def _of_lead(lead: Lead, nothing: Evidence) -> Evidence:
    return replace(nothing, estimate=lead.estimate, equal=lead.equal, rival=lead.rival)


def _too_few_for(claim: Claim, run: Run, labels: Collection[str]) -> str:
    """Why a percentile cannot be judged: of eighty operations the 99th is the worst one; empty if it can.

    A scenario that has a percentile for its headline is taken at its word.
    """
    of = next((one.of for one in run.header.scenario.metrics if one.name == claim.metric), None)
    metric = parse_metric(of) if of else None
    if not isinstance(metric, Percentile):
        return ""
    samples = whole_samples(run)
    operations = samples[samples["variant"].isin(labels)].groupby("variant")["ops"].median().min()
    needed = operations_needed(metric.key)
    too_few = operations < needed
    return f"samples of {operations:.0f} operations have no {metric.key}: it takes {needed}" if too_few else ""


def _compared(claim: Claim, run: Run, origin: Origin) -> Evidence | None:
    comparison = analyse(run, claim.metric, claim.baseline).comparison(claim.candidate)
    if comparison is None:
        return None
    return _of(comparison, [run.id], origin)


def _of(comparison: Comparison, runs: list[str], origin: Origin) -> Evidence:
    return Evidence(comparison.estimate, comparison.verdict == "no difference", runs=runs, origin=origin)


def _alone(claim: Claim, run: Run, origin: Origin) -> Evidence | None:
    summary = analyse(run, claim.metric).summaries.get(claim.candidate)
    return Evidence(summary.mean, runs=[run.id], origin=origin) if summary else None


def _scaling(claim: Claim, component: str, shelf: Shelf) -> Evidence | None:
    assert claim.start is not None  # noqa: S101 - the ledger was checked
    assert claim.stop is not None  # noqa: S101
    starts, stops = (
        list(shelf.fitting(claim, component, [claim.candidate], claim.params | {claim.parameter: value}))
        for value in (claim.start, claim.stop)
    )
    # One end that is void is enough.
    newest = [runs[0] for runs in (starts, stops) if runs]
    if failed := next((found for run in newest if (found := _failed(run, [claim.candidate], shelf.origin))), None):
        return failed
    ends = _alike(starts, stops)
    if ends is None:
        return None
    comparison = compare_runs(ends[0], ends[1], claim.candidate, claim.metric).comparisons[0]
    return _of(comparison, [run.id for run in ends], shelf.origin)


def _alike(starts: Sequence[Run], stops: Sequence[Run]) -> tuple[Run, Run] | None:
    """The newest of two whose forks are as long: the difference is to be that of the parameter."""
    pairs = ((start, stop) for start in starts for stop in stops if start.header.shape == stop.header.shape)
    return max(pairs, key=lambda pair: sorted((pair[0].id, pair[1].id)), default=None)


def _profile(claim: Claim, component: str, shelf: Shelf) -> Evidence | None:
    for profile in reversed(shelf.profiles):
        if (profile.component, profile.scenario, profile.variant, profile.mode, profile.params) == (
            component,
            claim.scenario,
            claim.candidate,
            claim.mode,
            claim.params,
        ):
            stackless = next((note for note in profile.notes if note.startswith(NO_STACKS)), "")
            if stackless:
                return Evidence(runs=[profile.id], origin=shelf.origin, why=stackless)
            if claim.cause not in profile.shares:
                raise UsageError(f"claim {claim.id!r} names a cause that no profile has: {claim.cause!r}")
            summary = summarise([100 * share for share in profile.shares[claim.cause]], "%")
            return Evidence(summary.mean, runs=[profile.id], origin=shelf.origin)
    return None


def _test(claim: Claim, component: str, shelf: Shelf) -> Evidence | None:
    for record in reversed(shelf.tests):
        if (record.component, record.test) == (component, claim.test):
            return Evidence(passed=record.passed, why=record.message, runs=[claim.test], origin=shelf.origin)
    return None
