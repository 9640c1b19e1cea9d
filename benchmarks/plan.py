"""What is tried: kinds of work, slow-downs, goals, and the command that a user would type."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FOLDER = Path(__file__).parent
COMPONENTS = FOLDER / "components"
DATA = FOLDER / "data"
PAGE = FOLDER.parent / "docs" / "measuring.md"
COMMAND = "PYTHONPATH=src .venv/bin/python benchmarks/study.py"
TRIALS = 40
MOST_FALSE_ALARMS = 0.05
LEAST_FOUND = 0.9
LEAST_COVERED = 0.9
PROCESS = {"warmup": 10, "sample": 10, "samples": 10}
"""Milliseconds of warm-up and of a sample, and samples.

With two samples, pairs of processes differ by 4.6 % (cpu) and 46 % (contended), with ten by 2.4 % and 18 %: shares of a
processor are given by some ten milliseconds, and a process much longer than that gets its fair one. Longer ones still
gain little, and intervals narrow with the number of processes.
"""


@dataclass(frozen=True)
class Pair:
    """Two variants of which one is slower by a known amount, and how long finding that may take.

    Attributes:
        candidate: The variant that is compared with `base`.
        more: How much more work it does; 0.02 is 2 %.
        budget_s: Seconds of measuring.
        precision: The half width at which the measurement stops.
    """

    candidate: str
    more: float
    budget_s: int
    precision: float

    @property
    def truth(self) -> float:
        """The true improvement factor."""
        return 1 / (1 + self.more)


KINDS = {
    "cpu": (Pair("same", 0, 60, 0.008), Pair("plus-2", 0.02, 60, 0.008), Pair("plus-1", 0.01, 300, 0.004)),
    "contended": (Pair("same", 0, 60, 0.08), Pair("plus-20", 0.2, 60, 0.08), Pair("plus-10", 0.1, 300, 0.04)),
}
"""The precision is four tenths of the slow-down: an interval of that half width leaves equality out unless it misses by
as much again. With a half, 13 of the first 15 trials found the contended 20 %.
"""

LOADS = ("quiet", "busy")


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def shown(name: str) -> str:
    """Return what the page has between the markers of this name."""
    return PAGE.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")[2].partition(f"\n<!-- end of {name} -->")[0]


def show(name: str, table: str, page: Path = PAGE) -> None:
    """Put a table between the markers of this name."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- end of {name} -->")
    page.write_text(f"{before}{begin}{table}\n{end}{after}", encoding="utf-8")
