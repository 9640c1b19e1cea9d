"""The whole site, step by step."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perflab.claims.bundled import side_by_side
from perflab.claims.ledger import KINDS, read_ledger, readable_ledgers
from perflab.claims.verdict import VERDICTS, judge_ledger
from perflab.host.git import this_revision
from perflab.host.machine import this_machine
from perflab.model.progress import PartialProgress
from perflab.site import downloads
from perflab.site.badges import badge_svg
from perflab.site.downloads import EvidenceFiles
from perflab.site.launch import pinned_launcher
from perflab.site.layout import DATA, INDEX, badge
from perflab.site.markdown import Markdown, code_style
from perflab.site.pages import (
    find_documents,
    find_images,
    find_notebooks,
    write_claims,
    write_documents,
    write_machine,
    write_notebooks,
    write_report,
    write_runs,
)
from perflab.site.writer import SiteWriter, replacing_report
from perflab.topics.catalogue import find_components

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from perflab.claims.bundled import OneMachine
    from perflab.claims.ledger import Ledger
    from perflab.claims.verdict import Verdict
    from perflab.model.lab import Lab
    from perflab.model.progress import Progress
    from perflab.site.downloads import Download
    from perflab.store.runs import Run
    from perflab.topics.catalogue import Component


@dataclass
class SiteResult:
    """Result of writing the site: the start page, all pages, the verdicts in them, and what was redacted."""

    index: Path
    pages: list[str] = field(default_factory=list)
    badges: list[Path] = field(default_factory=list)
    reports: list[JudgedReport] = field(default_factory=list)
    replaced: str = ""


def write_site(
    lab: Lab,
    folder: Path,
    progress: Progress,
    names: Sequence[str] = (),
    *,
    notebooks: bool = True,
    bundles: Sequence[Path] = (),
) -> SiteResult:
    """Judge all claims and write the site.

    Args:
        lab: The project.
        folder: The target; an older report in it is replaced.
        progress: Receives each step.
        names: The reports; by default all that have a ledger.
        notebooks: Include the notebooks.
        bundles: Evidence of other machines, whose verdicts are shown beside those from here.
    """
    with replacing_report(folder) as draft:
        found = _write(lab, draft, progress, names, notebooks=notebooks, bundles=bundles)
    return replace(found, index=folder / INDEX, badges=[folder / one.relative_to(draft) for one in found.badges])


def _write(
    lab: Lab, folder: Path, progress: Progress, names: Sequence[str], *, notebooks: bool, bundles: Sequence[Path]
) -> SiteResult:
    reports = judge_reports(lab, PartialProgress(progress, 0.0, 0.15), names, bundles)
    stores = {one.root: EvidenceFiles(one) for one in lab.with_inner()}
    published: dict[str, str] = {}
    markdown = Markdown(published)
    documents = find_documents(lab.root, markdown)
    found = find_notebooks(lab, markdown) if notebooks else []
    published |= {document.source: document.page for document in documents}
    published |= {notebook.source: notebook.page for notebook in found}
    published |= {place: place for place in find_images(lab.root)}
    launcher = pinned_launcher(lab.root)
    writer = SiteWriter(folder)
    writer.share(
        reports=reports,
        notebooks_written=bool(found),
        notebook_pages={one.source: one for one in found},
        binder=launcher.url if launcher else None,
    )

    writer.assets()
    writer.text("assets/code.css", code_style())
    for report in reports:
        writer.text(badge(report.name), badge_svg(report))
    badges = [folder / badge(report.name) for report in reports]
    files = downloads.write_verdicts(writer, reports) + downloads.write_sources(writer, reports)

    used_by: dict[Path, list[tuple[str, str]]] = defaultdict(list)
    for report in reports:
        for verdict in report.verdicts:
            for at in stores[report.lab.root].folders(verdict):
                used_by[at].append((report.name, verdict.claim.id))
    runs: list[Run] = []
    aa_runs: list[Run] = []
    run_files: dict[str, list[Download]] = {}
    profile_files: dict[str, list[Download]] = {}
    shown: set[Path] = set()
    for evidence in stores.values():
        # A name has one page and one data folder: the first project's, and within it the local results'.
        first = {run.id: run for at, run in reversed(evidence.runs.items()) if at in used_by}
        used = [run for name, run in sorted(first.items()) if name not in run_files]
        machines = {this_machine().id, *(run.header.machine.id for run in used)}
        all_noise = [run for run in evidence.runs.values() if run.header.kind == "noise" and run.complete]
        others = {run.id: run for run in reversed(all_noise) if run.header.machine.id in machines}
        noise = [run for name, run in sorted(others.items()) if name not in run_files and name not in first]
        profiles = {one[0].id: (at, *one) for at, one in reversed(evidence.profiles.items()) if at in used_by}
        named = [of for name, of in sorted(profiles.items()) if name not in profile_files]
        shown |= {run.folder for run in used} | {at for at, _, _ in named}
        run_files |= write_runs(writer, [*used, *noise], evidence, used_by, PartialProgress(progress, 0.15, 0.4))
        profile_files |= {record.id: downloads.write_profile(writer, record, stacks) for _, record, stacks in named}
        runs += used
        aa_runs += noise

    share = 0.45 / max(len(reports), 1)
    for number, report in enumerate(reports):
        portion = PartialProgress(progress, 0.4 + number * share, 0.4 + (number + 1) * share)
        write_claims(writer, report, stores[report.lab.root], shown, portion)
        write_report(writer, report)
    write_documents(writer, lab.root, documents, markdown)
    if found:
        write_notebooks(writer, found, markdown, PartialProgress(progress, 0.85, 1.0))
    write_machine(writer, runs, aa_runs)
    writer.page(DATA, "data.html", files=files, runs=run_files, profiles=profile_files)
    disturbed = set().union(*(report.disturbed for report in reports))
    everything = [one for report in reports for one in report.verdicts]
    facts = {"counts": count(everything), "kinds": KINDS, "runs": runs, "disturbed": disturbed}
    writer.page(INDEX, "index.html", revision=this_revision(lab.root), **facts)
    return SiteResult(folder / INDEX, writer.pages, badges, reports, str(writer.redact))


_OUT_OF_REACH = "untestable here"
_HELD = "reproduced"


@dataclass(frozen=True)
class JudgedReport:
    """A report of a project: its ledger, the verdicts in its order, and the topic that tests it, if it is here.

    `machines`: local verdicts and those of other machines' bundles, by ascending number of cores.
    """

    lab: Lab
    ledger: Ledger
    verdicts: list[Verdict]
    component: Component | None = None
    machines: Sequence[OneMachine] = ()

    @property
    def name(self) -> str:
        """The report's name on the command line."""
        return self.ledger.report

    @property
    def counts(self) -> dict[str, int]:
        """Number of claims per verdict, including this project's own claims."""
        return count(self.verdicts)

    @property
    def runs(self) -> set[str]:
        """Names of the runs that the verdicts are based on."""
        return {name for one in self.verdicts if one.claim.kind != "mechanism" for name in one.evidence.runs}

    @property
    def disturbed(self) -> set[str]:
        """Names of the runs during which the machine was busy with other work."""
        return {name for one in self.verdicts for name in one.evidence.busy}

    @property
    def disturbance(self) -> str:
        """Suffix of the score about disturbed runs, if any."""
        return f", {len(self.disturbed)} of {len(self.runs)} runs disturbed" if self.disturbed else ""

    @property
    def score(self) -> ReportScore:
        """Share of the report's own testable claims that are reproduced."""
        own = [one for one in self.verdicts if not one.claim.ours]
        tested = [one for one in own if one.word != _OUT_OF_REACH]
        return ReportScore(sum(one.word == _HELD for one in tested), len(tested), len(own) - len(tested))


@dataclass(frozen=True)
class ReportScore:
    """Number of reproduced and of testable claims of a report; neither includes the `untestable` ones."""

    reproduced: int
    testable: int
    untestable: int

    def __str__(self) -> str:
        return f"{self.reproduced} of {self.testable} claims reproduced"


def count(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """Count verdicts by word, in the usual order, including zeros."""
    found: Counter[str] = Counter(one.word for one in verdicts)
    return {word: found[word] for word in VERDICTS}


def judge_reports(
    lab: Lab, progress: Progress, names: Sequence[str] = (), bundles: Sequence[Path] = ()
) -> list[JudgedReport]:
    """Judge the claims of the named reports, by default of all with a ledger, in a project and its inner projects.

    Bundles add the verdicts of other machines.
    """
    labs: dict[str, Lab] = {}
    for one in lab.with_inner():
        labs |= {name: one for name in readable_ledgers(one.claims, progress.note) if name not in labs}
    found = []
    for number, name in enumerate(names or labs):
        progress.update(number / len(names or labs), f"judging the claims of {name}")
        one = labs.get(name, lab)
        ledger = read_ledger(name, one.claims)
        machines = side_by_side(one, ledger, bundles) if bundles else []
        machines.sort(key=lambda of: of.machine.usable_cores if of.machine else 0)
        component = next((topic for topic in find_components(one) if topic.name == ledger.component), None)
        found.append(JudgedReport(one, ledger, judge_ledger(one, ledger), component, machines))
    return found
