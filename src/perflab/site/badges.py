"""Badges: SVG files that say how many claims hold."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from perflab.claims.verdict import VERDICTS
from perflab.model.errors import MissingError
from perflab.model.files import atomic
from perflab.site.writer import template

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from perflab.claims.verdict import Verdict
    from perflab.site.site import JudgedReport

_CHARACTER_PX = 6.6
"""Average width in 11 px Verdana; `textLength` fits each text exactly to its box."""
# White text has a contrast of at least 4.5:1 on each of them.
_MOST, _SOME, _FEW, _NONE = "#007457", "#0065a3", "#a84700", "#666666"
_MANY_FROM, _SOME_FROM = 0.75, 0.25


def badge_svg(report: JudgedReport) -> str:
    """Return the badge as self-contained SVG: no font, no style sheet, no network."""
    score = report.score
    said = str(score) if score.testable else "no claim tested"
    whole = f"{report.ledger.title}: {said}" + (f", {score.untestable} untestable" if score.untestable else "")
    whole += report.disturbance
    return _drawn("perflab", said, whole, _colour(report))


def claims_badge(verdicts: Sequence[Verdict]) -> str:
    """Return the badge of a project's claims, in the colour of the worst word."""
    words: Counter[str] = Counter(one.word for one in verdicts)
    tested = len(verdicts) - words["untestable here"]
    said = f"{words['reproduced']} of {tested} hold" if tested else "none tested"
    colour = _MOST if tested else _NONE
    if words["undecided"] or words["direction only"] or words["not run"]:
        colour = _SOME
    if words["refuted"] or words["overstated"] or words["void"]:
        colour = _FEW
    others = [f"{words[word]} {word}" for word in VERDICTS if words[word] and word != "reproduced"]
    return _drawn("claims", said, f"claims: {', '.join([said, *others])}", colour)


def _drawn(label: str, said: str, whole: str, colour: str) -> str:
    left, right = (round(len(text) * _CHARACTER_PX) for text in (label, said))
    values = {"label": label, "said": said, "whole": whole, "left": left, "right": right, "colour": colour}
    return template("badge.svg").render(values) + "\n"


def write_badges(reports: Iterable[JudgedReport], folder: Path) -> list[Path]:
    """Write each report's badge as `REPORT.svg`."""
    written = []
    for report in reports:
        path = folder / f"{report.name}.svg"
        try:
            with atomic(path) as draft:
                draft.write_text(badge_svg(report), encoding="utf-8")
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
