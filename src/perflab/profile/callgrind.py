"""Count what a native program executes with valgrind's callgrind, function by function, in a simulated memory.

Counts of a deterministic program repeat to the instruction. What a simulation cannot know stands in docs/profiling.md.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from functools import reduce
from itertools import dropwhile
from typing import TYPE_CHECKING

from perflab.model.errors import BenchError, MissingError
from perflab.profile.frames import clean

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

INSTRUCTIONS = "instructions"
COUNTS: Mapping[str, tuple[str, ...]] = {
    INSTRUCTIONS: ("Ir",),
    "data-reads": ("Dr",),
    "data-writes": ("Dw",),
    "first-level-misses": ("I1mr", "D1mr", "D1mw"),
    "last-level-misses": ("ILmr", "DLmr", "DLmw"),
    "branches": ("Bc", "Bi"),
    "mispredictions": ("Bcm", "Bim"),
}
"""The events of valgrind that each of our counts sums."""

_EVENTS = tuple(event for events in COUNTS.values() for event in events)
_CALLERS = 8
"""Frames of a stack."""
_MOST_BYTES = 1 << 30
_OPTIONS = (
    "--tool=callgrind",
    "--cache-sim=yes",
    "--branch-sim=yes",
    # The same caches everywhere: those of the machine are unknown to many a virtual one.
    *("--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"),
    f"--separate-callers={_CALLERS}",
    # A re-executed program, and the children of a script, are the command's, too.
    "--trace-children=yes",
)
_BEFORE_MAIN = re.compile(r"0x[0-9a-f]+|\(below main\)")
_UNKNOWN = re.compile(r"unrecognised instruction|Unrecognised instruction|unhandled instruction bytes")


def find_valgrind() -> str:
    """Return the path of valgrind.

    Raises:
        MissingError: If there is none.
    """
    found = shutil.which("valgrind")
    if found is None:
        raise MissingError("counting needs valgrind, which is not on the PATH", "Debian: apt install valgrind")
    return found


@dataclass(frozen=True)
class Part:
    """What was executed between two dumps: events of each stack, outermost frame first, in the order of `_EVENTS`."""

    stacks: Mapping[tuple[str, ...], list[int]]

    def plus(self, other: Part, times: int = 1) -> Part:
        """Return the sum of both; with -1 `times`, what this one executed beyond a shorter one of the same work."""
        total = {stack: list(events) for stack, events in self.stacks.items()}
        for stack, events in other.stacks.items():
            mine = total.setdefault(stack, [0] * len(_EVENTS))
            for place, value in enumerate(events):
                mine[place] += times * value
        return Part({stack: events for stack, events in total.items() if any(events)})

    @property
    def counts(self) -> dict[str, float]:
        """All of `COUNTS`; of a difference, misses below zero are the caches' chance."""
        totals = dict(zip(_EVENTS, map(sum, zip(*self.stacks.values(), strict=True)), strict=True))
        return {name: float(max(sum(totals[event] for event in events), 0)) for name, events in COUNTS.items()}

    @property
    def instructions(self) -> dict[tuple[str, ...], float]:
        """Instructions of each stack."""
        return {stack: float(events[0]) for stack, events in self.stacks.items() if events[0] > 0}


@dataclass(frozen=True)
class Callgrind:
    """How a process is counted.

    Attributes:
        folder: An empty folder for valgrind's files.
        between: Functions at which a part begins and ends.
        within: Or the function whose every call is a part. Else the whole process is one.
    """

    folder: Path
    between: tuple[str, str] | None = None
    within: str = ""

    def command(self, command: list[str]) -> list[str]:
        """Return the command that runs another one under valgrind."""
        framed: tuple[str, ...] = ()
        if self.between:
            framed = f"--zero-before={self.between[0]}", f"--dump-before={self.between[1]}"
        elif self.within:
            framed = f"--zero-before={self.within}", f"--dump-after={self.within}"
        files = f"--callgrind-out-file={self.folder}/out.%p", f"--log-file={self.folder}/log.%p"
        return [find_valgrind(), *_OPTIONS, *framed, *files, "--", *command]

    def parts(self) -> list[Part]:
        """Read the parts, in their order, when the process has ended.

        Raises:
            BenchError: If there are none, with what valgrind said.
        """
        files = sorted(self.folder.glob("out.*"), key=_number)
        if self.between or self.within:
            files = [file for file in files if file.suffixes[1:]]  # the last one is from the last part to the exit
        if not files:
            raise BenchError("valgrind has counted nothing", self.said() or "do the functions have their names?")
        if (size := max(file.stat().st_size for file in files)) > _MOST_BYTES:
            raise BenchError(f"valgrind's profile has {size:,} bytes", "count a shorter run")
        parts = [parse(file) for file in files]
        return parts if self.between or self.within else [reduce(Part.plus, parts)]

    def said(self) -> str:
        """Return valgrind's reason for a failure, if it is one that we know."""
        text = "\n".join(file.read_text(errors="replace") for file in sorted(self.folder.glob("log.*")))
        if _UNKNOWN.search(text):
            return "valgrind does not know an instruction of it: build it without -march=native, or without AVX-512"
        return ""


def _number(file: Path) -> list[int]:
    return [int(part) for part in file.name.split(".")[1:]]


def parse(file: Path) -> Part:
    """Read a part; the format is described in valgrind's manual ("Callgrind Format Specification")."""
    names: dict[str, str] = {}
    stacks: dict[tuple[str, ...], list[int]] = {}
    order: list[int] = []
    current: list[int] = []
    called = False  # the next line has the costs of a call, which are those of other functions
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            first = line[:1]
            if first.isdigit() or first in "+-*":
                if not called:
                    for place, value in zip(order, line.split()[1:], strict=False):
                        current[place] += int(value)
                called = False
            elif first in "fc" and (key := line.partition("=")[0]) in {"fn", "cfn"}:
                number, _, name = line.rstrip("\n").partition("=")[2].partition(" ")
                if name:
                    names[number] = name
                if key == "fn":
                    current = stacks.setdefault(_stack(names[number]), [0] * len(_EVENTS))
            elif line.startswith("calls="):
                called = True
            elif line.startswith("events:"):
                order = [_EVENTS.index(event) for event in line.split()[1:]]
    return Part(stacks)


def _stack(name: str) -> tuple[str, ...]:
    """Return the stack, outermost first, of `function'caller'caller`; a number is the depth of a recursion."""
    frames = [frame for frame in reversed(name.split("'")) if not frame.isdigit()]
    # What the loader calls first has often no name, and says nothing.
    return clean(tuple(dropwhile(_BEFORE_MAIN.fullmatch, frames)) or tuple(frames[-1:]))
