"""The runs, profiles and tests in the store that verdicts name, and what is drawn of them."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import msgspec

from perflab import charts
from perflab.analysis import analyse, compare_runs, standings
from perflab.components import find_component
from perflab.errors import LabError
from perflab.gallery import profile_charts, run_charts, table_charts
from perflab.paths import REFERENCE_DIR, RESULTS_DIR
from perflab.profiles import Mode, Profile, RootCauses, Row, Unit
from perflab.store import find_profiles, find_runs, find_tests, profile_folder

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from perflab.analysis import Analysis
    from perflab.charts import Chart
    from perflab.claims import Verdict
    from perflab.store import ProfileRecord, Run, TestRecord


@dataclass(frozen=True)
class Exhibit:
    """What a verdict rests on."""

    runs: list[Run] = field(default_factory=list)
    profile: ProfileRecord | None = None
    test: TestRecord | None = None
    charts: list[Chart] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Evidence:
    """The store: what was measured here, and the committed reference."""

    def __init__(self) -> None:
        # A name that both have is the local one's: a reference is made of local runs.
        origins = (REFERENCE_DIR, RESULTS_DIR)
        self.runs: dict[str, Run] = {run.id: run for origin in origins for run in find_runs(origin)}
        self.profiles = {one.id: (one, profile_folder(one.id, at)) for at in origins for one in find_profiles(at)}
        self.tests = {
            ("local" if at == RESULTS_DIR else "reference", one.component, one.test): one
            for at in origins
            for one in find_tests(at)
        }

    @functools.cache  # noqa: B019 - it lives as long as the one site that is written
    def analysis(self, run: str, metric: str | None, baseline: str | None) -> Analysis:
        """A run, looked at as a claim does; many claims look alike."""
        return analyse(self.runs[run], metric, baseline)

    def exhibit(self, verdict: Verdict, component: str) -> Exhibit:
        """What to show of a verdict's evidence; less where the store has lost some of it since."""
        if verdict.claim.kind == "mechanism":
            return Exhibit(test=self.tests.get((verdict.origin, component, verdict.claim.test)))
        named = [self.runs[name] for name in verdict.runs if name in self.runs]
        profile = next((self.profiles[name] for name in verdict.runs if name in self.profiles), None)
        if profile is not None:
            return Exhibit(profile=profile[0], charts=_of_profile(*profile), notes=profile[0].notes)
        # A scale of which one end is void has one run only.
        wanted = 2 if verdict.claim.kind == "scaling" else 1
        if len(named) < max(wanted, len(verdict.runs)):
            return Exhibit(runs=named)
        if verdict.claim.score:
            return Exhibit(runs=named, charts=_of_table(component, named))
        with contextlib.suppress(LabError):
            analysis, kinds = self._looked_at(verdict, named)
            drawn = list(run_charts(analysis, kinds).values())
            return Exhibit(runs=named, charts=drawn, notes=analysis.notes)
        return Exhibit(runs=named)

    def _looked_at(self, verdict: Verdict, runs: list[Run]) -> tuple[Analysis, Collection[str]]:
        """The analysis behind a verdict, and which charts show it best."""
        claim = verdict.claim
        if claim.kind == "scaling":
            return compare_runs(runs[0], runs[1], claim.candidate, claim.metric), ("ratios", "values")
        base = claim.candidate if claim.over else claim.baseline
        whole = self.analysis(runs[0].id, claim.metric, base or None)
        latency = {"latency"} if whole.metric.of.startswith("p") else set()
        first = "ratios" if base else "values"
        return _narrowed(whole, {claim.baseline, claim.candidate, *claim.over}), {first, "distribution"} | latency

    def charts_of(self, run: Run) -> list[Chart]:
        """All that a run's samples allow; none where it broke off before its first."""
        with contextlib.suppress(LabError):
            return list(run_charts(self.analysis(run.id, None, None)).values())
        return []


def _narrowed(analysis: Analysis, labels: Collection[str]) -> Analysis:
    """The same comparison with its interval, without the variants that a claim does not speak of."""
    return replace(
        analysis,
        comparisons=[one for one in analysis.comparisons if one.candidate in labels],
        summaries={label: summary for label, summary in analysis.summaries.items() if label in labels},
    )


def _of_table(component: str, runs: list[Run]) -> list[Chart]:
    """All variants by all scenarios of a topic's table, from the runs that a score rests on."""
    with contextlib.suppress(LabError):
        return list(table_charts(standings(find_component(component), runs)).values())
    return []


def _of_profile(record: ProfileRecord, folder: Path) -> list[Chart]:
    # Reference profiles are committed without their stacks, so there is no flame view of them.
    with contextlib.suppress(LabError, OSError):
        return list(profile_charts([(record, Profile.load(folder))]).values())[::-1]
    return [_causes(record)] if record.shares else []


def _causes(record: ProfileRecord) -> Chart:
    """The root causes, each with its mean share over the processes that were profiled."""
    mode, unit = msgspec.convert(record.mode, Mode), msgspec.convert(record.unit, Unit)
    rows = []
    for cause, shares in record.shares.items():
        share = sum(shares) / len(shares)
        weight = share * record.total
        rows.append(Row(cause, weight, share, weight / record.ops if record.ops else None))
    title = f"{record.component} {record.scenario}: root causes ({record.mode})"
    return charts.shares({record.variant: RootCauses(mode, unit, record.total, tuple(rows))}, title=title)
