"""The main job, step by step."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import msgspec

from perflab.analysis import find_table_runs, standings
from perflab.claims import Ledger, check_ledger, find_ledgers, gather, judge, plan, read_ledger
from perflab.components import describe, find_component, find_components, run_tests
from perflab.environment import this_revision
from perflab.errors import BenchError, LabError, MissingError, VoidError, unknown
from perflab.gallery import table_charts, write_html
from perflab.notebooks import execute
from perflab.paths import RESULTS_DIR, ROOT
from perflab.reproduction.charts import write_charts
from perflab.reproduction.steps import Step, run_steps
from perflab.runner import (
    PRESET_VARIABLE,
    PRESETS,
    REUSE_VARIABLE,
    ProfileRequest,
    Request,
    chosen_preset,
    measure,
    measurement_lock,
    prepare,
    profile,
)
from perflab.store import TestRecord, write_tests

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from perflab.analysis import Standings
    from perflab.claims import Measurement, Plan, Profiling, Verdict
    from perflab.components import Component
    from perflab.runner import Progress
    from perflab.store import Run

_What = TypeVar("_What")

# Seconds that steps take about, for the time left.
_PROFILE_S = 12.0
_TESTS_S = 15.0
_NOTEBOOK_S = 250.0
_CHARTS_S = 10.0


@dataclass
class Reproduction:
    """What came of it.

    Attributes:
        folder: Where the executed notebooks, the charts and the verdicts are.
        ledgers: The reports' ledgers.
        verdicts: Per report, in the ledger's order.
        tables: The standings of topics that have a table.
        charts: The charts' files.
        notebooks: The executed notebooks.
        problems: What went wrong on the way; the rest is there all the same.
    """

    folder: Path
    ledgers: list[Ledger] = field(default_factory=list)
    verdicts: dict[str, list[Verdict]] = field(default_factory=dict)
    tables: list[Standings] = field(default_factory=list)
    charts: list[Path] = field(default_factory=list)
    notebooks: list[Path] = field(default_factory=list)
    problems: list[LabError] = field(default_factory=list)


def reproduce(topics: Sequence[str], preset: str, progress: Progress, *, notebook: bool = True) -> Reproduction:
    """Reproduce the reports of these topics.

    A measurement that fails does not end the whole: its claims stay without a verdict, and the problem is kept.

    Raises:
        UsageError: If a ledger names what does not exist.
        MissingError: If something is missing on this machine.
    """
    begun = datetime.now(UTC).replace(microsecond=0)
    result = Reproduction(RESULTS_DIR / "reproductions" / begun.strftime("%Y%m%d-%H%M%S"))
    if preset not in PRESETS:
        raise unknown("preset", preset, PRESETS)
    ledgers = [read_ledger(name) for name in find_ledgers()]
    names = {component.name for component in find_components()}
    for ledger in ledgers:
        if ledger.component not in names:
            raise unknown(f"topic in the ledger of {ledger.report}", ledger.component, names)
    # Somebody else's measurement is a reason not to begin. Each step takes the lock for itself, the notebook's too.
    with measurement_lock():
        pass
    jobs = []
    for topic in topics:
        prepare(topic, progress)
        own = [ledger for ledger in ledgers if ledger.component == topic]
        jobs.append(_Job(find_component(topic), own, preset, begun.isoformat(), result))
    steps = [step for job in jobs for step in job.steps(notebook=notebook)]
    run_steps(steps, progress)
    return result


@dataclass
class _Job:
    """A topic's part."""

    component: Component
    ledgers: list[Ledger]
    preset: str
    since: str
    result: Reproduction
    runs: list[Run] = field(default_factory=list)

    def steps(self, *, notebook: bool) -> list[Step]:
        """What is to be done, in order: the notebook takes the runs that the claims were judged by."""
        description = describe(self.component)
        steps = []
        for ledger in self.ledgers:
            check_ledger(ledger, self.component, description)
            wanted = plan(ledger, description, self.component.manifest.table)
            steps += self._measuring(wanted)
            steps += [self._step(f"profiling {one.variant}", _PROFILE_S, self._profile, one) for one in wanted.profiles]
            if wanted.tests:
                steps.append(self._step(f"testing {len(wanted.tests)} mechanisms", _TESTS_S, self._test, wanted.tests))
            steps.append(self._step("judging the claims", 1.0, self._judge, ledger))
        if (table := self.component.manifest.table) is not None:
            if not self.ledgers:
                steps += self._measuring(plan(Ledger("", "", self.component.name, []), description, table))
            steps.append(self._step("making the table", 2.0, self._table, None))
        if self.ledgers:
            steps.append(self._step("drawing the charts", _CHARTS_S, self._charts, None))
        if notebook and self.component.manifest.notebook:
            steps.append(self._step("executing the notebook", _NOTEBOOK_S, self._notebook, None))
        return steps

    def _measuring(self, wanted: Plan) -> list[Step]:
        return [
            self._step(f"measuring {one.scenario}", self._seconds(one), self._measure, one)
            for one in wanted.measurements
        ]

    def _seconds(self, wanted: Measurement) -> float:
        _, preset = chosen_preset(self._request(wanted))
        return preset.expected_s(len(wanted.variants))

    def _step(self, text: str, seconds: float, work: Callable[[_What, Progress], None], what: _What) -> Step:
        return Step(f"{self.component.name}: {text}", seconds, partial(self._try, work, what))

    def _try(self, work: Callable[[_What, Progress], None], what: _What, progress: Progress) -> None:
        try:
            work(what, progress)
        except VoidError:
            # A result like any other, which the run holds and the progress has told.
            return
        except LabError as error:
            self.result.problems.append(error)
            progress.note(str(error))

    def _measure(self, wanted: Measurement, progress: Progress) -> None:
        run = measure(self._request(wanted), progress)
        self.runs.append(run)
        left_out = [name for name in wanted.variants if name not in {arm.variant for arm in run.header.arms}]
        self.result.problems += [MissingError(f"{name} cannot run here", "./lab doctor") for name in left_out]
        if run.ending is not None:
            failures = {label: why for label, why in run.ending.failures.items() if label not in run.ending.void}
            self.result.problems += [BenchError(f"{label} dropped out: {why}") for label, why in failures.items()]

    def _request(self, wanted: Measurement) -> Request:
        params = {name: str(value) for name, value in wanted.params.items()}
        # A report's other claims are judged also where one variant cannot run.
        return Request(
            self.component.name,
            wanted.scenario,
            wanted.variants,
            params,
            self.preset,
            overrides=self._overrides(wanted),
            lenient=True,
        )

    def _overrides(self, wanted: Measurement) -> dict[str, float]:
        """Shorter runs of the table's scenarios, in which every variant takes part, where the manifest says so."""
        table = self.component.manifest.table
        if table is None or self.preset != "quick" or wanted.scenario not in table.scenarios:
            return {}
        return table.quick_overrides()

    def _table(self, _: None, progress: Progress) -> None:
        found = standings(self.component, find_table_runs(self.component))
        self.result.tables.append(found)
        progress.update(0.5, "drawing the table")
        folder = self.result.folder / "charts"
        self.result.charts += [
            write_html(chart, folder / f"{self.component.name}-{kind}.html")
            for kind, chart in table_charts(found).items()
        ]

    def _profile(self, wanted: Profiling, progress: Progress) -> None:
        params = {name: str(value) for name, value in wanted.params.items()}
        profile(ProfileRequest(self.component.name, [wanted.variant], wanted.mode, wanted.scenario, params), progress)

    def _test(self, tests: list[str], _progress: Progress) -> None:
        now, revision = datetime.now(UTC).isoformat(timespec="seconds"), this_revision()
        name = self.component.name
        write_tests(
            [
                TestRecord(name, one.test, one.passed, one.message, now, revision)
                for one in run_tests(self.component, tests)
            ]
        )

    def _judge(self, ledger: Ledger, _progress: Progress) -> None:
        evidence = gather(ledger)
        verdicts = [judge(claim, evidence[claim.id]) for claim in ledger.claims]
        self.result.ledgers.append(ledger)
        self.result.verdicts[ledger.report] = verdicts
        target = self.result.folder / f"{ledger.report}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(msgspec.json.format(msgspec.json.encode({"claims": [one.to_dict() for one in verdicts]})))

    def _charts(self, _: None, progress: Progress) -> None:
        self.result.charts += write_charts(self.result.folder / "charts", self.runs, progress)

    def _notebook(self, _: None, progress: Progress) -> None:
        source = ROOT / self.component.manifest.notebook
        target = self.result.folder / source.name
        self.result.notebooks.append(target)
        environment = {REUSE_VARIABLE: self.since, PRESET_VARIABLE: self.preset}
        execute(source, target, progress, environment, images=True)
