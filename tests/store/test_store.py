"""A run on disk survives what machines do to files."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import numpy as np
import pytest
from runs import HEADER, sample, write_run

from perflab.host.machine import Load
from perflab.measure.analysis import analyse, compare_runs
from perflab.model.errors import MissingError, UsageError
from perflab.model.files import append_json_lines
from perflab.store.records import Ending
from perflab.store.runs import RunWriter, find_run, find_runs

if TYPE_CHECKING:
    from pathlib import Path


def test_what_was_written_is_read_back_sealed_and_raw(results: Path) -> None:
    run = write_run(results, rounds=3)
    sealed = run.samples()
    assert list(run.samples({"ns", "p:"})) == ["ns", "p:p50"]
    (run.folder / "samples.npz").unlink()
    raw = find_run(run.id, results).samples()
    np.testing.assert_equal(sealed, raw)
    assert [column.dtype for column in sealed.values()] == [column.dtype for column in raw.values()]
    assert list(sealed) == ["round", "variant", "i", "ops", "ns", "c:refused", "p:p50"]
    assert sealed.rows == 3 * 2 * 2
    assert run.notes == []


def test_numpy_reads_it_in_one_call(results: Path) -> None:
    run = write_run(results, rounds=2)
    with np.load(run.folder / "samples.npz", allow_pickle=False) as found:
        assert len(found["c:refused"]) == 8


def test_a_run_whose_tables_are_parquet_is_read_by_its_lines_and_without_them_refused(results: Path) -> None:
    run = write_run(results, rounds=2)
    for name in ("samples", "forks"):
        (run.folder / f"{name}.npz").rename(run.folder / f"{name}.parquet")
    assert analyse(run).rounds == 2
    assert run.notes == []
    for name in ("samples", "forks"):
        (run.folder / f"{name}.jsonl").unlink()
    with pytest.raises(UsageError, match="samples as Parquet alone") as refused:
        analyse(run)
    assert refused.value.hint == "put samples.jsonl beside it, or measure again"


def test_variants_may_have_columns_of_their_own(results: Path) -> None:
    writer = RunWriter(HEADER, results)
    writer.sample(0, "a", sample(counters={"refused": 1}))
    writer.sample(0, "b", sample(percentiles={"p99": 2.0}))
    writer.end(Ending("rounds", 1, 1.0, Load(0, 0)))
    rows = find_run("latest", results).samples()
    assert np.isnan(rows["c:refused"]).tolist() == [False, True]
    assert np.isnan(rows["p:p99"]).tolist() == [True, False]


def test_a_killed_run_keeps_all_but_the_line_in_flight_and_says_so(results: Path) -> None:
    writer = RunWriter(HEADER, results)
    for i in range(5):
        writer.sample(0, "a", sample(i))
    with (writer.folder / "samples.jsonl").open("ab") as file:
        file.write(b'{"round":0,"variant":"a","i":5,"op')
    run = find_run("latest", results)
    assert run.samples()["i"].tolist() == [0, 1, 2, 3, 4]
    assert any("killed" in note for note in run.notes)
    assert any("cut short; 5 lines before it are kept" in note for note in run.notes)


@pytest.mark.parametrize("kept", range(0, 400, 7))
def test_a_file_cut_short_anywhere_is_read_up_to_its_last_whole_sample(results: Path, kept: int) -> None:
    writer = RunWriter(HEADER, results)
    for i in range(5):
        writer.sample(0, "a", sample(i))
    path = writer.folder / "samples.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:kept])
    assert find_run("latest", results).samples().rows == whole[:kept].count(b"}")


def test_a_sealed_table_cut_short_falls_back_to_the_raw_lines(results: Path) -> None:
    run = write_run(results, rounds=2)
    sealed = run.folder / "samples.npz"
    sealed.write_bytes(sealed.read_bytes()[:-20])
    read = find_run(run.id, results)
    assert read.samples().rows == 8
    assert any("cut short; read the raw lines" in note for note in read.notes)


def test_a_process_that_is_killed_leaves_its_samples(results: Path) -> None:
    program = f"""
        import os, sys
        sys.path[:0] = {sys.path!r}
        from pathlib import Path
        from runs import HEADER, sample
        from perflab.store.runs import RunWriter
        writer = RunWriter(HEADER, Path({str(results)!r}))
        for i in range(100):
            writer.sample(0, "a", sample(i))
        os.kill(os.getpid(), 9)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=False)
    assert done.returncode == -9
    assert find_run("latest", results).samples().rows == 100


def test_a_full_disk_is_said_to_be_full_and_nothing_is_lost(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = RunWriter(HEADER, results)
    writer.sample(0, "a", sample(0))

    def full(_file: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("perflab.store.runs.os.write", full)
        with pytest.raises(MissingError, match="the disk is full"):
            writer.sample(0, "a", sample(1))
    assert find_run("latest", results).samples().rows == 1


def test_a_record_that_goes_in_only_half_is_taken_back_and_said_to_be_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tests.jsonl"
    append_json_lines(path, [{"kept": 1}])
    write = os.write
    with monkeypatch.context() as patched:
        patched.setattr("perflab.model.files.os.write", lambda file, data: write(file, data[: len(data) // 2]))
        with pytest.raises(MissingError, match="the disk is full"):
            append_json_lines(path, [{"lost": 2}])
    assert path.read_text() == '{"kept":1}\n'


def test_a_results_folder_that_cannot_be_written_is_missing(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file where a folder should be")
    with pytest.raises(MissingError, match="PERFLAB_RESULTS"):
        RunWriter(HEADER, tmp_path)


def test_an_unreadable_header_is_passed_over_in_lists_and_named_when_asked_for(results: Path) -> None:
    good, bad = write_run(results, name="20260101-000000-good"), write_run(results, name="20260102-000000-bad")
    (bad.folder / "run.json").write_text('{"id": "20')
    assert [run.id for run in find_runs(results)] == [good.id]
    with pytest.raises(UsageError, match="cut short or edited"):
        find_run("bad", results)


def test_runs_of_different_machines_are_not_pooled(results: Path) -> None:
    here, there = write_run(results, name="20260101-here"), write_run(results, name="20260102-there", cpu="another")
    with pytest.raises(UsageError, match="different machines"):
        compare_runs(here, there, "a")


def test_names_may_be_shortened_as_long_as_they_are_clear(results: Path) -> None:
    with pytest.raises(UsageError, match="no runs yet"):
        find_run("latest", results)
    write_run(results, name="20260101-a")
    last = write_run(results, name="20260102-b")
    assert find_run("latest", results).id == last.id
    assert find_run("0102", results).id == last.id
    with pytest.raises(UsageError, match="more than one"):
        find_run("2026", results)
