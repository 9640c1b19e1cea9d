"""Where each page stands in the site, what the site calls things, and its badges."""

from __future__ import annotations

import posixpath
from html import escape
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from perflab.model.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from perflab.view.pages import JudgedReport


INDEX = "index.html"
NOTEBOOKS = "notebooks.html"
DOCUMENTS = "documents.html"
MACHINE = "machine.html"
DATA = "data.html"


def report_page(report: str) -> str:
    """The page of a report."""
    return f"reports/{report}.html"


def claim_page(report: str, claim: str) -> str:
    """The page of a claim."""
    return f"claims/{report}/{claim}.html"


def run_page(run: str) -> str:
    """The page of a run."""
    return f"runs/{run}.html"


def badge(report: str) -> str:
    """A report's badge."""
    return f"badges/{report}.svg"


def run_data(run: str) -> str:
    """The folder of a run's files."""
    return f"data/runs/{run}"


def profile_data(profile: str) -> str:
    """The folder of a profile's files."""
    return f"data/profiles/{profile}"


def rendered(path: str) -> str:
    """The page of a document or a notebook of the checkout."""
    return str(PurePosixPath(path).with_suffix(".html"))


def relative(target: str, page: str) -> str:
    """How a page links to another one: from a folder on disk as well as from any place on a server."""
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


class Word(NamedTuple):
    """A verdict's sign and meaning; `key` is its class in the style sheet. Colour is never the only sign."""

    key: str
    sign: str
    meaning: str


VERDICT_WORDS = {
    "reproduced": Word("reproduced", "✓", "It holds here: by the published factor, or within the claimed bound."),
    "direction only": Word("direction", "↗", "Better as claimed, but by another factor."),
    "not reproduced": Word("open", "?", "This run cannot tell: the interval contains both."),
    "refuted": Word("refuted", "✗", "Shown not to hold here."),
    "void": Word("void", "⊘", "What the claim speaks of breaks its contract here; its figure counts for nothing."),
    "untestable here": Word(
        "untestable", "∅", "It needs something that this machine has not, or is another machine's absolute time."
    ),
    "not run": Word("unrun", "·", "Nobody has measured it yet."),
}
KIND_WORDS = {
    "ratio": "one variant is so many times better than another",
    "order": "one variant is better than another",
    "bound": "a figure stays within a bound",
    "scaling": "a figure changes by a factor when a parameter changes",
    "share": "a cause takes so much of a profile",
    "score": "a variant has such a score over all scenarios of its topic",
    "mechanism": "something works in a certain way, which a test shows",
    "absolute": "a figure of another machine, shown for scale only",
}
PROFILE_WORDS = {
    "cpu": "Where CPU time goes",
    "wall": "Where threads spend their time",
    "lock": "Where threads wait for locks",
    "alloc": "Where memory is allocated",
}
ORIGIN_WORDS = {
    "local": "runs on the machine that wrote this report",
    "reference": "the committed reference runs",
    "none": "nothing yet",
}


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
