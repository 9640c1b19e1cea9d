"""A run sent from one store to another is the same run, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from runs import HEADER, write_run

from perflab.model.errors import StoreError
from perflab.store.kept import pack_run, unpack_run
from perflab.store.runs import find_runs

if TYPE_CHECKING:
    from pathlib import Path


def test_it_arrives_whole_and_a_second_time_changes_nothing(tmp_path: Path) -> None:
    run = write_run(tmp_path / "there")
    files = pack_run(run)
    arrived = unpack_run(files, tmp_path / "here")
    assert arrived.header == run.header
    assert arrived.ending == run.ending
    np.testing.assert_equal(arrived.samples(), run.samples())
    np.testing.assert_equal(arrived.forks(), run.forks())
    assert {path.name for path in arrived.folder.iterdir()} == {path.name for path in run.folder.iterdir()}
    assert unpack_run(files, tmp_path / "here").folder == arrived.folder
    assert len(find_runs(tmp_path / "here")) == 1


def test_another_run_of_that_name_is_not_overwritten(tmp_path: Path) -> None:
    here = write_run(tmp_path / "here", cpu="mine")
    there = write_run(tmp_path / "there", cpu="theirs")
    with pytest.raises(StoreError, match="another run is called"):
        unpack_run(pack_run(there), tmp_path / "here")
    assert find_runs(tmp_path / "here")[0].header.machine == here.header.machine


def test_what_is_no_run_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    files = pack_run(write_run(tmp_path / "there"))
    for wrong in (
        {},
        {"run.json": b"{}"},
        {**files, "../../escape": b""},
        {**files, "run.json": files["run.json"].replace(HEADER.id.encode(), b"../escape")},
    ):
        with pytest.raises(StoreError, match="no run"):
            unpack_run(wrong, tmp_path / "here")
    assert not list((tmp_path / "here").rglob("*")) if (tmp_path / "here").exists() else True


def test_an_arrival_that_was_cut_off_is_no_run_and_is_made_good(tmp_path: Path) -> None:
    files = pack_run(write_run(tmp_path / "there"))
    draft = tmp_path / "here" / "arriving" / HEADER.id
    draft.mkdir(parents=True)
    (draft / "run.json").write_bytes(files["run.json"])
    assert find_runs(tmp_path / "here") == []
    assert unpack_run(files, tmp_path / "here").samples().rows == 20
