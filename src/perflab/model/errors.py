"""The lab's errors. Each carries what is wrong, what to do about it, and the exit status that says so."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class LabError(Exception):
    """Base of all errors that a user is meant to read: one line and, where there is one, a way out.

    Args:
        message: What is wrong, in one line.
        hint: What to do about it; may be empty.
    """

    exit_status: ClassVar[int] = 4

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class ShortfallError(LabError):
    """A result fell short: a regression, or a claim that was expected to hold and does not."""

    exit_status = 1


class UsageError(LabError):
    """The command, a name in it, or a file that the user wrote is wrong."""

    exit_status = 2


class AmbiguousError(UsageError):
    """A part of a name fits more than one."""


class MissingError(LabError):
    """Something is missing on this machine, or taken by somebody else."""

    exit_status = 3


class StoreError(MissingError):
    """Results cannot be written: the disk is full or read-only. No variant's fault."""


class TakenError(MissingError):
    """Something else is being measured on this machine; it ends, and then one may try again."""


class BenchError(LabError):
    """A benchmark failed, broke the protocol, or did not validate.

    Attributes:
        run: The folder of the run that ended with it; `None` if it came before any.
    """

    exit_status = 4
    run: Path | None = None


class VoidError(BenchError):
    """A variant broke a rule of the scenario, as one that no queue may hold more, or what it is known to break.

    That is its result, not a defect.
    """


class CrashError(LabError):
    """The lab itself has a defect. The status is that of `EX_SOFTWARE` in sysexits.h, which means nothing else here."""

    exit_status = 70


COLOUR = re.compile(r"\x1b(?:\[[0-9;:]*[A-Za-z]|\(B)")
"""A terminal's colours begin and end with it."""


def one_line(what: object) -> str:
    """Text that others wrote, such as a value that a decoder quotes, without line breaks and codes for a terminal."""
    return " ".join("".join(one if one.isprintable() else " " for one in COLOUR.sub("", str(what))).split())


def unknown(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """An error for a name that does not exist, naming the nearest one that does."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    choices = f"there are: {', '.join(names)}" if names else "there are none"
    hint = f"did you mean {near[0]!r}? {choices}" if near else choices
    return UsageError(f"no {kind} {name!r}", hint)
