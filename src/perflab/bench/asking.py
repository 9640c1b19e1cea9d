"""Asking a harness what it has."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.host.processes import run_group
from perflab.model.errors import BenchError, MissingError, UsageError, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence


_TIMEOUT_S = 60
_MOST_BYTES = 1 << 20


def lines_of(
    command: Sequence[str], *, folder: Path | None = None, timeout_s: float = _TIMEOUT_S, most: int = _MOST_BYTES
) -> list[str]:
    """What a program prints on standard output, `most` bytes of it, line by line, without empty ones.

    Raises:
        MissingError: If it cannot be started.
        BenchError: If it fails, takes too long, or prints more than a list of benchmarks has.
    """
    name = command[0]
    try:
        done = run_group(command, folder=folder, timeout_s=timeout_s)
    except OSError as error:
        raise MissingError(f"cannot start {name}: {error.strerror}", "check the path; build it first") from None
    except subprocess.TimeoutExpired:
        raise BenchError(f"{name} did not answer within {timeout_s:g} s", " ".join(command)) from None
    if done.returncode != 0:
        said = reason(done.stderr or done.stdout) or "it said nothing"
        raise BenchError(f"{name} failed with status {done.returncode}: {said}")
    if len(done.stdout) > most:
        raise BenchError(f"{name} lists {len(done.stdout):,} bytes of benchmarks", f"{most:,} are the most")
    return [line.strip() for line in done.stdout.decode("utf-8", "replace").splitlines() if line.strip()]


def reason(printed: bytes) -> str:
    """The line that says why a program failed: the last one, but pytest goes on after its error, and Go in its hint."""
    lines = [line for line in printed.decode("utf-8", "replace").splitlines() if line.strip()]
    wrong = (line for line in lines if "error:" in line.lower() and "usage:" not in line.lower())
    margin = [line for line in lines if not line[0].isspace()]
    return one_line(next(wrong, (margin or lines or [""])[-1]))


def check_file(target: str) -> None:
    """Refuse what is no file, where a program that is started with it would say so in many words.

    Raises:
        UsageError: If it is none.
    """
    if not Path(target).is_file():
        raise UsageError(f"there is no file {target}", "check its name, and the folder")
