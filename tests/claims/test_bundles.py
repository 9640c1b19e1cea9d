"""Evidence bundles: they say the same on another machine, hand on nothing private, and are read as what they may be."""

from __future__ import annotations

import json
import struct
import tracemalloc
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from evidence_by_hand import ARMS, RUN, SUM, lay_out
from runs import HEADER, MACHINE, write_run
from silent import Silent

from perflab.claims import bundled
from perflab.claims.bundled import agreement, export, side_by_side
from perflab.claims.ledger import read_ledger
from perflab.cli.main import lab as command
from perflab.model.errors import UsageError
from perflab.site.site import write_site
from perflab.stats.columns import Columns
from perflab.store import bundles, records
from perflab.store.bundles import Bundle, open_bundle
from perflab.store.tables import read_table, write_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from perflab.model.lab import Lab
    from perflab.store.records import RunHeader


INDEX = "bundle.json"


@pytest.fixture
def measured(own_lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A lab whose claims have all been judged by what this machine measured."""
    for place in ("perflab.claims.evidence", "perflab.claims.bundled"):
        monkeypatch.setattr(f"{place}.this_machine", lambda: MACHINE)
    (tmp_path / "evidence").mkdir()
    found = lay_out(tmp_path / "evidence")
    return replace(own_lab, claims=found["claims"], results=found["reference"])


@pytest.fixture
def bundle(measured: Lab, tmp_path: Path) -> Path:
    export(measured, ["toys"], tmp_path / "mine.zip")
    return tmp_path / "mine.zip"


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_bundle_gives_the_verdicts_that_it_was_made_from(measured: Lab, bundle: Path) -> None:
    here, there = side_by_side(measured, read_ledger("toys", measured.claims), [bundle])
    assert {name: (one.word, one.reason) for name, one in here.verdicts.items()} == {
        name: (one.word, one.reason) for name, one in there.verdicts.items()
    }
    assert (here.title, there.title) == ("here, 2 cores", "mine.zip, 2 cores")
    same, differing = agreement([here, there])
    assert set(same) == {name for name, one in here.verdicts.items() if one.word not in {"not run", "untestable here"}}
    assert same
    assert not differing


def test_the_same_evidence_makes_the_same_file(measured: Lab, bundle: Path, tmp_path: Path) -> None:
    export(measured, ["toys"], tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == bundle.read_bytes()


def test_only_what_verdicts_rest_on_is_in_it(measured: Lab, bundle: Path, tmp_path: Path) -> None:
    before = set(contents(bundle))
    write_run(measured.results, name="20250101-000000-toy-sum-0001", header=header())
    export(measured, ["toys"], tmp_path / "again.zip")
    assert set(contents(tmp_path / "again.zip")) == before
    run = {"run.json", "end.json", "samples.npz", "forks.npz"}
    assert {Path(name).name for name in before} == {*run, "profile-record.json", "tests.jsonl", INDEX}


def header() -> RunHeader:
    return msgspec.structs.replace(HEADER, scenario=SUM, arms=ARMS, baseline="wasteful")


def test_without_a_measurement_there_is_nothing_to_hand_on(own_lab: Lab, measured: Lab, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing of toys was measured on this machine"):
        export(replace(measured, results=own_lab.results), ["toys"], tmp_path / "none.zip")
    assert not (tmp_path / "none.zip").exists()


def test_runs_of_another_machine_than_the_index_names_count_for_nothing(measured: Lab, bundle: Path) -> None:
    def other(index: dict[str, object]) -> None:
        index["machine"] = msgspec.to_builtins(msgspec.structs.replace(MACHINE, cores=64))

    change_index(bundle, other)
    _, there = side_by_side(measured, read_ledger("toys", measured.claims), [bundle])
    assert there.verdicts["third"].word == "not run"


def change_index(path: Path, change: Callable[[dict[str, object]], None]) -> None:
    files = contents(path)
    index = json.loads(files[INDEX])
    change(index)
    write(path, {**files, INDEX: json.dumps(index).encode()})


def write(path: Path, files: dict[str, bytes], *more: tuple[str, bytes]) -> None:
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")
        for name, data in [*files.items(), *more]:
            archive.writestr(name, data)


def refused(path: Path) -> str:
    with pytest.raises(UsageError) as caught, open_bundle(path):
        pass
    assert "\n" not in caught.value.message
    return caught.value.message


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../../pwned", "is no file of a run"),
        ("/pwned", "is no file of a run"),
        ("runs/../../pwned", "is no file of a run"),
        (f"runs/{RUN}/../../pwned", "is no file of a run"),
        (f"runs/{RUN}/bench.jar", "is no file of a run"),
        ("runs/a\nb/run.json", "is no file of a run"),
        (f"runs\\{RUN}\\run.json", "is no file of a run"),
    ],
)
def test_a_file_elsewhere_is_refused(bundle: Path, tmp_path: Path, name: str, said: str) -> None:
    files = contents(bundle)
    index = msgspec.json.decode(files.pop(INDEX), type=Bundle)
    sums = {**index.files, name: index.files[f"runs/{RUN}/run.json"]}
    data = files[f"runs/{RUN}/run.json"]
    write(bundle, {**files, INDEX: msgspec.json.encode(msgspec.structs.replace(index, files=sums))}, (name, data))
    assert said in refused(bundle)
    assert not list(tmp_path.parent.rglob("pwned"))


def test_what_the_index_does_not_vouch_for_is_refused(bundle: Path) -> None:
    files = contents(bundle)
    changed = {**files, f"runs/{RUN}/end.json": files[f"runs/{RUN}/end.json"] + b" "}
    write(bundle, changed)
    assert "is not what the index says" in refused(bundle)
    write(bundle, files, ("tests.jsonl.bak", b""))
    assert "not in both" in refused(bundle)
    write(bundle, {name: data for name, data in files.items() if name != "tests.jsonl"})
    assert "not in both" in refused(bundle)
    write(bundle, files, (INDEX, files[INDEX]))
    assert "twice" in refused(bundle)


def test_an_index_of_another_kind_is_refused(bundle: Path) -> None:
    change_index(bundle, lambda index: index.update(version=99))
    assert "version 99, this lab reads 2: update it" in refused(bundle)
    change_index(bundle, lambda index: index.update(version=1))
    assert "version 1, this lab reads 2: export it anew" in refused(bundle)
    change_index(bundle, lambda index: index.update(version="x"))
    refused(bundle)
    files = contents(bundle)
    del files[INDEX]
    write(bundle, files)
    assert "has no bundle.json" in refused(bundle)


@pytest.mark.parametrize("data", [b"", b"PK", b"x" * 100, b"PK\x05\x06" + b"\xff" * 18])
def test_what_is_no_archive_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(data)
    refused(path)


def test_an_archive_that_unfolds_is_refused_before_it_does(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(bundle, {**contents(bundle), "tests.jsonl": b"0" * (1 << 21)})
    monkeypatch.setattr(bundles, "_LARGEST", 1 << 20)
    assert bundle.stat().st_size < 1 << 20
    assert "larger than 1 MiB" in refused(bundle)


def test_a_table_that_unfolds_is_refused_before_it_does(
    measured: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = measured.results / "runs" / RUN / "samples.npz"
    rows = read_table(path, "samples")
    write_table(path, Columns(rows | {"more": np.full(rows.rows, "x" * 20_000)}))
    export(measured, ["toys"], tmp_path / "mine.zip")
    monkeypatch.setattr(bundles, "_LARGEST", 1 << 20)
    assert sum(map(len, contents(tmp_path / "mine.zip").values())) < 1 << 20
    assert "larger than 1 MiB" in refused(tmp_path / "mine.zip")


def test_an_entry_that_says_that_it_is_short_is_not_unfolded(bundle: Path) -> None:
    long = 0x0FEDCBA9  # a number that stands nowhere else
    write(bundle, {**contents(bundle), "tests.jsonl": b"0" * long})
    data = bundle.read_bytes()
    assert data.count(struct.pack("<L", long)) == 2  # in front of it, and in the list
    bundle.write_bytes(data.replace(struct.pack("<L", long), struct.pack("<L", 9)))
    tracemalloc.start()
    refused(bundle)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < long / 4


def test_an_entry_that_is_damaged_is_refused(bundle: Path) -> None:
    files = contents(bundle)
    with zipfile.ZipFile(bundle) as archive:
        at = archive.getinfo("tests.jsonl").header_offset + 30 + len("tests.jsonl")
    data = bytearray(bundle.read_bytes())
    data[at : at + 4] = b"\xff" * 4
    bundle.write_bytes(data)
    assert files
    refused(bundle)


def test_of_a_table_that_is_damaged_the_lines_are_exported(measured: Lab, bundle: Path, tmp_path: Path) -> None:
    table = measured.results / "runs" / RUN / "samples.npz"
    table.write_bytes(table.read_bytes()[:-9])
    export(measured, ["toys"], tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == bundle.read_bytes()


def test_a_record_stays_one_whatever_its_message_ends_with(measured: Lab, tmp_path: Path) -> None:
    path = measured.results / "tests.jsonl"
    found = [msgspec.structs.replace(one, message="Enter password: ") for one in records.find_tests(measured.results)]
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in found))
    export(measured, ["toys"], tmp_path / "mine.zip")
    handed_on = contents(tmp_path / "mine.zip")["tests.jsonl"].splitlines()
    assert handed_on
    assert all(msgspec.json.decode(line, type=records.TestRecord) in found for line in handed_on)


def test_a_folder_is_no_file_to_export_to(measured: Lab) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        export(measured, ["toys"], Path())


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_has_no_limit_when_it_is_unfolded_is_refused(bundle: Path, method: int) -> None:
    files = contents(bundle)
    with zipfile.ZipFile(bundle, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    assert "in another way" in refused(bundle)


def test_verdicts_of_machines_stand_side_by_side(measured: Lab, bundle: Path, tmp_path: Path) -> None:
    slow = replace(measured, results=tmp_path / "slow")
    times = {"wasteful": [100.0, 102, 104, 101, 103, 99], "plain": [5000.0, 5100, 5200, 5000, 5100, 4900]}
    write_run(slow.results, name=RUN, header=header(), values=times, rounds=6)
    run = CliRunner().invoke(command, ["claims", "toys", "--with", str(bundle)], obj=slow)
    assert "here, 2 cores" in run.output
    assert "mine.zip, 2 cores" in run.output
    assert "the same verdict on 0 of the 2 claims" in run.output
    found = json.loads(
        CliRunner().invoke(command, ["claims", "toys", "--json", "--with", str(bundle)], obj=slow).output
    )
    words = [machine["verdicts"]["quick-sum"] for machine in found["machines"]]
    assert words == ["refuted", "reproduced"]


def test_the_command_writes_a_bundle(measured: Lab, tmp_path: Path) -> None:
    run = CliRunner().invoke(command, ["export", "toys", "-o", str(tmp_path / "x.zip")], obj=measured)
    assert run.exit_code == 0, run.output
    with open_bundle(tmp_path / "x.zip") as (index, results):
        assert index.reports == ["toys"]
        assert (results / "runs" / RUN / "run.json").exists()
    assert not results.exists()
    assert bundled.OneMachine("x", None, {}).title == "x"


def test_the_report_shows_each_machine(measured: Lab, bundle: Path, tmp_path: Path) -> None:
    site = write_site(measured, tmp_path / "site", Silent(), ["toys"], notebooks=False, bundles=[bundle])
    page = (site.index.parent / "reports" / "toys.html").read_text()
    assert '<th scope="col">mine.zip, 2 cores</th>' in page
    alone = write_site(measured, tmp_path / "site", Silent(), ["toys"], notebooks=False)
    assert "Machine by machine" not in (alone.index.parent / "reports" / "toys.html").read_text()
