"""Options that write verdicts for CI, and the judging that commands with verdicts have in common."""

from __future__ import annotations

import functools
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perflab.errors import MissingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perflab.analysis import Regressions
    from perflab.cli.output import Output
    from perflab.components import Manifest
    from perflab.runner import Again

_STANDARD_OUTPUT = "-"


@dataclass(frozen=True)
class GateFiles:
    """Where verdicts are written, if anywhere; `-` is standard output."""

    markdown: str | None
    junit: str | None

    def __bool__(self) -> bool:
        return bool(self.markdown or self.junit)

    def check(self, output: Output) -> None:
        """Refuse what could not be written when hours of measuring are over.

        Raises:
            UsageError: If two things would be on standard output, or a folder does not exist.
        """
        wanted = [self.markdown, self.junit]
        if wanted.count(_STANDARD_OUTPUT) + (output.mode != "human") > 1 and _STANDARD_OUTPUT in wanted:
            raise UsageError("one thing at a time can be on standard output", "write the others to files")
        for name in wanted:
            if name and name != _STANDARD_OUTPUT and not Path(name).absolute().parent.is_dir():
                raise UsageError(f"cannot write {name}: there is no folder {Path(name).parent}", "make it first")

    def write(self, found: list[Regressions]) -> None:
        """Write verdicts.

        Only whole ones: half a gate would look like one that had passed.

        Raises:
            MissingError: If a file cannot be written.
        """
        from perflab.gates import Gate, junit, markdown

        if not self or not found:
            return
        gate = Gate(found, shlex.join(["./lab", *sys.argv[1:]]))
        if self.markdown:
            _write(self.markdown, markdown(gate).encode())
        if self.junit:
            _write(self.junit, junit(gate))


def gate_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--markdown` and `--junit`."""
    options = [
        click.option("--markdown", metavar="FILE|-", help="Write the verdicts as a table for a pull request, too."),
        click.option("--junit", metavar="FILE|-", help="Write them as JUnit XML, too: a failure is a regression."),
    ]
    return functools.reduce(lambda wrapped, option: option(wrapped), reversed(options), function)


def judge(
    output: Output, again: Iterable[Again], manifest: Manifest, files: GateFiles, facts: dict[str, Any] | None = None
) -> int:
    """Judge what was measured as it comes, show it, and write it.

    Args:
        output: Where it is shown.
        again: What is judged; taken one after another, as each may be measured only then.
        manifest: With the thresholds.
        files: Where else it is written.
        facts: What else `--json` says.

    Returns:
        The exit status: 1 if anything got worse by more than it may, 4 if something dropped out.
    """
    from perflab.analysis import judge_regressions
    from perflab.cli.showing import show_regressions

    found = []
    for one in again:
        found.append(judge_regressions(one, manifest))
        if _STANDARD_OUTPUT not in (files.markdown, files.junit):
            show_regressions(output, found[-1])
    files.write(found)
    regressed = any(one.regressed for one in found)
    output.result({**(facts or {}), "regressed": regressed, "scenarios": [one.to_dict() for one in found]})
    if regressed:
        return 1
    return 4 if any(one.failures for one in found) else 0


def _write(name: str, data: bytes) -> None:
    if name == _STANDARD_OUTPUT:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        Path(name).write_bytes(data)
    except OSError as error:
        raise MissingError(f"cannot write {name}: {error.strerror}", "name another file") from None
