"""The tables of benchmarks/decisive.py, from lines as trials keep them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pairs import KINDS
from rivals import read_benchstat
from tables import resampled, tables, truth

NODE, GO = "objects (Node)", "collect (Go)"


def line(tool: str, pair: str, ratio: float, half: float, word: str, **more: object) -> dict[str, Any]:
    cell = {"trial": 0, "program": GO, "pair": pair, "load": "quiet", "tool": tool, "ratio": ratio, "half": half}
    return cell | {"low": ratio - half, "high": ratio + half, "word": word, "wall": 12.0, **more}


def rows(said: str) -> list[list[str]]:
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in said.splitlines() if row.startswith("| ")]


def test_half_widths_are_medians_of_the_equal_pair_beside_the_old_build() -> None:
    lines = [line("before-whole", "same", 1, half, "no difference") for half in (0.03, 0.04, 0.09)]
    lines += [line("perflab-whole", "same", 1, 0.01, "no difference", way="sliced")]
    lines += [line("perflab-whole", "plus2", 1, 0.5, "inconclusive"), line("perflab", "same", 1, 0.5, "inconclusive")]
    found = {row[2]: [*row[3:6], *row[9:]] for row in rows(tables(lines)) if row[0] == GO}
    assert found["perflab"] == ["1.00%", "0.25", "0 of 2", "12.0 s", "sliced"]
    assert found["before"] == ["4.00%", "1.00", "0 of 3", "12.0 s", ""]


def test_the_wrong_direction_is_an_alarm_where_there_is_none_and_finds_nothing_elsewhere() -> None:
    lines = [
        line("perflab", "same", 1.03, 0.01, "faster"),
        line("perflab", "same", 1, 0.01, "no difference"),
        line("perflab", "plus2", 0.98, 0.01, "slower"),
        line("perflab", "plus2", 1.02, 0.01, "faster"),
        line("perflab", "plus3", 0.97, 0.01, "inconclusive"),
    ]
    (found,) = (row for row in rows(tables(lines)) if row[0] == GO)
    assert found[5:9] == ["1 of 2", "1 of 2", "0 of 1", "3 of 5"]


def test_the_truth_is_that_of_the_whole_command() -> None:
    more = int(KINDS[NODE].amount("plus2")) / 1000 - 1
    assert truth(NODE, "plus2", {}) == pytest.approx(1 / 1.02, abs=0.0005)
    assert truth(NODE, "plus2", {NODE: 0.5}) == 1 / (1 + more / 2)
    assert truth(NODE, "same", {NODE: 0.5}) == 1
    calibrated = {"calibrated": NODE, "share": 0.5, "low": 0.4, "high": 0.6}
    assert f"{1 + more / 2:.4f} [{1 + more * 0.4:.4f}, {1 + more * 0.6:.4f}]" in tables([calibrated])


def test_rounds_that_are_drawn_anew_have_the_truth_as_their_estimate() -> None:
    rounds = [[130 + step % 7, 100 + step % 5] for step in range(40)]
    ratio = np.exp(np.mean([np.log(base / other) for base, other in rounds]))
    kept = {"rounds": rounds, "target": None, "sequential": 0, "way": ""}
    ((*_, drawn, called, inside),) = rows(resampled([line("perflab", "same", ratio, 0.1, "slower", **kept)]))[1:]
    assert drawn == "200"
    assert float(called.rstrip("%")) < 15
    assert float(inside.rstrip("%")) > 85
    still = {"rounds": [[100, 150], [100, 150], [100, 150]], "target": None, "sequential": 0, "way": ""}
    assert rows(resampled([line("perflab", "plus2", 2 / 3, 0.1, "slower", **still)]))[1][-2] == "100.0%"


def test_what_benchstat_prints_is_read() -> None:
    head = "goos: linux\n,a,,b,,,\n,sec/op,CI,sec/op,CI,vs base,P\n"
    said = read_benchstat(f"{head}Work-2,2e-05,3%,2.5e-05,4%,+25.00%,p=0.000 n=10\ngeomean,2e-05,,2.5e-05,,+25.00%\n")
    assert (said.word, said.ratio, said.low) == ("slower", 0.8, pytest.approx(0.8 * 0.95))
    assert read_benchstat(f"{head}Work-2,2e-05,∞,2e-05,4%,~,p=0.9 n=3\n").word == "no difference"
