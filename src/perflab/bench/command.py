"""Whole commands, and programs that print a figure."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from perflab.bench.interface import Harness, check_number, sample
from perflab.bench.shell import shell_of, split
from perflab.model.errors import BenchError, UsageError, one_line
from perflab.model.names import is_unicode
from perflab.model.protocol import LARGEST_FIGURE, LONGEST_TEXT, Metric, Scenario

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.bench.interface import Ended, Shape
    from perflab.model.protocol import Better, ParameterValue, Sample


_USED = [
    Metric("cpu", "counter:cpu-ns/op", "ns/run", "lower"),
    Metric("memory", "counter:peak-bytes/op", "B", "lower"),
]
_LONG = re.compile(rb"[^\n]{%d,}" % LONGEST_TEXT)
"""Lines too long to search: a pattern that begins with `[0-9]*` takes quadratic time on digits."""


class Commands(Harness):
    """Whole commands: wall time, the processors' time, and the memory of the largest of their processes.

    Commands are started as they are if none needs a shell, else all of them by the same one.
    """

    about = "whole commands"
    scenario = Scenario("time", "a run of the whole command", "ns/run", "lower", metrics=_USED)
    whole = True
    reads_output = False

    def __init__(self, *, ignores_failure: bool = False, shell: str | None = None) -> None:
        self.ignores_failure = ignores_failure
        self._option = shell
        self._shell: list[str] = []
        self.options: dict[str, ParameterValue] = {"ignore-failure": True} if ignores_failure else {}

    def choose_shell(self, commands: Sequence[str], others: Sequence[str] = ()) -> list[str]:
        """Choose the shell as `shell_of` does, and return its notes."""
        self._shell, notes = shell_of(self._option, commands, others)
        if self._shell or self._option:
            self.options["shell"] = shlex.join(self._shell) or "none"
        return notes

    def benchmarks(self, target: str) -> list[str]:
        """Return the command itself."""
        return [target]

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:  # noqa: ARG002 - it lasts as long as it does
        """Return the words that start a command."""
        words = split(benchmark) if not self._shell or not benchmark.strip() else [benchmark]
        return [*self._shell, "-c", *words] if self._shell else words

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:  # noqa: ARG002 - the whole run is one
        """Return a single sample of one operation."""
        return [sample(0, 1, ended.wall_s * 1e9, _counters(ended))]


class Pattern(Commands):
    """Commands that print a figure, which the first group of a regular expression finds; each match is a sample.

    Args:
        pattern: The expression.
        unit: The figure's; without one, what stands behind the group in the expression.
        better: Which figures are better; without it, higher ones of units per second.
        ignores_failure: See `Harness`.
        shell: See `shell_of`.
    """

    about = "programs that print a figure"
    reads_output = True

    def __init__(
        self,
        pattern: str,
        unit: str | None = None,
        better: Better | None = None,
        *,
        ignores_failure: bool = False,
        shell: str | None = None,
    ) -> None:
        super().__init__(ignores_failure=ignores_failure, shell=shell)
        told = {"pattern": pattern, "unit": unit, "better": better}
        self.options |= {name: value for name, value in told.items() if value is not None}
        if not is_unicode(pattern) or not is_unicode(unit or ""):
            raise UsageError("the pattern or its unit is not valid UTF-8", "leave those bytes out")
        try:
            self._pattern = re.compile(pattern.encode())
        except (re.error, OverflowError, RecursionError) as error:
            raise UsageError(
                f"the pattern {one_line(pattern)!r} is no regular expression: {error}", "see --help"
            ) from None
        if not self._pattern.groups:
            raise UsageError(
                f"the pattern {one_line(pattern)!r} has no group", "put the figure in parentheses: '([0-9.]+) ns/op'"
            )
        if unit is None:
            behind = re.search(r"\)\s*([A-Za-zµ%][\w/%]*)$", pattern)
            unit = behind[1] if behind else ""
        better = better or ("higher" if unit.endswith("/s") else "lower")
        self.scenario = Scenario(
            "figure", "the figure it prints", unit, better, metric="counter:figure/op", metrics=_USED
        )

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:  # noqa: ARG002 - as many as it prints
        """Return a sample per match, with the process's resources divided among them."""
        lines = _LONG.sub(lambda line: line[0][:LONGEST_TEXT], ended.output)
        found = [match[1] for match in self._pattern.finditer(lines)]
        if not found:
            raise BenchError("the pattern matches nothing that it printed", "run it by hand, and see what it prints")
        check_number(len(found))
        used = {name: value / len(found) for name, value in _counters(ended).items()}
        # Peak memory cannot be divided.
        used |= {name: value for name, value in _counters(ended).items() if name == "peak-bytes"}
        ns = ended.wall_s * 1e9 / len(found)
        return [sample(i, 1, ns, {"figure": _number(text), **used}) for i, text in enumerate(found)]


def _number(text: bytes | None) -> float:
    said = (text or b"").decode("utf-8", "replace")
    try:
        found = float(said.replace(",", ""))
    except ValueError:
        raise BenchError(f"the pattern finds {one_line(said)[:80]!r}, which is no number", "narrow its group") from None
    if not abs(found) <= LARGEST_FIGURE:
        raise BenchError(f"it gives {found:g} for figure", "see its own output")
    return found


def _counters(ended: Ended) -> dict[str, float]:
    """Return the resources the process used, as far as the system reports them."""
    usage, found = ended.usage, {}
    if "os:user_s" in usage:
        found["cpu-ns"] = (usage["os:user_s"] + usage["os:system_s"]) * 1e9
    if "os:max_rss_bytes" in usage:
        found["peak-bytes"] = usage["os:max_rss_bytes"]
    return found
