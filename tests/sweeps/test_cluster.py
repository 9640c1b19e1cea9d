"""Sweeps on a Dask cluster of this process: each point is measured once, and a foreign answer is not kept."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from kettles import measured, parameters
from runs import HEADER, MACHINE, write_run

from perflab.measure import cluster
from perflab.measure.cluster import Answer, read_answer
from perflab.model.errors import BenchError
from perflab.model.lab import Lab
from perflab.model.protocol import Scenario
from perflab.store.kept import pack_run
from perflab.store.records import Arm

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import Here

distributed = pytest.importorskip("distributed")

TWO = ("kettle", "-v", "plain", "-v", "wide", "--rounds", "2")


@pytest.fixture
def workers(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[distributed.LocalCluster]:
    """Two workers, with results of their own."""
    there = replace(here.lab, results=tmp_path / "there")
    monkeypatch.setattr(Lab, "from_environment", lambda: there)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, resources={"measuring": 1}, dashboard_address="127.0.0.1:0"
    ) as local:
        yield local


def test_each_point_is_measured_once_and_what_is_there_is_not_measured_again(
    here: Here, workers: distributed.LocalCluster, tmp_path: Path
) -> None:
    (tmp_path / "scheduler.json").write_text(json.dumps({"address": workers.scheduler_address}))
    swept = here.sweep(*TWO, "--over", "size=12..14:1", "--on", workers.scheduler_address, status=4)
    assert [point["params"]["size"] for point in swept["points"]] == [12, 14]
    (gap,) = swept["missing"]
    assert "nobody boils 13 litres" in gap["why"]
    assert {point["machine"]["host"] for point in swept["points"]} == {gap["machine"]["host"]}
    assert sorted(parameters(folder)["size"] for folder in here.runs()) == [12, 14]
    assert {folder.name for folder in here.runs()} < {folder.name for folder in measured(tmp_path / "there")}
    again = here.sweep("--resume", "latest", "--on", str(tmp_path / "scheduler.json"), status=4)
    assert again["points"] == swept["points"]
    assert len(here.runs()) == 2


def test_a_machine_that_cannot_take_part_ends_the_sweep_with_the_reason_and_the_way_to_go_on(
    here: Here, workers: distributed.LocalCluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    on = ("--on", workers.scheduler_address)
    monkeypatch.setattr(Lab, "from_environment", lambda: replace(here.lab, components=tmp_path / "empty"))
    said = here("sweep", *TWO, "--over", "size=1", *on, status=3).stderr
    assert "cannot take part: " in said
    assert "./lab sweep --resume" in said
    monkeypatch.setattr(Lab, "from_environment", lambda: replace(here.lab, results=tmp_path / "there"))
    assert here.sweep("--resume", "latest", *on)["missing"] == []


def test_without_a_scheduler_or_a_worker_it_says_what_to_start(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_WAIT_S", 0.0)
    point = (*TWO, "--over", "size=1", "--on")
    assert "cannot connect to the scheduler nowhere.json" in here("sweep", *point, "nowhere.json", status=3).stderr
    assert "certificates" in here("sweep", *point, "tls://127.0.0.1:1", status=3).stderr
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address="127.0.0.1:0") as local:
        said = here("sweep", *point, local.scheduler_address, status=3).stderr
    assert 'dask worker ADDRESS --no-nanny --nthreads 1 --resources "measuring=1"' in said


ARMS = [msgspec.structs.replace(arm, params={"of": f"./{arm.label}"}) for arm in HEADER.arms]
PLANNED = msgspec.structs.replace(
    HEADER, params={"size": 1}, arms=ARMS, options={"rounds": 3, "pilot": 0.05}, reproduction=False
)
FIRST, SECOND = ARMS
LIES: dict[str, dict[str, Any]] = {
    "another point": {"params": {"size": 4}},
    "no point": {"params": {}},
    "another component": {"component": "cups"},
    "another scenario": {"scenario": Scenario("product", "a product", "ns", "lower")},
    "another variant": {"arms": [FIRST, msgspec.structs.replace(SECOND, variant="c")]},
    "another label": {"arms": [FIRST, msgspec.structs.replace(SECOND, label="c")]},
    "other parameters of a variant": {"arms": [msgspec.structs.replace(FIRST, params={"size": 4}), SECOND]},
    "one more variant": {"arms": [FIRST, SECOND, Arm("b size=4", "b", "after", params={"size": 4})]},
    "another baseline": {"baseline": "b"},
    "another preset": {"preset": "another"},
    "another seed": {"seed": 2},
    "a run that claims may rest on": {"reproduction": True},
    "a run that measures how alike two runs are": {"kind": "noise"},
    "a plug-in": {"plugin": "other.so"},
    "other rounds": {"planned": {"rounds": 1000, "pilot": 0.05}},
}


def answer(folder: Path, **changes: Any) -> bytes:  # noqa: ANN401 - fields of a header
    """Pack a run whose forks needed another length than planned."""
    fitted = {"options": {"rounds": 3, "pilot": 0.0}, "planned": PLANNED.options}
    run = write_run(folder, header=msgspec.structs.replace(PLANNED, **{**fitted, **changes}), machine=MACHINE)
    return msgspec.msgpack.encode(Answer("left", "a machine", pack_run(run)))


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_the_run_of_something_else_is_refused(tmp_path: Path, lie: dict[str, Any]) -> None:
    assert read_answer(answer(tmp_path / "honest"), PLANNED).host == "left"
    with pytest.raises(BenchError, match="the run of something else"):
        read_answer(answer(tmp_path / "lying", **lie), PLANNED)


def test_an_answer_without_end_or_of_another_form_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in (b"\x93", msgspec.msgpack.encode(Answer("left\x1b[2J", "a machine", failed="no"))):
        with pytest.raises(msgspec.MsgspecError):
            read_answer(wrong, PLANNED)
    with pytest.raises(BenchError, match="empty"):
        read_answer(msgspec.msgpack.encode(Answer("left", "a machine")), PLANNED)
    monkeypatch.setattr(cluster, "_MOST_BYTES", 2**20)
    with pytest.raises(BenchError, match="MiB"):
        read_answer(bytes(2**20 + 1), PLANNED)
