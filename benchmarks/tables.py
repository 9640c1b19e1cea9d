"""The tables of `decisive.py`: half widths, what is said of each pair, rates over rounds drawn anew."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from pairs import KINDS, PAIRS, TOOLS
from plan import LOADS, markdown

from perflab.stats.comparison import compare

if TYPE_CHECKING:
    from collections.abc import Iterable

_RESAMPLED = 200
_SLOWER = "slower"


def truth(kind: str, pair: str, shares: dict[str, float]) -> float:
    """Return the true ratio of the whole command."""
    more = int(KINDS[kind].amount(pair)) / 1000 - 1
    return 1 / (1 + more * shares.get(kind, KINDS[kind].share))


def tables(lines: list[dict[str, Any]]) -> str:
    """Return the tables in Markdown: what each tool makes of each program's pairs, and what is known of the truth."""
    calibrated = {line["calibrated"]: line for line in lines if "calibrated" in line}
    shares = {kind: line["share"] for kind, line in calibrated.items()}
    return "\n\n".join([_tools(lines, shares), _truths(calibrated)])


_OLD = "before"
_WHOLE = "-whole"


def _tools(lines: list[dict[str, Any]], shares: dict[str, float]) -> str:
    """Return a row for each program, load and tool; runs that used all of their time are the tool's, too."""
    heads = (
        *("program", "load", "tool", "half width, equal pair", "of the old build's", "equal called different"),
        *("2 % found", "3 % found", "truth inside", "wall time", "pairs ran"),
    )
    rows = []
    own = [{**one, "tool": one["tool"].removesuffix(_WHOLE), "kept": one["tool"]} for one in lines if "tool" in one]
    for (kind, load), cell in _cells(own, "program", "load"):
        by_tool = {tool: one for (tool,), one in _cells(cell, "tool")}
        for tool, one in by_tool.items():
            half = _half_width(one)
            words = {pair: [line["word"] for line in one if line["pair"] == pair] for pair in PAIRS}
            alarms = sum(word in {"faster", _SLOWER} for word in words["same"])
            found = [f"{words[pair].count(_SLOWER)} of {len(words[pair])}" for pair in ("plus2", "plus3")]
            true = [truth(kind, line["pair"], shares) for line in one]
            inside = sum(line["low"] <= ratio <= line["high"] for line, ratio in zip(one, true, strict=True))
            against = f"{half / _half_width(by_tool[_OLD]):.2f}" if _OLD in by_tool else ""
            rows.append([
                *(kind, load, tool, f"{half:.2%}", against, f"{alarms} of {len(words['same'])}", *found),
                f"{inside} of {len(one)}",
                f"{median(line['wall'] for line in one):.1f} s",
                ", ".join(sorted({str(line["way"]) for line in one if line.get("way")})),
            ])  # fmt: skip
    return markdown(heads, rows)


def _half_width(lines: list[dict[str, Any]]) -> float:
    """Return the median of the equal pair's half widths: where there are any, of runs that used all of their time."""
    same = [line for line in lines if line["pair"] == "same"]
    whole = [line for line in same if line["kept"].endswith(_WHOLE)]
    return median(line["half"] for line in whole or same or lines)


def _truths(calibrated: dict[str, dict[str, Any]]) -> str:
    rows = []
    for kind, line in calibrated.items():
        more = int(KINDS[kind].amount("plus2")) / 1000 - 1
        ends = (f"{1 + more * line[name]:.4f}" for name in ("low", "high"))
        rows.append(
            [kind, f"{line['share']:.3f}", f"{1 + more:.3f}", f"{1 + more * line['share']:.4f} [{', '.join(ends)}]"]
        )
    return markdown(["program", "time in proportion", "work of plus2", "its time"], rows)


def resampled(lines: list[dict[str, Any]]) -> str:
    """Return rates over rounds drawn anew from each trial's, moved so that the trial's estimate is the truth.

    They tell what intervals of such rounds are worth; what differs between runs, the trials themselves tell.
    """
    rng = np.random.default_rng(1)
    shares = {line["calibrated"]: line["share"] for line in lines if "calibrated" in line}
    rows = []
    for (kind, load, tool, pair), cell in _cells(
        [line for line in lines if line.get("rounds")], "program", "load", "tool", "pair"
    ):
        true = truth(kind, pair, shares)
        said = [one for line in cell for one in _drawn(line, true, rng)]
        words = sum(word == _SLOWER if PAIRS[pair] else word in {"faster", _SLOWER} for word, _, _ in said)
        inside = sum(low <= true <= high for _, low, high in said)
        rows.append([kind, load, tool, pair, str(len(said)), f"{words / len(said):.1%}", f"{inside / len(said):.1%}"])
    return markdown(["program", "load", "tool", "pair", "drawn", "called different", "truth inside"], rows)


def _drawn(line: dict[str, Any], true: float, rng: np.random.Generator) -> list[tuple[str, float, float]]:
    base, other = np.asarray(line["rounds"], dtype=float).T
    other *= line["ratio"] / true
    said = []
    for _ in range(_RESAMPLED):
        drawn = rng.integers(0, len(base), len(base))
        values = {"base": base[drawn].tolist(), "other": other[drawn].tolist()}
        (one,) = compare(
            values,
            "base",
            "time",
            "ns",
            "lower",
            target_half_width=line["target"],
            sequential=line["sequential"],
            robust=bool(line["way"]),
        )
        if one.estimate and one.estimate.interval:
            said.append((one.verdict, *one.estimate.interval))
    return said


def _cells(lines: Iterable[dict[str, Any]], *names: str) -> list[tuple[tuple[str, ...], list[dict[str, Any]]]]:
    """Group trials by these, in the order of programs, loads, tools and pairs."""
    order = {name: place for place, name in enumerate([*KINDS, *LOADS, *TOOLS, *PAIRS])}
    found = defaultdict(list)
    for line in lines:
        if "tool" in line:
            found[tuple(line[name] for name in names)].append(line)
    return sorted(found.items(), key=lambda cell: [order[name] for name in cell[0]])
