"""A gate: the verdicts of several scenarios, and how they came about."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflab.charts.quantities import factor, percent, quantity, signed_quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.analysis import Regressions
    from perflab.statistics import Comparison
    from perflab.store import RunHeader


@dataclass(frozen=True)
class Gate:
    """What is handed to a renderer.

    Attributes:
        found: One for each scenario; at least one.
        command: What was typed.
    """

    found: Sequence[Regressions]
    command: str

    @property
    def header(self) -> RunHeader:
        """Of the first run; machine and topic are those of all."""
        return self.found[0].again.run.header

    @property
    def then(self) -> str:
        """What the earlier state is called."""
        return self.found[0].again.name

    @property
    def now(self) -> str:
        """What the later state is called."""
        return self.found[0].again.now or "this"

    @property
    def counts(self) -> Counter[str]:
        """How many metrics have each verdict; `failed` counts variants that dropped out."""
        words = Counter(one.word for each in self.found for one in each.verdicts)
        return Counter[str](words) + Counter({"failed": sum(len(each.failures) for each in self.found)})


def improvement(one: Comparison) -> str:
    """A comparison's estimate with its interval, as a factor above 1 if it is better, else as a difference."""
    if one.estimate is None:
        return "no estimate"

    def said(value: float) -> str:
        return factor(value) if one.scale == "ratio" else signed_quantity(value, one.unit)

    if one.low is None or one.high is None:
        return f"{said(one.estimate)}, too few rounds"
    return f"{said(one.estimate)} [{said(one.low)}, {said(one.high)}]"


def detectable(one: Comparison) -> str:
    """The smallest effect that so many rounds of that spread would find in four of five runs."""
    effect = one.minimum_detectable_effect
    if effect is None:
        return "unknown"
    return percent(effect) if one.scale == "ratio" else quantity(effect, one.unit)


def how(found: Regressions) -> str:
    """How a run was made, in a line."""
    run = found.again.run
    rounds = run.ending.rounds if run.ending else 0
    if found.interleaved:
        way = f"{rounds} rounds of fresh processes, both builds interleaved in random order"
    else:
        way = f"{rounds} rounds of fresh processes, not interleaved: drift of the machine is in the figures"
    return f"{run.header.scenario.name}: preset {run.header.preset}, {way}; run {run.id}"


def warnings(found: Regressions) -> list[str]:
    """What a reader should know of a run: its notes, and what else the machine did."""
    ending = found.again.run.ending
    return [*found.notes, *(ending.warnings if ending else [])]
