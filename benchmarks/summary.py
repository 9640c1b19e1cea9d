"""The table of the power study, from the trials that were kept."""

from __future__ import annotations

import json
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from plan import DATA, KINDS, LEAST_COVERED, LEAST_FOUND, LOADS, MOST_FALSE_ALARMS, Pair, markdown, show
from scipy import stats
from tools import RULES

if TYPE_CHECKING:
    from pathlib import Path

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
        found = sum(self._counts(trial["verdict"]) for trial in self.trials)
        covered = sum(trial["low"] <= self.pair.truth <= trial["high"] for trial in self.trials)
        return [
            f"{self.kind}, {self.load}",
            slow_down,
            f"**{self._share(found)}** {self._met(found)}",
            f"{self._share(covered)}{'' if covered >= LEAST_COVERED * len(self.trials) else ' (missed)'}",
            f"{median(seconds):.0f} s, at most {max(seconds):.0f} of {self.pair.budget_s}",
            *(self._share(sum(self._counts(trial["tools"][name]) for trial in self.trials)) for name in RULES),
        ]

    def _counts(self, word: str | None) -> bool:
        """Any difference is a false alarm where there is none; elsewhere only the right one counts."""
        return word == "slower" if self.pair.more else word in _DIFFERENT

    def _met(self, found: int) -> str:
        share = found / len(self.trials)
        met = share >= LEAST_FOUND if self.pair.more else share <= MOST_FALSE_ALARMS
        goal = f"at least {LEAST_FOUND:.0%}" if self.pair.more else f"at most {MOST_FALSE_ALARMS:.0%}"
        interval = stats.binomtest(found, len(self.trials)).proportion_ci()
        return f"[{interval.low:.0%}, {interval.high:.0%}]; goal {goal}: {'met' if met else 'missed'}"

    def _share(self, count: int) -> str:
        return f"{count} of {len(self.trials)}"


def rows(data: Path = DATA) -> list[Row]:
    """A row for each pair that has been tried."""
    return [
        Row(kind, load, pair, [trial["pairs"][pair.candidate] for trial in trials])
        for kind, pairs in KINDS.items()
        for load in LOADS
        if (trials := _trials(data / f"{kind}-{load}.jsonl"))
        for pair in pairs
    ]


def table(data: Path = DATA) -> str:
    """The table in Markdown."""
    heads = ["work, load", "slow-down", "the lab says *different*", "interval holds the truth", "whole command"]
    heads += RULES
    return markdown(heads, (row.cells() for row in rows(data)))


def _trials(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines[1:]]


if __name__ == "__main__":
    show("power table", table())
