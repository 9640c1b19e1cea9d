"""The table of the power study, from the trials that were kept."""

from __future__ import annotations

import json
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

import click
from plan import (
    DATA,
    KINDS,
    LEAST_COVERED,
    LEAST_COVERED_QUICK,
    LEAST_FOUND,
    LEAST_FOUND_QUICK,
    LOADS,
    MOST_FALSE_ALARMS,
    QUICK_KINDS,
    Pair,
)
from scipy import stats
from tools import RULES

if TYPE_CHECKING:
    from pathlib import Path

BEGIN, END = "<!-- power table -->", "<!-- end of power table -->"
QUICK_BEGIN, QUICK_END = "<!-- quick power table -->", "<!-- end of quick power table -->"
_DIFFERENT = {"faster", "slower"}


@dataclass(frozen=True)
class Row:
    """One pair of one kind under one load, over all trials."""

    kind: str
    load: str
    pair: Pair
    trials: list[dict[str, Any]]

    def cells(self) -> list[str]:
        seconds = [trial["seconds"] for trial in self.trials]
        slow_down = f"{self.pair.more:.0%} slower" if self.pair.more else "none (A/A)"
        if self.kind in QUICK_KINDS:
            rounds, others = (median(trial[name] for trial in self.trials) for name in ("rounds", "others"))
            more = [f"{rounds:.0f}", f"{others:.0%}"]
        else:
            more = [self._share(sum(self._counts(trial["tools"][name]) for trial in self.trials)) for name in RULES]
        found = sum(self._counts(trial["verdict"]) for trial in self.trials)
        covered = sum(trial["low"] <= self.pair.truth <= trial["high"] for trial in self.trials)
        return [
            f"{self.kind}, {self.load}",
            slow_down,
            f"**{self._share(found)}** {self._met(found)}",
            f"{self._share(covered)}{'' if covered >= self._goals[1] * len(self.trials) else ' (missed)'}",
            f"{median(seconds):.0f} s, at most {max(seconds):.0f} of {self.pair.budget_s}",
            *more,
        ]

    @property
    def _goals(self) -> tuple[float, float]:
        quick = self.kind in QUICK_KINDS
        return (LEAST_FOUND_QUICK, LEAST_COVERED_QUICK) if quick else (LEAST_FOUND, LEAST_COVERED)

    def _counts(self, word: str | None) -> bool:
        """Any difference is a false alarm where there is none; elsewhere only the right one counts."""
        return word == "slower" if self.pair.more else word in _DIFFERENT

    def _met(self, found: int) -> str:
        share = found / len(self.trials)
        met = share >= self._goals[0] if self.pair.more else share <= MOST_FALSE_ALARMS
        goal = f"at least {self._goals[0]:.0%}" if self.pair.more else f"at most {MOST_FALSE_ALARMS:.0%}"
        interval = stats.binomtest(found, len(self.trials)).proportion_ci()
        return f"[{interval.low:.0%}, {interval.high:.0%}]; goal {goal}: {'met' if met else 'missed'}"

    def _share(self, count: int) -> str:
        return f"{count} of {len(self.trials)}"


def rows(data: Path = DATA, *, quick: bool = False) -> list[Row]:
    """A row for each pair that has been tried."""
    return [
        Row(kind, load, pair, [trial["pairs"][pair.candidate] for trial in trials])
        for kind, pairs in (QUICK_KINDS if quick else KINDS).items()
        for load in LOADS
        if (trials := _trials(data / f"{kind}-{load}.jsonl"))
        for pair in pairs
    ]


def table(data: Path = DATA, *, quick: bool = False) -> str:
    """The table in Markdown: of what is left to `--quick` alone, or of the rest."""
    heads = ["work, load", "slow-down", "the lab says *different*", "interval holds the truth", "whole command"]
    heads += ["rounds", "other work"] if quick else RULES
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    lines += [f"| {' | '.join(row.cells())} |" for row in rows(data, quick=quick)]
    return "\n".join(lines)


def _trials(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines[1:]]


if __name__ == "__main__":
    click.echo(f"{table()}\n\n{table(quick=True)}")
