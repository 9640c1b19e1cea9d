"""Finding the evidence on a claim: this machine's newest runs, else the committed reference runs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from perflab.analysis import analyse, compare_runs
from perflab.environment import this_machine
from perflab.errors import UsageError
from perflab.paths import REFERENCE_DIR, RESULTS_DIR
from perflab.profiles import NO_STACKS
from perflab.runner import PROVES_NOTHING
from perflab.statistics import summarise
from perflab.store import find_profiles, find_runs, find_tests

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from perflab.claims.ledger import Claim, Ledger
    from perflab.protocol import ParameterValue, Scenario
    from perflab.statistics import Comparison
    from perflab.store import ProfileRecord, Run, TestRecord

Origin = Literal["local", "reference", "none"]


@dataclass(frozen=True)
class Evidence:
    """What there is on a claim: a figure with its interval, or a test's outcome; `why` if there is nothing.

    `equal`: the comparison's whole interval lies within the margin of no difference.
    """

    estimate: float | None = None
    interval: tuple[float, float] | None = None
    scale: str = "ratio"
    unit: str = ""
    equal: bool = False
    passed: bool | None = None
    runs: list[str] = field(default_factory=list)
    origin: Origin = "none"
    why: str = ""


class Shelf:
    """The evidence of one origin, read once for all claims."""

    def __init__(self, origin: Origin, results: Path) -> None:
        self.origin = origin
        self.runs: list[Run] = find_runs(results)
        self.profiles: list[ProfileRecord] = find_profiles(results)
        self.tests: list[TestRecord] = find_tests(results)
        if origin == "local":
            # A results folder that was carried here from elsewhere says nothing about this machine.
            here = this_machine().id
            self.runs = [run for run in self.runs if run.header.machine.id == here]
            self.profiles = [profile for profile in self.profiles if profile.machine.id == here]

    def run(
        self, claim: Claim, component: str, labels: Iterable[str], params: Mapping[str, ParameterValue]
    ) -> Run | None:
        """The newest complete run in which these labels took part with these parameters."""
        wanted = set(labels)
        for run in reversed(self.runs):
            header = run.header
            if (
                (header.kind, header.component, header.scenario.name) == ("measure", component, claim.scenario)
                and header.settings == header.scenario.settings(dict(params))
                and header.preset != PROVES_NOTHING
                and (claim.metric is None or claim.metric in _metric_names(header.scenario))
                and wanted <= {arm.label for arm in header.arms}
                and run.ending is not None
                and run.ending.complete
            ):
                return run
        return None


def _metric_names(scenario: Scenario) -> set[str]:
    """What a run can be asked for: an older one may lack a metric that its scenario has today."""
    return {metric.name for metric in [scenario.headline, *scenario.metrics]}


def gather(ledger: Ledger) -> dict[str, Evidence]:
    """The evidence on each of a ledger's claims, by the claim's id."""
    shelves = [Shelf("local", RESULTS_DIR), Shelf("reference", REFERENCE_DIR)]
    found: dict[str, Evidence] = {}
    for claim in ledger.claims:
        pieces = (_on_shelf(claim, ledger.component, shelf) for shelf in shelves)
        found[claim.id] = next((piece for piece in pieces if piece is not None), Evidence())
    return found


def _on_shelf(claim: Claim, component: str, shelf: Shelf) -> Evidence | None:
    by_kind = {"mechanism": _test, "share": _profile, "scaling": _scaling}
    return by_kind.get(claim.kind, _run)(claim, component, shelf)


def _run(claim: Claim, component: str, shelf: Shelf) -> Evidence | None:
    labels = [claim.candidate, *([claim.baseline] if claim.baseline else [])]
    run = shelf.run(claim, component, labels, claim.params)
    if run is None:
        return None
    failed = [label for label in labels if run.ending and label in run.ending.failures]
    if failed and run.ending:
        why = f"{failed[0]} did not get through: {run.ending.failures[failed[0]]}"
        return Evidence(runs=[run.id], origin=shelf.origin, why=why)
    if too_few := _too_few_for(claim, run):
        return Evidence(runs=[run.id], origin=shelf.origin, why=too_few)
    return _compared(claim, run, shelf.origin) if claim.baseline else _alone(claim, run, shelf.origin)


def _too_few_for(claim: Claim, run: Run) -> str:
    """Why a percentile cannot be judged: of eighty operations the 99th is the worst one; empty if it can."""
    of = next((one.of for one in run.header.scenario.metrics if one.name == claim.metric), "")
    if not re.fullmatch(r"p[\d.]+", of):
        return ""
    operations = float(run.samples()["ops"].median())
    needed = 1 / (1 - float(of[1:]) / 100)
    return "" if operations >= needed else f"samples of {operations:.0f} operations have no {of}: it takes {needed:.0f}"


def _compared(claim: Claim, run: Run, origin: Origin) -> Evidence | None:
    comparison = analyse(run, claim.metric, claim.baseline).comparison(claim.candidate)
    if comparison is None:
        return None
    return _of(comparison, [run.id], origin)


def _of(comparison: Comparison, runs: list[str], origin: Origin) -> Evidence:
    return Evidence(
        comparison.estimate,
        _interval(comparison.low, comparison.high),
        scale=comparison.scale,
        unit=comparison.unit if comparison.scale == "difference" else "x",
        equal=comparison.verdict == "no difference",
        runs=runs,
        origin=origin,
    )


def _interval(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)


def _alone(claim: Claim, run: Run, origin: Origin) -> Evidence | None:
    analysis = analyse(run, claim.metric)
    summary = analysis.summaries.get(claim.candidate)
    if summary is None:
        return None
    interval = _interval(summary.low, summary.high)
    return Evidence(summary.mean, interval, unit=analysis.metric.unit, runs=[run.id], origin=origin)


def _scaling(claim: Claim, component: str, shelf: Shelf) -> Evidence | None:
    assert claim.start is not None  # noqa: S101 - the ledger was checked
    assert claim.stop is not None  # noqa: S101
    ends = [
        shelf.run(claim, component, [claim.candidate], claim.params | {claim.parameter: value})
        for value in (claim.start, claim.stop)
    ]
    if ends[0] is None or ends[1] is None:
        return None
    if any(run.ending and claim.candidate in run.ending.failures for run in ends if run):
        return None
    comparison = compare_runs(ends[0], ends[1], claim.candidate, claim.metric).comparisons[0]
    return _of(comparison, [run.id for run in ends if run], shelf.origin)


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
            summary = summarise([100 * share for share in profile.shares[claim.cause]])
            interval = _interval(summary.low, summary.high)
            return Evidence(summary.mean, interval, unit="%", runs=[profile.id], origin=shelf.origin)
    return None


def _test(claim: Claim, component: str, shelf: Shelf) -> Evidence | None:
    for record in reversed(shelf.tests):
        if (record.component, record.test) == (component, claim.test):
            return Evidence(passed=record.passed, why=record.message, runs=[claim.test], origin=shelf.origin)
    return None
