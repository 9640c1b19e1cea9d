"""The lab's errors, with a message, a hint what to do, and an exit status."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class LabError(Exception):
    """Base of all errors for users: one line and, if possible, a hint.

    Args:
        message: The problem, in one line.
        hint: The remedy; may be empty.
    """

    exit_status: ClassVar[int] = 4

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class ShortfallError(LabError):
    """A result fell short: a regression, or a claim that should hold and does not."""

    exit_status = 1


class UsageError(LabError):
    """The command, a name in it, or a file written by the user is wrong."""

    exit_status = 2


class AmbiguousError(UsageError):
    """A partial name has several matches."""


class MissingError(LabError):
    """Something is missing on this machine, or in use."""

    exit_status = 3


class StoreError(MissingError):
    """Results cannot be written: the disk is full or read-only. Not a variant's fault."""


class TakenError(MissingError):
    """Another measurement is running on this machine; retry when it has ended."""


class BenchError(LabError):
    """A benchmark failed, broke the protocol, or did not validate.

    Attributes:
        run: The folder of the failed run; `None` if there is none yet.
    """

    exit_status = 4
    run: Path | None = None


class StepError(LabError):
    """A command that runs before or after those measured failed, which ends the run."""


class VoidError(BenchError):
    """A variant broke a rule of the scenario, such as a queue's capacity, or a statement it is known to break.

    This is a result, not a defect.
    """


class CrashError(LabError):
    """The lab itself has a defect. The exit status is `EX_SOFTWARE` of sysexits.h, used for nothing else."""

    exit_status = 70


COLOUR = re.compile(r"\x1b(?:\[[0-9;:]*[A-Za-z]|\(B)")
"""Escape sequences that start and end colours in a terminal."""


def one_line(what: object) -> str:
    """Return foreign text, such as a value quoted by a decoder, without line breaks and terminal codes."""
    return " ".join("".join(one if one.isprintable() else " " for one in COLOUR.sub("", str(what))).split())


def unknown(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """Return the error for an unknown name, which suggests the closest known one."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    choices = f"there are: {', '.join(names)}" if names else "there are none"
    hint = f"did you mean {near[0]!r}? {choices}" if near else choices
    return UsageError(f"no {kind} {name!r}", hint)
