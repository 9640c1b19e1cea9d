"""The reports that have a ledger, with the verdicts on their claims."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflab.claims import VERDICTS, find_ledgers, gather, judge, read_ledger
from perflab.components import find_components

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perflab.claims import Ledger, Verdict
    from perflab.components import Component
    from perflab.runner import Progress

_OUT_OF_REACH = "untestable here"
_HELD = "reproduced"


@dataclass(frozen=True)
class JudgedReport:
    """A report: its ledger, the verdicts in the ledger's order, and the topic that tests it, where that is here."""

    ledger: Ledger
    verdicts: list[Verdict]
    component: Component | None = None

    @property
    def name(self) -> str:
        """The report's name, as users type it."""
        return self.ledger.report

    @property
    def counts(self) -> dict[str, int]:
        """How many of its claims have each verdict, this project's own claims on it included."""
        return count(self.verdicts)

    @property
    def score(self) -> Score:
        """How much of what the report itself says, and what can be tested, is reproduced."""
        own = [one for one in self.verdicts if not one.claim.ours]
        tested = [one for one in own if one.word != _OUT_OF_REACH]
        return Score(sum(one.word == _HELD for one in tested), len(tested), len(own) - len(tested))


@dataclass(frozen=True)
class Score:
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


def judge_reports(progress: Progress, names: Sequence[str] = ()) -> list[JudgedReport]:
    """Judge the claims of these reports, or of all that have a ledger.

    Raises:
        UsageError: If there is no such report, or a ledger is wrong.
    """
    components = {component.name: component for component in find_components()}
    chosen = list(names or find_ledgers())
    found = []
    for number, name in enumerate(chosen):
        progress.update(number / len(chosen), f"judging the claims of {name}")
        ledger = read_ledger(name)
        evidence = gather(ledger)
        verdicts = [judge(claim, evidence[claim.id]) for claim in ledger.claims]
        found.append(JudgedReport(ledger, verdicts, components.get(ledger.component)))
    return found
