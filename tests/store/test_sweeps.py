"""Sweeps on disk: cut short anywhere, written by two, and read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perflab.model.errors import UsageError
from perflab.store.kept import PointRecord, SweepHeader, find_sweep, keep_point, open_sweep, start_sweep

if TYPE_CHECKING:
    from pathlib import Path

HEADER = SweepHeader(
    id="20260101-000000-toy-sum-sweep-0000",
    created="2026-01-01T00:00:00+00:00",
    component="toy",
    scenario="sum",
    variants=["plain"],
    baseline="plain",
    over={"size": [1, 2], "heat": [1.0, True]},
    params={"kind": "a"},
    preset="smoke",
    options={"samples": 2, "half_width": 1.0},
    seed=1,
    perflab="0",
)


def point(size: int, run: str = "", *, why: str = "") -> PointRecord:
    return PointRecord({"size": size, "heat": 1.0}, "m", run=run, why=why)


def test_it_reads_back_as_it_was_with_whole_numbers_whole(tmp_path: Path) -> None:
    start_sweep(HEADER, tmp_path)
    found = find_sweep("latest", tmp_path)
    assert found.header == HEADER
    assert type(found.header.options["samples"]) is int
    assert [type(one) for values in found.header.over.values() for one in values] == [int, int, float, bool]


def test_wherever_its_file_is_cut_the_points_before_are_kept_and_later_ones_are_not_swallowed(tmp_path: Path) -> None:
    sweep = start_sweep(HEADER, tmp_path)
    keep_point(sweep, point(1, "first"))
    path = sweep.folder / "points.jsonl"
    line = path.read_bytes()
    keep_point(sweep, point(2, "second"))
    whole = path.read_bytes()
    for cut in range(len(line), len(whole)):
        path.write_bytes(whole[:cut])
        found = find_sweep(HEADER.id, tmp_path)
        assert found.run_of(point(1).params) == "first"
        keep_point(found, point(2, "again"))
        assert find_sweep(HEADER.id, tmp_path).run_of(point(2).params) in {"again", "second"}


def test_a_point_counts_once_and_a_later_failure_does_not_undo_it(tmp_path: Path) -> None:
    sweep = start_sweep(HEADER, tmp_path)
    keep_point(sweep, point(1, why="busy"))
    keep_point(sweep, point(1, "first"))
    keep_point(sweep, point(1, "second"))
    keep_point(sweep, point(1, why="lost"))
    found = open_sweep(HEADER, tmp_path)
    assert [one.run for one in found.records.values()] == ["second"]


def test_a_sweep_is_found_by_a_part_of_its_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are no sweeps yet"):
        find_sweep("latest", tmp_path)
    start_sweep(HEADER, tmp_path)
    assert find_sweep("toy-sum", tmp_path).id == HEADER.id
    with pytest.raises(UsageError, match="no sweep 'toy-sun'"):
        find_sweep("toy-sun", tmp_path)
