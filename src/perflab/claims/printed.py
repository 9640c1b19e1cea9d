"""Find the tables in printed output: with pipes or boxes, in columns, and in lists without heads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perflab.claims.tables import Row, Table, is_rate, read_cell
from perflab.model.units import units_in

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOXES = str.maketrans({"│": "|", "┃": "|", "║": "|"} | dict.fromkeys("─━═┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝", "-"))
_BETWEEN = re.compile(r"\s*:\s+|\s{2,}|\t")
_GO = re.compile(r"Benchmark(\S+?)(?:-\d+)?\s+(?:\d+\s+)?(?=\S+ ns/op)(.*)")
_CRITERION = re.compile(r"(.*?)\s*time:\s+\[\S+ \S+ (\S+ \S+) \S+ \S+\]")
_BENCHMARK_JS = re.compile(r"(.+?)\s+x\s+([\d,.]+ ops/sec)\b.*")
_HYPERFINE = re.compile(r"Benchmark #?\d+: (.+)\n *Time \(mean[^)]*\): +(\S+ \S+)")
_SIGNIFICANCE = re.compile(r"\s*\((?:p=|all equal)[^()]*\)")
_ERROR = re.compile(r"\s*(?:±|\+/-)\s*")


def printed_tables(text: str, first: int, heading: str) -> Iterator[Table]:
    """Yield the tables in a block of output, whose first line has this number.

    Lists without heads are those of Go, Criterion, Benchmark.js and hyperfine, and others that have a time or rate in
    their first line.
    """
    commands = list(_HYPERFINE.finditer(text))
    lines = [first + text.count("\n", 0, one.start()) for one in commands]
    if commands:
        rows = [Row([*one.groups()], at, at + 1) for one, at in zip(commands, lines, strict=True)]
        yield Table(["Command", "Time"], rows, heading)
        return
    head: list[str] = []
    rows = []
    for number, line in enumerate([*text.translate(_BOXES).split("\n"), ""], first):
        bare = _SIGNIFICANCE.sub("", line).strip()
        if bare and set(bare) <= set("|-:=+ "):
            continue
        cells = _cells(bare, len(head))
        if not head or len(cells) != len(head):
            if rows and (len(rows) > 1 or any(head)):
                yield Table(head, rows, heading)
            head, rows = [], []
            if any(is_rate(one) for one in cells[1:]):
                head = [""] * len(cells)
            elif cells[1:] and not (read_cell(cells[1]) and not cells[2:]):
                head = cells
                continue
        elif not rows and any(_are_alike(*both) for both in zip(head, cells, strict=True)):
            head = []  # it was the first row of a table of something else
        if head:
            rows.append(Row(cells, number, number))


def _cells(line: str, width: int) -> list[str]:
    """Split a line into cells: by pipes, or where two blanks are."""
    if found := _GO.fullmatch(line):
        return [found[1], *re.findall(r"\S+ \S+", found[2])]
    if found := _CRITERION.fullmatch(line) or _BENCHMARK_JS.fullmatch(line):
        return [found[1], found[2]]
    if line.startswith("|"):
        return [one.strip() for one in line.strip("|").split("|")]
    # The error goes with the score, unless it has a column of its own, as JMH's has.
    cells = [one for one in _BETWEEN.split(_ERROR.sub(" ± ", line)) if one]
    apart = [one for one in _BETWEEN.split(_ERROR.sub("  ", line)) if one]
    return apart if len(apart) == width else cells


def _are_alike(cell: str, other: str) -> bool:
    one, two = read_cell(cell), read_cell(other)
    return bool(one and two and one.unit and two.unit and units_in(one.unit, two.unit))
