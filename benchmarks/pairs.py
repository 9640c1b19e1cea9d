"""What `decisive.py` compares: programs, pairs of them, and the tools."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass

from rivals import BUILT, PROGRAMS

PAIRS = {"same": 0.0, "plus2": 0.02, "plus3": 0.03}


@dataclass(frozen=True)
class Program:
    """A program whose work is told in thousandths, of which a part is not in proportion: its start.

    Attributes:
        command: What takes the work as its last argument; empty for benchmarks, which have no start in their figure.
        harness: Options of `bench` for benchmarks.
        tools: Other tools that fit.
        share: Share of the time that is in proportion, measured by `--calibrate`: so that the time grows by 2 %, the
            work grows by more.
    """

    command: tuple[str, ...]
    tools: tuple[str, ...]
    harness: tuple[str, ...] = ()
    share: float = 1.0

    def arms(self, *amounts: str) -> list[str]:
        """Return what perflab is given for these amounts."""
        return [amount if self.harness else shlex.join([*self.command, amount]) for amount in amounts]

    def amount(self, pair: str) -> str:
        """Return the work of a pair's second program; a leading zero tells an equal one from the first."""
        return f"{1000 + 1000 * PAIRS[pair] / self.share:.0f}" if PAIRS[pair] else "01000"

    def names(self, pair: str) -> tuple[str, str]:
        """Return what perflab compares for a pair: amounts, or the names of benchmarks."""
        return ("base", pair) if self.harness else ("1000", self.amount(pair))


_COMMANDS, _GO, _CRITERION = ("hyperfine", "pyperf"), ("benchstat",), ("criterion",)
KINDS = {
    "objects (Node)": Program(("node", str(PROGRAMS / "objects.js")), _COMMANDS, share=0.59),
    "allocate (C++)": Program((str(BUILT / "allocate"),), _COMMANDS, share=0.96),
    "words (Python)": Program((sys.executable, str(PROGRAMS / "words.py")), _COMMANDS, share=0.88),
    "chase (C)": Program((str(BUILT / "chase"),), _COMMANDS, share=0.90),
    "collect (Go)": Program((), _GO, ("--go", str(PROGRAMS / "collect"))),
    "sums (criterion)": Program((), _CRITERION, ("--criterion", str(PROGRAMS / "sums"))),
}
TOOLS = ("perflab", "before", "perflab-whole", "before-whole", *_COMMANDS, *_GO, *_CRITERION)
"""`-whole` uses all of its time, where `--quick` ends at 1 %: half widths of the equal pair are compared so."""
