"""What is on disk of a command that is under way, or was stopped: the console sees it while nothing is said."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from labs import FIXTURES, Lab

from perflab.charts.chart import PLOTLY
from perflab.cli.console.jobs import newest_run, newest_sweep
from perflab.cli.console.results import remains
from perflab.model.lab import Lab as InProcess
from perflab.store.sweeps import find_sweep

if TYPE_CHECKING:
    from pathlib import Path

TWO = ("-v", "steel", "-v", "copper")
_POINTS = 4


@pytest.fixture(scope="module")
def cut_short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a sweep of which the second half has not been measured."""
    lab = Lab(tmp_path_factory.mktemp("swept"), PERFLAB_COMPONENTS=str(FIXTURES / "tuning"))
    lab("sweep", "kettle", "-s", "boil", *TWO, "--over", "level=1..8")
    (points,) = lab.results.glob("sweeps/*/points.jsonl")
    lines = points.read_bytes().splitlines(keepends=True)
    assert len(lines) == _POINTS
    points.write_bytes(b"".join(lines[:2]))
    return lab.results


def lab_of(results: Path) -> InProcess:
    return replace(InProcess.from_environment(), components=FIXTURES / "tuning", results=results)


def test_of_a_stopped_sweep_its_points_are_left_and_what_is_missing(cut_short: Path) -> None:
    left = remains(lab_of(cut_short), "sweep", 0)
    assert left is not None
    assert left.result["sweep"] == find_sweep("latest", cut_short).id
    assert len(left.result["points"]) == 2
    assert [one["why"] for one in left.result["missing"]] == ["not measured yet"] * 2
    titles = [json.loads(json.dumps(chart[PLOTLY]))["layout"]["title"]["text"] for chart in left.charts]
    assert len(titles) == 2, "the values, and the factors"
    assert all("over level" in title for title in titles)


def test_of_a_stopped_measurement_its_rounds_are_left(cut_short: Path) -> None:
    left = remains(lab_of(cut_short), "measure", 0)
    assert left is not None
    run = newest_run(0, cut_short)
    assert run is not None
    assert left.result["run"] == run.id
    assert [one["candidate"] for one in left.result["comparisons"]] == ["copper"]
    assert len(left.charts) == 1


def test_of_a_stopped_search_nothing_is_left_since_trials_only_choose(cut_short: Path) -> None:
    assert remains(lab_of(cut_short), "search", 0) is None


def test_what_began_before_is_somebody_elses(cut_short: Path, tmp_path: Path) -> None:
    sweep = newest_sweep(0, cut_short)
    assert sweep is not None
    begun = datetime.fromisoformat(sweep.header.created).timestamp()
    assert newest_sweep(begun, cut_short) is not None
    assert newest_sweep(time.time() + 60, cut_short) is None
    assert newest_run(time.time() + 60, cut_short) is None
    assert remains(lab_of(cut_short), "sweep", time.time() + 60) is None
    assert newest_sweep(0, tmp_path) is None
    assert newest_run(0, tmp_path) is None
