"""Whole commands, and programs that print a figure."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from perflab.bench.interface import Harness, check_number, sample
from perflab.bench.shell import SHELL, shell_of, split
from perflab.model.errors import BenchError, UsageError, one_line
from perflab.model.names import is_unicode
from perflab.model.protocol import LARGEST_FIGURE, LONGEST_TEXT, Metric, Scenario
from perflab.model.units import (
    PREFIXES,
    AmbiguousNumberError,
    decimal_sign,
    direction,
    is_measured,
    longest_unit,
    parse_number,
    units_in,
)

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

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
    cpu = "counter:cpu-ns/op"
    scenario = Scenario("time", "a run of the whole command", "ns/run", "lower", metrics=_USED)
    whole = True
    counted_in = ({},)
    reads_output = False

    def __init__(self, *, ignored: Container[int] = ()) -> None:
        self.ignored = ignored
        self._shell: list[str] = []
        self._outer = [SHELL]
        self.options: dict[str, ParameterValue] = {}

    def choose_shell(self, option: str | None, commands: Sequence[str], others: Sequence[str]) -> list[str]:
        """Choose the shell as `shell_of` does, and return its notes."""
        self._shell, notes = shell_of(option, commands, others)
        self._outer = [] if option == "none" else self._shell or [SHELL]
        if self._shell or option:
            self.options["shell"] = shlex.join(self._shell) or "none"
        return notes

    def outer(self, text: str) -> list[str]:
        """Return the words that start what runs before or after a command: in a shell, if any is allowed."""
        return [*self._outer, "-c", text] if self._outer else split(text)

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

    A unit or prefix that the program prints right behind the figure counts: `900 us` and `1.2 ms`, `IOPS=12.3k`.

    Args:
        pattern: The expression.
        unit: The figure's; without one, what stands behind the group in the expression, or before it (`IOPS=`).
        better: Which figures are better, if the unit does not tell.
        decimal: The decimal sign, `.` or `,`, if the figures do not tell.
        ignored: See `Harness`.
    """

    about = "programs that print a figure"
    cpu = ""
    reads_output = True

    def __init__(
        self,
        pattern: str,
        unit: str | None = None,
        better: Better | None = None,
        decimal: str | None = None,
        *,
        ignored: Container[int] = (),
    ) -> None:
        super().__init__(ignored=ignored)
        told = {"pattern": pattern, "unit": unit, "better": better, "decimal": decimal}
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
        self._unit = _unit_beside(pattern) if unit is None else unit
        self._decimal, self._printed = decimal, self._unit
        better = better or direction(self._unit)
        if better is None:
            of = f"{self._unit!r} does" if self._unit else "the pattern has no unit, which would"
            raise UsageError(f"is more or less better? {of} not tell", "say --better higher, or lower")
        self.scenario = Scenario(
            "figure", "the figure it prints", self._unit, better, metric="counter:figure/op", metrics=_USED
        )

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:  # noqa: ARG002 - as many as it prints
        """Return a sample per match, with the process's resources divided among them."""
        lines = _LONG.sub(lambda line: line[0][:LONGEST_TEXT], ended.output)
        found = list(self._pattern.finditer(lines))
        if not found:
            raise BenchError("the pattern matches nothing that it printed", "run it by hand, and see what it prints")
        check_number(len(found))
        # One process may tell by another figure, and then it is so for all.
        self._decimal = self._decimal or decimal_sign(lines.decode("utf-8", "replace"))
        used = {name: value / len(found) for name, value in _counters(ended).items()}
        # Peak memory cannot be divided.
        used |= {name: value for name, value in _counters(ended).items() if name == "peak-bytes"}
        ns = ended.wall_s * 1e9 / len(found)
        return [sample(i, 1, ns, {"figure": self._figure(one), **used}) for i, one in enumerate(found)]

    def _figure(self, match: re.Match[bytes]) -> float:
        text = (match[1] or b"").decode("utf-8", "replace")
        said = one_line(text)[:80]
        try:
            value = parse_number(text, self._decimal)
        except AmbiguousNumberError as error:
            raise BenchError(f"the pattern finds a number that {error}", "say --decimal . or --decimal ,") from None
        except ValueError:
            raise BenchError(f"the pattern finds {said!r}, which is no number", "narrow its group") from None
        behind = _BEHIND.match(match.string[match.end(1) : match.end(1) + _LONGEST_UNIT].decode("utf-8", "replace"))
        value *= self._times(behind["unit"], said) if behind else 1
        if not abs(value) <= LARGEST_FIGURE:
            raise BenchError(f"it gives {value:g} for figure", "see its own output")
        return value

    def _times(self, printed: str, figure: str) -> float:
        """Return by how much to multiply a figure with this text right behind it, to have it in the unit."""
        first, *others = printed.split(" ")
        unit = longest_unit(" ".join([first, *others[:number]]) for number in range(len(others) + 1))
        if not unit:
            return PREFIXES.get(first, 1) / (PREFIXES.get(self._unit.split(" ")[0], 1) if first in PREFIXES else 1)
        self._printed = self._printed or unit
        times = units_in(unit, self._printed)
        if times is None and is_measured(unit) and is_measured(self._printed):
            raise BenchError(f"the program prints {figure} {unit}, which is not in {self._printed}", "say --unit")
        return times or 1


_BEHIND = re.compile(r"(?![ \t](?:min|h|d)\b)[ \t]?(?P<unit>[^\W\d][\w/]*(?: [^\W\d][\w/]*){0,3}|%)")
"""A word behind a figure. `5 min` may be a minimum."""
_LONGEST_UNIT = 40
_BLANKS = re.compile(r"(?:\\s|\\t|\\ | |\[ \])[*+?]?")
_PLAIN = re.compile(r"(?:\(\?:|\()?((?:[^\\()|.*+?{}$^\[]|\\\W)*)")
"""The beginning of an expression that means itself."""
_WORDS = re.compile(r"[^\W\d][\w/%µ.^-]*|%")


def _unit_beside(pattern: str) -> str:
    """Return the unit that an expression has behind its first group, or in front of it; empty if none."""
    begin, end = _first_group(pattern)
    plain = _PLAIN.match(_BLANKS.sub(" ", pattern[end:]))
    behind = re.sub(r"\\(\W)", r"\1", plain[1]) if plain else ""
    first = _WORDS.findall(behind)
    last = _WORDS.findall(re.sub(r"\\[bBwWdD]|_", " ", _BLANKS.sub(" ", pattern[:begin])))
    found = longest_unit(" ".join(first[: number + 1]) for number in range(len(first))) or longest_unit(
        " ".join(last[-number - 1 :]) for number in range(len(last))
    )
    if found:
        return found
    return first[0] if first and _WORDS.match(behind.lstrip()) else ""


def _first_group(pattern: str) -> tuple[int, int]:
    """Return where the first capturing group of an expression, which is valid, begins and ends."""
    depth, opened = 0, -1
    for found in re.finditer(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?!\?(?!P<))|\(|\)", pattern, re.DOTALL):
        if found[0] == "(":
            captures = not pattern.startswith("(?", found.start()) or pattern.startswith("(?P<", found.start())
            if opened < 0 and captures:
                opened, inside = found.start(), depth
            depth += 1
        elif found[0] == ")":
            depth -= 1
            if opened >= 0 and depth == inside:
                return opened, found.end()
    return 0, len(pattern)


def _counters(ended: Ended) -> dict[str, float]:
    """Return the resources the process used, as far as the system reports them."""
    usage, found = ended.usage, {}
    if "os:user_s" in usage:
        found["cpu-ns"] = (usage["os:user_s"] + usage["os:system_s"]) * 1e9
    if "os:max_rss_bytes" in usage:
        found["peak-bytes"] = usage["os:max_rss_bytes"]
    return found
