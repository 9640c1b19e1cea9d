"""Reproducing reports: the order of measurements, and the record on disk from which a reproduction resumes."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from perflab.claims.evidence import Results
from perflab.claims.ledger import Absolute, Ledger, Measured, check_ledger, read_ledger, readable_ledgers
from perflab.claims.requirements import Requirements, WantedProfile, WantedRun, required_by
from perflab.claims.standings import find_table_runs, standings
from perflab.claims.verdict import judge_ledger
from perflab.host.git import this_revision
from perflab.host.lock import measurement_lock
from perflab.host.machine import Load, this_machine
from perflab.host.toolchains import require
from perflab.measure.measure import measure
from perflab.measure.plan import Request, chosen_preset, described, present_build
from perflab.measure.presets import PRESETS
from perflab.measure.profiled import profile
from perflab.model.errors import (
    BenchError,
    LabError,
    MissingError,
    TakenError,
    UsageError,
    VoidError,
    one_line,
    unknown,
)
from perflab.model.files import UNREADABLE, write_json
from perflab.model.names import Id
from perflab.model.progress import PartialProgress
from perflab.profile.callgrind import INSTRUCTIONS
from perflab.stats.interval import GROWTH, MINIMUM_ROUNDS
from perflab.store.records import (
    REPRODUCTION_FILE,
    TestRecord,
    find_profiles,
    made_since,
    moment,
    resolve_name,
    write_tests,
)
from perflab.store.runs import read_run
from perflab.topics.build import is_own_build
from perflab.topics.catalogue import find_component, find_components
from perflab.topics.testing import run_tests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from perflab.claims.ledger import Claim
    from perflab.claims.standings import Standings
    from perflab.claims.verdict import Verdict
    from perflab.measure.plan import BuiltVersion
    from perflab.model.lab import Lab
    from perflab.model.progress import Progress
    from perflab.store.runs import Run
    from perflab.topics.catalogue import Component
    from perflab.topics.manifest import ScoreTable


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of a reproduction: `minutes` limits all measurements together, in place of the preset's budgets."""

    topics: list[Id]
    preset: Id
    headlines: bool = False
    minutes: float | None = None
    notebook: bool = False


class _Record(msgspec.Struct, frozen=True):
    created: str
    settings: Settings
    ended: bool
    claims: list[dict[str, Any]]
    machine: str = ""


def _read_record(path: Path) -> _Record:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Record)
    except (OSError, *UNREADABLE) as error:
        raise UsageError(f"cannot read {path}: {one_line(error)}", "start anew: ./lab reproduce --quick") from None


@dataclass
class Reproduction:
    """A reproduction, under way or at its end.

    Attributes:
        folder: Holds its record, the charts and the executed notebooks.
        created: When it was first started, ISO 8601 in UTC: what was measured since is not measured again.
        expected: By report and claim that is to be judged, the verdict on the committed reference runs.
        verdicts: By report and claim, this machine's verdict, in the order of judging.
        left_out: Topics that cannot be built or measured on this machine, and why.
        problems: Failures on the way, which did not end it.
        resumed_from: By report and claim, the verdict in the record that was resumed, which stays in the record until
            the claim is judged again. `None` if nothing was resumed.
    """

    lab: Lab
    folder: Path
    settings: Settings
    created: str
    ledgers: list[Ledger] = field(default_factory=list)
    expected: dict[tuple[str, str], Verdict] = field(default_factory=dict)
    verdicts: dict[tuple[str, str], Verdict] = field(default_factory=dict)
    tables: list[Standings] = field(default_factory=list)
    charts: list[Path] = field(default_factory=list)
    notebooks: list[Path] = field(default_factory=list)
    left_out: dict[str, LabError] = field(default_factory=dict)
    problems: list[LabError] = field(default_factory=list)
    resumed_from: Mapping[tuple[str, str], dict[str, Any]] | None = None

    @classmethod
    def start(cls, lab: Lab, settings: Settings) -> Reproduction:
        """Return a new reproduction; nothing is on disk before `save`."""
        now = datetime.now(UTC).replace(microsecond=0)
        folder = lab.results / "reproductions" / now.strftime("%Y%m%d-%H%M%S")
        return cls(lab, folder, settings, now.isoformat())

    @classmethod
    def resume(cls, lab: Lab) -> Reproduction:
        """Return the newest reproduction, if it was interrupted."""

        def made(path: Path) -> tuple[str, str]:
            record = _read_record(path)
            return record.machine, record.created

        folder = lab.results / "reproductions"
        paths = sorted(folder.glob(f"*/{REPRODUCTION_FILE}"))
        newest = folder / resolve_name("latest", paths, "reproduction", "./lab reproduce --quick", made)
        record = _read_record(newest / REPRODUCTION_FILE)
        if record.ended:
            raise UsageError("the last reproduction is complete", "start a new one: ./lab reproduce --quick")
        if record.machine != this_machine().id:
            raise UsageError(
                "the last reproduction was begun on another machine", "start a new one: ./lab reproduce --quick"
            )
        judged = {(str(one.get("report")), str(one.get("id"))): one for one in record.claims}
        return cls(lab, newest, record.settings, record.created, resumed_from=judged)

    @contextmanager
    def tolerate(self, progress: Progress, topic: str = "") -> Iterator[None]:
        """Record an error of one piece of work, so that the others go on."""
        try:
            yield
        except TakenError:
            raise
        except VoidError:
            pass  # a result like any other, which the run holds and the progress has shown
        except LabError as error:
            if topic and isinstance(error, MissingError):
                self.left_out[topic] = error
                progress.note(f"{topic} is left out: {error}")
            else:
                self.problems.append(error)
                progress.note(str(error))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `--json`."""
        judged = {key: {"report": key[0], **one.to_dict()} for key, one in self.verdicts.items()}
        return {
            "claims": list({**(self.resumed_from or {}), **judged}.values()),
            "tables": [table.to_dict() for table in self.tables],
            "folder": str(self.folder),
            "charts": [str(path) for path in self.charts],
            "notebooks": [str(path) for path in self.notebooks],
            "left_out": {topic: str(why) for topic, why in self.left_out.items()},
            "problems": [str(problem) for problem in self.problems],
        }

    def save(self, *, ended: bool = False) -> None:
        """Write the record, whole or not at all."""
        head = {"machine": this_machine().id, "created": self.created, "settings": self.settings, "ended": ended}
        write_json(self.folder / REPRODUCTION_FILE, head | self.to_dict())


_TEST_S = 5.0
"""About how long a test of a mechanism takes, in seconds."""

_BUDGET_ARMS = 2
"""The variants that a preset's budget is for; a run of more gets more in proportion."""

_LEAST_S = 1.0
"""The least budget of a measurement, in seconds."""

_LONGER = 10
"""A run may take so many times the preset's budget until all claims on it are decided."""


@dataclass(frozen=True)
class TopicPlan:
    """A topic's part of a reproduction.

    Attributes:
        ledgers: The reports that it tests.
        requirements: Of each of them, what its claims need; an estimate as long as the topic is not built.
        missing: Why it cannot be built without fetching something, if so.
    """

    component: Component
    ledgers: list[Ledger]
    requirements: list[Requirements]
    built: bool
    missing: LabError | None = None

    @property
    def weight(self) -> int:
        """The number of variants of all runs."""
        return sum(_weight(one) for wanted in self.requirements for one in wanted.measurements)


def plan_topics(lab: Lab, settings: Settings, note: Callable[[str], None]) -> list[TopicPlan]:
    """Plan a reproduction: built topics first, and of these the quickest to measure.

    Needs no toolchain and builds nothing. Notes the ledgers that cannot be read or are of a topic that does not exist.
    """
    if settings.preset not in PRESETS:
        raise unknown("preset", settings.preset, PRESETS)
    components = {component.name: component for component in find_components(lab)}
    ledgers = [read_ledger(name, lab.claims) for name in readable_ledgers(lab.claims, note)]
    for ledger in ledgers:
        if ledger.component not in components:
            note(f"left out: {unknown(f'topic in the ledger of {ledger.report}', ledger.component, components)}")
    found = []
    for name in settings.topics or components:
        component = find_component(lab, name)
        built, missing = False, None
        try:
            require(component.manifest.requires)
            built = is_own_build(component)
        except MissingError as error:
            missing = error
        own = [ledger for ledger in ledgers if ledger.component == component.name]
        table = component.manifest.table
        required = [
            required_by(ledger, None, table, headlines=settings.headlines, cores=this_machine().usable_cores)
            for ledger in own
        ]
        found.append(TopicPlan(component, own, required, built, missing))
    return sorted(found, key=lambda one: (not one.built, one.missing is not None, one.weight))


def expected_verdicts(lab: Lab, topics: Sequence[TopicPlan]) -> dict[tuple[str, str], Verdict]:
    """Return the verdicts on the committed reference runs, of the claims that are to be judged."""
    found: dict[tuple[str, str], Verdict] = {}
    for topic in topics:
        for ledger, wanted in zip(topic.ledgers, topic.requirements, strict=True):
            claims = [claim for claim in ledger.claims if claim.id in wanted.needs]
            verdicts = judge_ledger(lab, ledger, [Results.reference(lab, ledger.component)], claims)
            found |= {(ledger.report, one.claim.id): one for one in verdicts}
    return found


def reproduce(
    result: Reproduction,
    topics: Sequence[TopicPlan],
    progress: Progress,
    on_verdict: Callable[[str, Verdict], None],
    *,
    on_round: Callable[[str, Verdict], None] | None = None,
    on_topic: Callable[[Component, list[Run], Standings | None], None] = lambda *_: None,
) -> None:
    """Measure and judge the claims of these topics' reports, collected in `result` and on disk after each verdict.

    A topic that cannot be built here is left out, and a measurement that fails leaves its claims without a verdict.
    What other work on the machine disturbed is measured once more at the end, if there is time. What an interrupted
    part of the same reproduction has measured is not measured again. `on_round` gets the verdicts
    that a run would have if it ended there, `on_topic` a topic's runs and table when it is done.
    """
    clock = _Clock(result.settings, {topic.component.name: topic.weight for topic in topics})
    # All of it under one lock: another measurement between two of ours would begin beside our build.
    with measurement_lock(result.lab.lock):
        result.ledgers = [ledger for topic in topics for ledger in topic.ledgers]
        result.save()
        jobs = [_TopicJob(topic.component, result, progress, clock, on_verdict, on_round, on_topic) for topic in topics]
        for job, topic in zip(jobs, topics, strict=True):
            progress.update(0.0, f"preparing {topic.component.name}", clock.left_s())
            with result.tolerate(progress, topic.component.name):
                job.run(topic.ledgers)
            clock.plan(topic.component.name, 0)
            result.save()
        for job in jobs:
            with result.tolerate(progress):
                job.repeat()
    if len(result.left_out) == len(topics):
        raise next(iter(result.left_out.values()))


def _weight(wanted: WantedRun) -> int:
    """Return a run's share of the time; what no claim rests on gets the least."""
    return max(_BUDGET_ARMS, len(wanted.labels)) if wanted.claimed else _BUDGET_ARMS


_AGAIN = ""
"""In place of a topic: the measurements that are made again."""


class _Clock:
    """Divides the time for all measurements among those to come, by the number of variants of each topic's runs."""

    def __init__(self, settings: Settings, weights: Mapping[str, int]) -> None:
        self._left = None if settings.minutes is None else 60 * settings.minutes
        self._weights = dict(weights)
        self._average_s = PRESETS[settings.preset].budget_s / _BUDGET_ARMS

    def plan(self, topic: str, weight: int) -> None:
        """Set a topic's weight, an estimate until then; 0 when it is done."""
        self._weights[topic] = weight

    def postpone(self, weight: int) -> None:
        """Keep time for a measurement that is made again at the end."""
        self._weights[_AGAIN] = self._weights.get(_AGAIN, 0) + weight

    @property
    def is_over(self) -> bool:
        """Not even the least time is left."""
        return self._left is not None and self._left < _LEAST_S

    def budget_s(self, weight: int, preset_s: float) -> float | None:
        """Return the next measurement's budget, in seconds; `None` if nothing limits it but its preset."""
        if self._left is None:
            return None
        wanted = preset_s * weight / _BUDGET_ARMS
        return max(_LEAST_S, min(wanted, self._left * weight / max(sum(self._weights.values()), weight)))

    @contextmanager
    def measuring(self, topic: str, weight: int) -> Iterator[None]:
        """Charge the time of a measurement; what it does not need is left for the others."""
        started = time.monotonic()
        self._weights[topic] -= weight
        try:
            yield
        finally:
            if self._left is not None:
                self._left = max(0.0, self._left - (time.monotonic() - started))

    def left_s(self) -> float:
        """Estimate how long the measurements to come take, in seconds."""
        as_the_preset_says = sum(self._weights.values()) * self._average_s
        return as_the_preset_says if self._left is None else min(as_the_preset_says, self._left)


class _Disturbed(NamedTuple):
    """A run beside much other work, how it was measured, and the claims that rest on it, or on it `alone`."""

    ledger: Ledger
    claims: list[Claim]
    alone: list[Claim]
    run: WantedRun
    until_decided: bool
    why: str


@dataclass
class _TopicJob:
    """Measures and judges one topic."""

    component: Component
    result: Reproduction
    progress: Progress
    clock: _Clock
    on_verdict: Callable[[str, Verdict], None]
    on_round: Callable[[str, Verdict], None] | None
    on_topic: Callable[[Component, list[Run], Standings | None], None]
    made: Results = field(default_factory=lambda: Results("local"))
    build: BuiltVersion | None = None  # of a bench, prepared once for all runs
    table: ScoreTable | None = None  # whose runs are measured
    disturbed: list[_Disturbed] = field(default_factory=list)

    def run(self, ledgers: Sequence[Ledger]) -> None:
        name, headlines, table = self.component.name, self.result.settings.headlines, self.component.manifest.table
        description = described(self.component, self.progress)
        sound = []
        for ledger in ledgers:
            with self.result.tolerate(self.progress):
                check_ledger(ledger, self.component, description)
                sound.append(ledger)
        if ledgers and not sound:
            return
        ledgers = sound
        if table is not None and not ledgers:
            # A topic without claims has its table measured.
            ledgers = [Ledger(report="", title="", component=name, claims=[])]
        required = [
            required_by(ledger, description, table, headlines=headlines, cores=this_machine().usable_cores)
            for ledger in ledgers
        ]
        if self.component.bench is not None and any(wanted.measurements for wanted in required):
            self.build = present_build(self.component, self.progress)
        self.clock.plan(name, sum(_weight(one) for wanted in required for one in wanted.measurements))
        for ledger, wanted in zip(ledgers, required, strict=True):
            self._follow(ledger, wanted)
        self.table = None if headlines else table
        self._conclude()

    def _conclude(self) -> None:
        name, tables = self.component.name, self.result.tables
        found: Standings | None = None
        if self.table is not None:
            with self.result.tolerate(self.progress):
                found = standings(self.component, find_table_runs(self.component))
                tables[:] = [*(one for one in tables if one.component != name), found]
        self.progress.update(0.0, f"{name}: drawing the charts", self.clock.left_s())
        self.on_topic(self.component, self.made.runs, found)

    def repeat(self) -> None:
        """Measure again what other work disturbed, and judge anew; once, and while there is time."""
        before = len(self.made.runs)
        for one in self.disturbed:
            verdicts = [self.result.verdicts[one.ledger.report, claim.id] for claim in one.claims]
            if self.clock.is_over or not any(verdict.is_disturbed for verdict in verdicts):
                continue
            self.progress.note(f"{self.component.name} {one.run.scenario} is measured again: {one.why}")
            with self.result.tolerate(self.progress):
                self._measure(one.ledger, one.alone, one.run, until_decided=one.until_decided, again=True)
            for claim in one.claims:
                self._judge(one.ledger, claim)
        if len(self.made.runs) > before:
            self._conclude()

    def _follow(self, ledger: Ledger, wanted: Requirements) -> None:
        """Measure what a ledger's claims need, and judge each claim as soon as all of its own is there."""
        for claim in ledger.lead if self.result.settings.headlines else ledger.claims:
            if claim.id not in wanted.needs:
                self._judge(ledger, claim)
        # A run that is held against others, or makes scores, does not end when claims are decided.
        shared = [one for needs in wanted.needs.values() if len(needs) > 1 for one in needs]
        for run in wanted.measurements:
            resting = [claim for claim in ledger.claims if run in wanted.needs.get(claim.id, [])]
            alone = [claim for claim in resting if wanted.needs[claim.id] == [run]]
            until_decided = run.claimed and run not in shared
            with self.result.tolerate(self.progress):
                made = self._measure(ledger, alone, run, until_decided=until_decided)
                if resting and self.build is None and made.ending and made.ending.load.disturbs_threads:
                    why = made.ending.warnings[-1]
                    self.disturbed.append(_Disturbed(ledger, resting, alone, run, until_decided, why))
                    self.clock.postpone(_weight(run))
            self._judge_waiting(ledger, wanted, run)
        for one in wanted.profiles:
            with self.result.tolerate(self.progress):
                self._profile(one)
            self._judge_waiting(ledger, wanted, one)
        if wanted.tests:
            with self.result.tolerate(self.progress):
                self._test(wanted.tests)
            for test in wanted.tests:
                self._judge_waiting(ledger, wanted, test)

    def _judge_waiting(self, ledger: Ledger, wanted: Requirements, done: WantedRun | WantedProfile | str) -> None:
        """Judge the claims that waited for this and wait for nothing more."""
        for claim in ledger.claims:
            needs = wanted.needs.get(claim.id, [])
            if done in needs:
                needs.remove(done)
                if not needs:
                    self._judge(ledger, claim)

    def _judge(self, ledger: Ledger, claim: Claim) -> None:
        # A run that it names was made before.
        places = None if isinstance(claim, Measured) and claim.evidence else [self.made]
        (verdict,) = judge_ledger(self.result.lab, ledger, places, [claim])
        self.result.verdicts[ledger.report, claim.id] = verdict
        self.result.save()
        self.on_verdict(ledger.report, verdict)

    def _measure(
        self, ledger: Ledger, claims: list[Claim], one: WantedRun, *, until_decided: bool, again: bool = False
    ) -> Run:
        """Measure; to decide `claims`, which rest on this run alone, for longer than the preset says.

        No time decides a claim about another machine's figure.
        """
        patient = until_decided and not all(isinstance(claim, Absolute) for claim in claims)
        request = self._request(one, _LONGER if patient else 1, until_decided=until_decided)
        if again:
            request = replace(request, since="")
        with self.clock.measuring(_AGAIN if again else self.component.name, _weight(one)):
            try:
                run = measure(request, self._part(), self._decided_by(ledger, claims), self.build)
            except BenchError as error:
                # The run says why each variant failed.
                self.made.runs += [read_run(error.run)] if error.run else []
                raise
        self.made.runs.append(run)
        left_out = [name for name in one.variants if name not in {arm.variant for arm in run.header.arms}]
        self.result.problems += [MissingError(f"{name} cannot run here", "./lab doctor") for name in left_out]
        failures = {label: why for label, why in run.failures.items() if label not in run.void}
        self.result.problems += [BenchError(f"{label} dropped out: {why}") for label, why in failures.items()]
        return run

    def _decided_by(self, ledger: Ledger, claims: list[Claim]) -> Callable[[Run], bool]:
        """Return a function that judges these claims by a run under way, each time its rounds have grown by a tenth."""
        due = 0.0

        def decided(run: Run) -> bool:
            nonlocal due
            rounds = run.ending.rounds if run.ending else 0
            if rounds < due:
                return False
            due = rounds * GROWTH
            # How long a run takes is not for other work to say.
            quiet = replace(run, ending=run.ending and msgspec.structs.replace(run.ending, load=Load(0.0, 0.0)))
            verdicts = judge_ledger(self.result.lab, ledger, [Results("local", [*self.made.runs, quiet])], claims)
            if self.on_round is not None:
                for verdict in verdicts:
                    self.on_round(ledger.report, verdict)
            progress = {verdict.progress for verdict in verdicts}
            return "decided" in progress and "open" not in progress

        return decided

    def _request(self, wanted: WantedRun, times: float = 1, *, until_decided: bool) -> Request:
        """Make a request that leaves out variants that cannot run here."""
        params = {name: str(value) for name, value in wanted.params.items()}
        request = Request(
            self.component,
            wanted.scenario,
            wanted.variants,
            params,
            self.result.settings.preset,
            over=wanted.over,
            lenient=True,
            until_decided=until_decided,
            reproduction=True,
            since="" if self.result.resumed_from is None else self.result.created,
        )
        if wanted.counted:
            return replace(request, metric=INSTRUCTIONS, until_decided=False)
        _, preset = chosen_preset(request)
        budget_s = self.clock.budget_s(_weight(wanted), times * preset.budget_s)
        if budget_s is not None:
            # The budget alone limits the rounds of many variants.
            limits = {"budget_s": budget_s, "min_rounds": min(MINIMUM_ROUNDS, preset.min_rounds)}
            return replace(request, overrides=limits)
        table = self.component.manifest.table
        if table is not None and self.result.settings.preset == "quick" and not until_decided:
            return replace(request, overrides=table.quick_overrides())
        return request

    def _is_part(self, created: str) -> bool:
        """Say whether a record of then is part of this reproduction."""
        return made_since(created, moment(self.result.created))

    def _profile(self, wanted: WantedProfile) -> None:
        params = {name: str(value) for name, value in wanted.params.items()}
        asked = (self.component.name, *wanted)
        for one in reversed([] if self.result.resumed_from is None else find_profiles(self.result.lab.results)):
            found = (one.component, one.scenario, one.params, one.variant, one.mode)
            own = one.reproduction and one.machine.id == this_machine().id
            if own and self._is_part(one.created) and asked == found:
                self.made.profiles.append(one)
                return
        request = Request(self.component, wanted.scenario, [wanted.variant], params, reproduction=True)
        self.made.profiles += [record for record, _ in profile(request, wanted.mode, self._part())]

    def _test(self, tests: list[str]) -> None:
        name, revision = self.component.name, this_revision(self.result.lab.root)
        since = [one for one in Results.local(self.result.lab, name).tests if self._is_part(one.created)]
        self.made.tests += [] if self.result.resumed_from is None else since
        missing = [test for test in tests if test not in {one.test for one in self.made.tests}]
        if not missing:
            return
        self.progress.update(
            0.0, f"{name}: testing {len(missing)} mechanisms", _TEST_S * len(missing) + self.clock.left_s()
        )
        now = datetime.now(UTC).isoformat(timespec="seconds")
        records = [
            TestRecord(name, one.test, one.passed, one.message, now, revision, this_machine().id)
            for one in run_tests(self.component, missing)
        ]
        write_tests(records, self.result.lab.results)
        self.made.tests += records

    def _part(self) -> Progress:
        return PartialProgress(self.progress, after_s=self.clock.left_s)
