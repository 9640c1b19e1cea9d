"""A report with its verdicts, and its badge."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflab.claims.bundled import side_by_side
from perflab.claims.ledger import read_ledger, readable_ledgers
from perflab.claims.verdict import VERDICTS, judge_ledger
from perflab.model.errors import MissingError
from perflab.model.files import atomic
from perflab.site.writer import template
from perflab.topics.catalogue import find_components

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from perflab.claims.bundled import OneMachine
    from perflab.claims.ledger import Ledger
    from perflab.claims.verdict import Verdict
    from perflab.model.lab import Lab
    from perflab.model.progress import Progress
    from perflab.topics.catalogue import Component


_OUT_OF_REACH = "untestable here"
_HELD = "reproduced"


@dataclass(frozen=True)
class JudgedReport:
    """A report of a project: its ledger, the verdicts in its order, and the topic that tests it, if it is here.

    `machines`: the verdicts here and those of other machines' bundles, from the fewest cores to the most.
    """

    lab: Lab
    ledger: Ledger
    verdicts: list[Verdict]
    component: Component | None = None
    machines: Sequence[OneMachine] = ()

    @property
    def name(self) -> str:
        """The report's name, as users type it."""
        return self.ledger.report

    @property
    def counts(self) -> dict[str, int]:
        """How many of its claims have each verdict, this project's own claims on it included."""
        return count(self.verdicts)

    @property
    def runs(self) -> set[str]:
        """What its verdicts rest on."""
        return {name for one in self.verdicts if one.claim.kind != "mechanism" for name in one.evidence.runs}

    @property
    def disturbed(self) -> set[str]:
        """Those of the runs during which the machine had other work."""
        return {name for one in self.verdicts for name in one.evidence.busy}

    @property
    def disturbance(self) -> str:
        """To be said behind its score, if there was any."""
        return f", {len(self.disturbed)} of {len(self.runs)} runs disturbed" if self.disturbed else ""

    @property
    def score(self) -> ReportScore:
        """How much of what the report itself says, and what can be tested, is reproduced."""
        own = [one for one in self.verdicts if not one.claim.ours]
        tested = [one for one in own if one.word != _OUT_OF_REACH]
        return ReportScore(sum(one.word == _HELD for one in tested), len(tested), len(own) - len(tested))


@dataclass(frozen=True)
class ReportScore:
    """Of so many testable claims of a report so many are reproduced; `untestable` are left out of both."""

    reproduced: int
    testable: int
    untestable: int

    def __str__(self) -> str:
        return f"{self.reproduced} of {self.testable} claims reproduced"


def count(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """How many there are of each word, in the words' usual order, those without any too."""
    found: Counter[str] = Counter(one.word for one in verdicts)
    return {word: found[word] for word in VERDICTS}


def judge_reports(
    lab: Lab, progress: Progress, names: Sequence[str] = (), bundles: Sequence[Path] = ()
) -> list[JudgedReport]:
    """Judge the claims of these reports, or of all that have a ledger, of a project and of those within it.

    Beside them are those of other machines' bundles.
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


_LABEL = "perflab"
_CHARACTER_PX = 6.6
"""Of 11 px Verdana, on average; `textLength` makes each text exactly as wide as its box expects."""
# White text has a contrast of at least 4.5:1 on each.
_MOST, _SOME, _FEW, _NONE = "#007457", "#0065a3", "#a84700", "#666666"
_MANY_FROM, _SOME_FROM = 0.75, 0.25


def badge_svg(report: JudgedReport) -> str:
    """The badge as SVG that needs nothing else: no font, no style sheet, no network."""
    score = report.score
    said = str(score) if score.testable else "no claim tested"
    whole = f"{report.ledger.title}: {said}" + (f", {score.untestable} untestable" if score.untestable else "")
    whole += report.disturbance
    left, right = (round(len(text) * _CHARACTER_PX) for text in (_LABEL, said))
    return template("badge.svg").render(said=said, whole=whole, left=left, right=right, colour=_colour(report)) + "\n"


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
