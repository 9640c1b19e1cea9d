"""Downloads of the report's data: verdicts, published figures, ledgers, runs and profiles."""

from __future__ import annotations

import contextlib
import csv
import functools
import io
import json
import shlex
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import msgspec

from perflab import __version__
from perflab.charts.chart import draw_safely, error_chart
from perflab.charts.flame import profile_charts, shares_chart
from perflab.charts.heat import table_charts
from perflab.charts.run_charts import run_charts
from perflab.claims.evidence import ends_of
from perflab.claims.ledger import Measured, Mechanism, Scaling, Share, Untestable
from perflab.claims.standings import standings
from perflab.host.machine import this_machine
from perflab.measure.analysis import analyse
from perflab.model.errors import LabError
from perflab.model.estimate import finite
from perflab.model.format import assignments, shell_line, typed
from perflab.model.lab import CHECKOUT
from perflab.profile.profile import REST_FILE, STACKS_FILE, Mode, Profile, Unit
from perflab.profile.tree import CauseShare, RootCauses
from perflab.site import layout
from perflab.store.records import (
    ENDING_FILE,
    FORKS,
    HEADER_FILE,
    PROFILE_FILE,
    SAMPLES,
    find_profiles,
    find_tests,
    profile_folder,
)
from perflab.store.runs import find_runs
from perflab.topics.catalogue import find_component

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from perflab.charts.chart import Chart
    from perflab.claims.ledger import Claim
    from perflab.claims.verdict import Verdict
    from perflab.measure.analysis import Analysis
    from perflab.model.lab import Lab
    from perflab.site.site import JudgedReport
    from perflab.site.writer import SiteWriter
    from perflab.store.records import ProfileRecord, RunHeader, TestRecord
    from perflab.store.runs import Run


def from_root(lab: Lab, lines: list[str]) -> list[str]:
    """Return commands as typed in the root of the site's project, which may contain the lab's."""
    inner = PurePosixPath(lab.within).parts
    top = lab.root.resolve()
    root = top.parents[len(inner) - 1] if inner else top
    called = f"{'../' * len(inner) or './'}lab" if root == CHECKOUT.resolve() else "perflab"
    lines = [line.replace("./lab", called, 1) for line in lines]
    return [shlex.join(["cd", lab.within]), *lines] if inner and lines else lines


def repeat_claim(claim: Claim, topic: str, preset: str = "quick") -> list[str]:
    """Return the commands that test a claim again."""
    if isinstance(claim, Untestable):
        return []
    everything = shell_line("reproduce", topic, **_preset(preset), all=preset == "quick")
    if isinstance(claim, Mechanism):
        # No command runs a component's tests alone: the manifest names the tool.
        return [everything]
    if not isinstance(claim, Measured) or claim.score:
        return [everything, shell_line("table", topic)]
    options: dict[str, object] = {"scenario": claim.scenario}
    if isinstance(claim, Share):
        options |= {"variant": claim.candidate, "mode": claim.mode, "param": assignments(claim.params)}
        return [shell_line("profile", topic, **options)]
    base = claim.candidate if claim.over else claim.baseline
    options |= {"variant": list(claim.variants), "baseline": base or None, "metric": claim.metric}
    if isinstance(claim, Scaling):
        options["over"] = f"{claim.parameter}={typed(claim.start)},{typed(claim.stop)}"
    return [shell_line("measure", topic, **options, param=assignments(claim.params), **_preset(preset))]


def repeat_run(header: RunHeader) -> str:
    """Return the command that repeats a run."""
    topic, scenario, params = header.component, header.scenario.name, assignments(header.params)
    if header.kind == "noise":
        return shell_line("noise", topic, scenario=scenario, param=params)
    variants = list(dict.fromkeys(arm.variant for arm in header.arms))
    base = next((arm.variant for arm in header.arms if arm.label == header.baseline), header.baseline)
    options: dict[str, object] = {"variant": variants, "baseline": base, "param": params}
    if header.kind == "counts":
        options["metric"] = "instructions"
    if header.kind == "scaling":
        values: dict[str, dict[str, None]] = {one.name: {} for one in header.scenario.parameters}
        for arm in header.arms:
            for name in values.keys() & arm.params.keys():
                values[name][typed(arm.params[name])] = None
        options["over"] = [f"{name}={','.join(found)}" for name, found in values.items() if found]
    return shell_line("measure", topic, scenario=scenario, **options, **_preset(header.preset))


def _preset(name: str) -> dict[str, object]:
    return {} if name == "normal" else {name: True} if name in {"quick", "rigorous"} else {"preset": name}


@dataclass(frozen=True)
class ClaimEvidence:
    """The runs, profile or test that a verdict is based on, with charts."""

    runs: list[Run] = field(default_factory=list)
    profile: ProfileRecord | None = None
    test: TestRecord | None = None
    charts: list[Chart] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class EvidenceFiles:
    """Evidence in the store: measured on this machine, or committed as reference.

    Keyed by folder, since a committed run or profile may have the same name as a local one.
    """

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        origins = (lab.results, lab.reference)

        def ours(at: Path, machine: str) -> bool:
            return at == lab.reference or machine == this_machine().id

        self.runs: dict[Path, Run] = {
            run.folder: run for at in origins for run in find_runs(at) if ours(at, run.header.machine.id)
        }
        self.profiles: dict[Path, tuple[ProfileRecord, Path]] = {}
        """Records with the folder of their stacks."""
        for at in origins:
            for one in find_profiles(at):
                if not ours(at, one.machine.id):
                    continue
                folder = profile_folder(one.id, at)
                # Only the local original has the stacks.
                made_of = lab.results / folder.relative_to(at)
                kept = self.profiles.get(made_of, (None,))[0]
                self.profiles[folder] = one, made_of if kept == one else folder
        self.tests = {
            ("local" if at == lab.results else "reference", one.component, one.test): one
            for at in origins
            for one in find_tests(at)
            if ours(at, one.machine)
        }

    def folders(self, verdict: Verdict) -> list[Path]:
        """Return the folders of a verdict's runs or profile that still exist."""
        kind = "profiles" if isinstance(verdict.claim, Share) else "runs"
        places = {"local": [self.lab.results], "reference": [self.lab.reference]}
        found = []
        for name in dict.fromkeys(verdict.evidence.runs):
            # Evidence without a figure has no origin.
            asked = places.get(verdict.evidence.origin, [self.lab.results, self.lab.reference])
            there = (at / kind / name for at in asked)
            found += [one for one in there if one in self.runs or one in self.profiles][:1]
        return found

    @functools.cache  # noqa: B019 - lives only while one site is written
    def analysis(self, run: Path, metric: str | None, baseline: str | None, among: frozenset[str]) -> Analysis:
        """Analyse a run as a claim does; cached, since claims share analyses."""
        return analyse(self.runs[run], metric, baseline, among)

    def claim_evidence(self, verdict: Verdict, component: str) -> ClaimEvidence:
        """Return a verdict's evidence, as far as it is still in the store."""
        if isinstance(verdict.claim, Mechanism):
            return ClaimEvidence(test=self.tests.get((verdict.evidence.origin, component, verdict.claim.test)))
        folders = self.folders(verdict)
        if isinstance(verdict.claim, Share) and folders:
            record, _ = self.profiles[folders[0]]
            return ClaimEvidence(profile=record, charts=self._charts_of_profile(folders[0]), notes=record.notes)
        named = [self.runs[one] for one in folders]
        if not named or len(named) < len(verdict.evidence.runs):
            return ClaimEvidence(runs=named)
        if not isinstance(verdict.claim, Measured) or verdict.claim.score:
            return ClaimEvidence(runs=named, charts=self._charts_of_table(component, *folders))
        try:
            analysis, kinds = self._looked_at(verdict.claim, named)
            charts = list(run_charts(self.lab, analysis, kinds).values())
        except LabError as error:
            return ClaimEvidence(runs=named, charts=[error_chart(verdict.claim.id, error)])
        return ClaimEvidence(runs=named, charts=charts, notes=analysis.notes)

    # Cached, since claims share charts: a table may take seconds, and a slow pattern of the manifest even longer.

    @functools.cache  # noqa: B019 - as above
    def _charts_of_table(self, component: str, *runs: Path) -> list[Chart]:
        return _of_table(self.lab, component, [self.runs[one] for one in runs])

    @functools.cache  # noqa: B019 - as above
    def _charts_of_profile(self, profile: Path) -> list[Chart]:
        return _of_profile(self.lab, *self.profiles[profile])

    def _looked_at(self, claim: Measured, runs: list[Run]) -> tuple[Analysis, Collection[str]]:
        """Return the analysis behind a verdict, and the kinds of charts that show it best."""
        if isinstance(claim, Scaling):
            start, stop = ends_of(claim)
            return self.analysis(runs[0].folder, claim.metric, start, frozenset({start, stop})), ("ratios", "values")
        base = claim.candidate if claim.over else claim.baseline
        # Only the claim's variants, as for the verdict: others would widen the intervals.
        found = self.analysis(runs[0].folder, claim.metric, base or None, frozenset(claim.variants))
        latency = {"latency"} if found.metric.of.startswith("p") else set()
        return found, {"ratios" if base else "values", "distribution"} | latency

    def charts_of(self, run: Run) -> list[Chart]:
        """Return all charts of a run, or one that says why there are none, as for a run without samples."""
        try:
            return list(run_charts(self.lab, self.analysis(run.folder, None, None, frozenset())).values())
        except LabError as error:
            return [error_chart(run.id, error)]


def _of_table(lab: Lab, component: str, runs: list[Run]) -> list[Chart]:
    """Draw all variants by all scenarios of a topic's table, from the runs behind a score."""
    try:
        return list(table_charts(standings(find_component(lab, component), runs)).values())
    except LabError as error:
        return [error_chart(component, error)]


def _of_profile(lab: Lab, record: ProfileRecord, folder: Path) -> list[Chart]:
    # Reference profiles are committed without stacks and have no flame view.
    with contextlib.suppress(LabError, OSError):
        return list(profile_charts(lab, [(record, Profile.load(folder))]).values())[::-1]
    title = f"{record.component} {record.scenario}: root causes ({record.mode})"
    return [draw_safely(title, partial(_causes, record, title))] if record.shares else []


def _causes(record: ProfileRecord, title: str) -> Chart:
    """Draw the root causes with their mean share over the profiled processes."""
    mode, unit = msgspec.convert(record.mode, Mode), msgspec.convert(record.unit, Unit)
    rows = []
    for cause, shares in record.shares.items():
        share = sum(shares) / len(shares)
        weight = share * record.total
        rows.append(CauseShare(cause, weight, share, weight / record.ops if record.ops else None))
    return shares_chart({record.variant: RootCauses(mode, unit, record.total, tuple(rows))}, title=title)


VERDICTS_CSV = "data/verdicts.csv"
VERDICTS_JSON = "data/verdicts.json"


@dataclass(frozen=True)
class Download:
    """A file of the site and its description."""

    path: str
    about: str
    size: int


def write_verdicts(writer: SiteWriter, reports: Iterable[JudgedReport]) -> list[Download]:
    """Write all verdicts as a table, and as the JSON of `./lab claims --json`."""
    claims = [finite({"report": report.name, **one.to_dict()}) for report in reports for one in report.verdicts]
    writer.text(
        VERDICTS_JSON,
        json.dumps({"perflab": __version__, "claims": claims}, indent=1, allow_nan=False, ensure_ascii=False),
    )
    writer.text(VERDICTS_CSV, _csv([_flat(claim) for claim in claims]))
    return [
        _download(writer, VERDICTS_CSV, "each claim with its verdict, as a table"),
        _download(writer, VERDICTS_JSON, "the same as JSON"),
    ]


def write_sources(writer: SiteWriter, reports: Iterable[JudgedReport]) -> list[Download]:
    """Copy the ledgers and the published figures."""
    found = []
    for report in reports:
        lab, csv_file, ledger = report.lab, f"{report.name}.csv", f"{report.name}.yaml"
        for source, folder, about in (
            (lab.published / csv_file, "published", "its figures as published"),
            (lab.claims / ledger, "claims", "its ledger: each claim, how it is tested"),
        ):
            if source.is_file():
                path = f"datasets/{folder}/{source.name}"
                found += _copied(writer, source, path, f"{report.ledger.title}: {about}")
    return found


def write_run(writer: SiteWriter, run: Run) -> list[Download]:
    """Copy a run's files, and write its tables as CSV."""
    folder = layout.run_data(run.id)
    # Records are encoded again, which drops unknown fields.
    records = {HEADER_FILE: run.header, ENDING_FILE: run.ending}
    found = _write_all(writer, run.folder, folder, records, (f"{SAMPLES}.jsonl", f"{FORKS}.jsonl"))
    for name, about in ((SAMPLES, "every sample"), (FORKS, "every process, with the operating system's counters")):
        with contextlib.suppress(LabError):  # a run that was killed at once has none
            path = f"{folder}/{name}.csv"
            writer.table(path, run.table(name))
            found.append(_download(writer, path, about))
    return found


def write_profile(writer: SiteWriter, record: ProfileRecord, source: Path) -> list[Download]:
    """Write a profile's record, and copy its stacks if readable."""
    folder, rest = layout.profile_data(record.id), None
    with contextlib.suppress(LabError, OSError):
        rest = Profile.load(source).without_stacks()
    records = {PROFILE_FILE: record, REST_FILE: rest}
    stacks = (STACKS_FILE,) if rest else ()
    return _write_all(writer, source, folder, records, stacks)


def _write_all(
    writer: SiteWriter, source: Path, folder: str, records: Mapping[str, object], copied: Iterable[str]
) -> list[Download]:
    own = {path.name for path in source.iterdir()}
    found = []
    for name, record in records.items():
        if name in own and record is not None:
            path = f"{folder}/{name}"
            writer.text(path, msgspec.json.format(msgspec.json.encode(record), indent=1).decode())
            found.append(_download(writer, path, _ABOUT[name]))
    for name in copied:
        if name in own:
            found += _copied(writer, source / name, f"{folder}/{name}", _ABOUT[name])
    return found


_ABOUT = {
    HEADER_FILE: "what was run: scenario, variants, machine, revision",
    ENDING_FILE: "how it ended",
    f"{SAMPLES}.jsonl": "raw lines",
    f"{FORKS}.jsonl": "raw lines",
    PROFILE_FILE: "what was profiled, and each cause's share",
    REST_FILE: "what belongs to the stacks: their unit and counters",
    STACKS_FILE: "the stacks, as any flame graph tool reads them",
}


def _flat(claim: dict[str, Any]) -> dict[str, Any]:
    published, interval = claim["published"], claim["interval"] or (None, None)
    rest = {key: value for key, value in claim.items() if key not in {"published", "interval", *_LISTS}}
    return rest | {
        "published_value": published["value"],
        "published_low": published["low"],
        "published_high": published["high"],
        "published_unit": published["unit"],
        "measured_low": interval[0],
        "measured_high": interval[1],
        **{name: separator.join(claim[name]) for name, separator in _LISTS.items()},
    }


_LISTS = {"runs": " ", "busy": " ", "unsettled": "; "}


def _csv(rows: list[dict[str, Any]]) -> str:
    target = io.StringIO()
    if rows:
        table = csv.DictWriter(target, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    return target.getvalue()


def _copied(writer: SiteWriter, source: Path, path: str, about: str) -> list[Download]:
    return [_download(writer, path, about)] if writer.copy(source, path) else []


def _download(writer: SiteWriter, path: str, about: str) -> Download:
    return Download(path, about, (writer.folder / path).stat().st_size)
