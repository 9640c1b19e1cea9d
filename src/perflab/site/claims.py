"""A page for each claim, and one for each report."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from perflab.claims import VERDICTS
from perflab.site import layout
from perflab.site.commands import repeat_claim
from perflab.site.figures import chart_figure

if TYPE_CHECKING:
    from collections.abc import Collection

    from perflab.claims import Claim
    from perflab.runner import Progress
    from perflab.site.evidence import Evidence
    from perflab.site.reports import JudgedReport
    from perflab.site.writing import SiteWriter

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")


def write_claims(writer: SiteWriter, report: JudgedReport, evidence: Evidence, progress: Progress) -> None:
    """Write the pages of a report's claims, each with links to the one before and the one behind."""
    verdicts = report.verdicts
    names = {one.claim.id for one in verdicts}
    for number, verdict in enumerate(verdicts):
        progress.update(number / len(verdicts), f"{report.name}: {verdict.claim.id}")
        claim = verdict.claim
        page = layout.claim_page(report.name, claim.id)
        exhibit = evidence.exhibit(verdict, report.ledger.component)
        preset = exhibit.runs[0].header.preset if exhibit.runs else "quick"
        writer.page(
            page,
            "claim.html",
            report=report,
            verdict=verdict,
            claim=claim,
            exhibit=exhibit,
            figures=[chart_figure(chart) for chart in exhibit.charts],
            commands=repeat_claim(claim, report.ledger.component, preset),
            params=_params(claim),
            note=linked(claim.note, names - {claim.id}, page, report.name),
            before=verdicts[number - 1] if number else None,
            behind=verdicts[number + 1] if number + 1 < len(verdicts) else None,
        )


def write_report(writer: SiteWriter, report: JudgedReport) -> None:
    """Write a report's own page."""
    by_verdict = {word: [one for one in report.verdicts if one.word == word] for word in VERDICTS}
    writer.page(layout.report_page(report.name), "report.html", report=report, by_verdict=by_verdict)


def linked(text: str, names: Collection[str], page: str, report: str) -> Markup:
    """A note as HTML; where it names another claim, a link to that claim's page."""

    def link(match: re.Match[str]) -> str:
        if match[0] not in names:
            return match[0]
        return f'<a href="{layout.relative(layout.claim_page(report, match[0]), page)}">{match[0]}</a>'

    return Markup(_NAME.sub(link, str(escape(text))))  # noqa: S704 - escaped before links are put in


def _params(claim: Claim) -> dict[str, str]:
    shown = {name: str(value) for name, value in claim.params.items()}
    if claim.kind == "scaling":
        shown[claim.parameter] = f"{claim.start} to {claim.stop}"
    return shown
