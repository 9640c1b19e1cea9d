"""The badge of a report: how many of its claims were reproduced, as an image for its own page or README."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from perflab.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from perflab.site.reports import JudgedReport

_LABEL = "perflab"
_CHARACTER_PX = 6.6
"""Of 11 px Verdana, on average; `textLength` makes each text exactly as wide as its box expects."""
_PADDING_PX = 10
_HEIGHT_PX = 20

# White text has a contrast of at least 4.5:1 on each.
_MOST, _SOME, _FEW, _NONE = "#007457", "#0065a3", "#a84700", "#666666"
_MANY_FROM, _SOME_FROM = 0.75, 0.25


def badge_svg(report: JudgedReport) -> str:
    """The badge as SVG that needs nothing else: no font, no style sheet, no network."""
    score = report.score
    said = str(score) if score.testable else "no claim tested"
    whole = f"{report.ledger.title}: {said}" + (f", {score.untestable} untestable" if score.untestable else "")
    left, right = (round(len(text) * _CHARACTER_PX) for text in (_LABEL, said))
    split, width = left + 2 * _PADDING_PX, left + right + 4 * _PADDING_PX
    named = escape(whole, quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT_PX}" '
        f'role="img" aria-label="{named}">'
        f"<title>{escape(whole)}</title>"
        f'<clipPath id="round"><rect width="{width}" height="{_HEIGHT_PX}" rx="3"/></clipPath>'
        f'<g clip-path="url(#round)"><rect width="{split}" height="{_HEIGHT_PX}" fill="#3d3d3d"/>'
        f'<rect x="{split}" width="{width - split}" height="{_HEIGHT_PX}" fill="{_colour(report)}"/></g>'
        '<g fill="#ffffff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">'
        f'<text x="{_PADDING_PX}" y="14" textLength="{left}" lengthAdjust="spacingAndGlyphs">{_LABEL}</text>'
        f'<text x="{split + _PADDING_PX}" y="14" textLength="{right}" lengthAdjust="spacingAndGlyphs">{said}</text>'
        "</g></svg>\n"
    )


def write_badges(reports: Iterable[JudgedReport], folder: Path) -> list[Path]:
    """Write each report's badge as `REPORT.svg`.

    Raises:
        MissingError: If the folder cannot be written.
    """
    written = []
    for report in reports:
        path = folder / f"{report.name}.svg"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(badge_svg(report), encoding="utf-8")
        except OSError as error:
            raise MissingError(f"cannot write {path}: {error.strerror}", "name another folder with --out") from None
        written.append(path)
    return written


def _colour(report: JudgedReport) -> str:
    score = report.score
    if not score.testable or report.counts["not run"] == len(report.verdicts):
        return _NONE
    share = score.reproduced / score.testable
    return _MOST if share >= _MANY_FROM else _SOME if share >= _SOME_FROM else _FEW
