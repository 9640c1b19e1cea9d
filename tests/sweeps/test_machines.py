"""What is made of a cluster's points: each counts once, with the machine that measured it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from clustersweep import HEADER
from runs import HEADER as RUN
from runs import MACHINE, write_run

from perflab import __version__
from perflab.host.git import Revision
from perflab.measure import cluster_worker
from perflab.measure.cluster import Order
from perflab.measure.sweep import collect
from perflab.model.errors import MissingError
from perflab.model.protocol import Parameter
from perflab.store.sweeps import PointRecord, keep_point, start_sweep
from perflab.topics.build import sources_print

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.measure.sweep import SweepResult
    from perflab.topics.catalogue import Component


SCENARIO = msgspec.structs.replace(RUN.scenario, parameters=[Parameter("size", "int", 1)])
MEASURED = msgspec.structs.replace(RUN, scenario=SCENARIO)


def swept(results: Path, *lines: tuple[int, str, str, str]) -> SweepResult:
    """A sweep with these lines: size, host, run, and why there is none."""
    sweep = start_sweep(HEADER, results)
    for size, host, run, why in lines:
        if run:
            write_run(results, name=run, header=msgspec.structs.replace(MEASURED, params={"size": size}))
        keep_point(
            sweep, PointRecord({"size": size}, f"{MACHINE.id}@{host}", run=run, why=why, host=host, title="a machine")
        )
    return collect(sweep)


def test_a_commit_that_is_unknown_on_a_side_is_said_once_and_no_other_is_taken(
    toy: Component, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = msgspec.structs.replace(HEADER, component="toy")
    asked = Order(header, {}, __version__, "a" * 40, sources_print(toy))
    notes: list[str] = []
    monkeypatch.setattr(cluster_worker, "_unknown", set())
    for _ in range(2):
        monkeypatch.setattr(cluster_worker, "_REVISION", Revision())
        cluster_worker.check_same(toy.lab, asked, notes.append)
    assert [note.partition(":")[0] for note in notes] == ["its revision of the lab is unknown"]
    monkeypatch.setattr(cluster_worker, "_REVISION", Revision("b" * 40))
    cluster_worker.check_same(toy.lab, msgspec.structs.replace(asked, commit=""), notes.append)
    assert [note.partition(":")[0] for note in notes[1:]] == ["the sweep's revision of the lab is unknown"]
    with pytest.raises(MissingError, match="another revision"):
        cluster_worker.check_same(toy.lab, asked, notes.append)


def test_a_point_that_two_machines_have_measured_counts_once(tmp_path: Path) -> None:
    found = swept(tmp_path, (1, "left", "first", ""), (2, "right", "second", ""), (1, "right", "again", ""))
    assert [(one.params["size"], one.analysis.run.id) for one in found.points] == [(1, "first"), (2, "second")]
    assert [one.params["size"] for one in found.unplaced] == [3]
    assert found.to_dict()["missing"] == [{"params": {"size": 3}, "why": "not measured yet", "machine": {}}]


def test_what_failed_on_one_machine_and_was_measured_on_another_is_not_missing(tmp_path: Path) -> None:
    found = swept(tmp_path, (1, "left", "", "no heat"), (2, "left", "", "no heat"), (1, "right", "first", ""))
    assert [(one.params["size"], one.machine) for one in found.points] == [(1, f"{MACHINE.id}@right")]
    assert [(one.params["size"], one.machine, one.why) for one in found.missing] == [
        (2, f"{MACHINE.id}@left", "no heat"),
        (3, "", "not measured yet"),
    ]
    assert found.on(f"{MACHINE.id}@right").missing == []


def test_machines_of_one_model_stay_apart_and_one_that_has_nothing_is_not_shown(tmp_path: Path) -> None:
    found = swept(
        tmp_path,
        (1, "left", "first", ""),
        (2, "right", "second", ""),
        (3, "left", "third", ""),
        (3, "idle", "fourth", ""),
    )
    assert list(found.machines) == [f"{MACHINE.id}@left", f"{MACHINE.id}@right"]
    assert [one["machine"]["host"] for one in found.to_dict()["points"]] == ["left", "left", "right"]
    assert [one.params["size"] for one in found.on(f"{MACHINE.id}@left").points] == [1, 3]
    assert {one["machine"]["id"] for one in found.to_dict()["points"]} == {MACHINE.id}
