"""The whole site, step by step."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perflab.claims.ledger import KINDS
from perflab.host.git import this_revision
from perflab.host.machine import this_machine
from perflab.model.progress import PartialProgress
from perflab.site import downloads
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
from perflab.site.report import badge_svg, count, judge_reports
from perflab.site.writer import SiteWriter, in_place_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from perflab.model.lab import Lab
    from perflab.model.progress import Progress
    from perflab.site.downloads import Download
    from perflab.site.report import JudgedReport
    from perflab.store.runs import Run


@dataclass
class SiteResult:
    """What was written: the page to open first, the pages, the verdicts in them, and what was replaced."""

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
        lab: Whose claims.
        folder: Where; an older report in it is replaced.
        progress: Told of each step.
        names: The reports; all that have a ledger without any.
        notebooks: Whether the notebooks are in it.
        bundles: Evidence of other machines, whose verdicts stand beside those here.
    """
    with in_place_of(folder) as draft:
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
        # A name has one page and one place for data: the first project's, and in it what was measured here.
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
