"""A results folder that came from elsewhere holds links, pipes and scripts: nothing goes through them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import nbformat.v4 as nb
import pytest
from claiming import make_claim
from runs import HEADER, MACHINE, write_run

from perflab.claims.evidence import Evidence, Origin, Results
from perflab.claims.reproduce import Reproduction, Settings
from perflab.claims.verdict import Verdict
from perflab.cli.crash import FOLDER as FOLDER_OF_CRASHES
from perflab.cli.crash import MOST_KEPT, crash
from perflab.host.git import Revision
from perflab.host.machine import this_machine
from perflab.model.errors import UsageError
from perflab.model.lab import Lab
from perflab.site.downloads import EvidenceFiles
from perflab.site.markdown import Markdown
from perflab.site.pages import find_notebooks
from perflab.store import records
from perflab.store.records import ProfileRecord, profile_folder, write_profile, write_tests
from perflab.store.runs import find_run

if TYPE_CHECKING:
    from pathlib import Path

LAB = Lab.from_environment()


PROFILE = ProfileRecord(
    *("p", "2026", "toy", "sum", "a", {}, "cpu", "ns", 1.0, 1.0, {"cause": [0.5]}, {}, [], MACHINE, Revision())
)
SETTINGS = Settings([], "quick")
MADE_HERE = msgspec.json.encode({"machine": this_machine().id})


def test_a_crash_removes_its_own_files_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERFLAB_RESULTS", str(tmp_path))
    folder = tmp_path / FOLDER_OF_CRASHES
    folder.mkdir()
    for number in range(MOST_KEPT + 5):
        (folder / f"notes-{number}.txt").write_text("x")
        (folder / f"20260101-000000-{number:04x}.txt").write_text("x")
    crash(ValueError("x"))
    assert len(list(folder.glob("notes-*"))) == MOST_KEPT + 5
    assert len(list(folder.glob("2*"))) == MOST_KEPT


def test_the_report_shows_notebooks_of_this_machine_with_the_cells_of_today(tmp_path: Path) -> None:
    def executed(code: str, title: str) -> str:
        cells = [nb.new_markdown_cell(f"# {title}"), nb.new_code_cell(code)]
        return nb.writes(nb.new_notebook(cells=cells))

    results, notebooks = tmp_path / "results", tmp_path / "notebooks"
    for folder in (notebooks, results / "reproductions" / "1", results / "reproductions" / "2"):
        folder.mkdir(parents=True)
    for name in ("a", "b"):
        (notebooks / f"{name}.ipynb").write_text(executed(name, "committed"))
    for number, made in ((1, MADE_HERE), (2, b'{"machine": "another"}')):
        (results / "reproductions" / str(number) / "reproduction.json").write_bytes(made)
    for number, name, code in ((1, "a", "a"), (1, "b", "since changed"), (2, "a", "a")):
        (results / "reproductions" / str(number) / f"{name}.ipynb").write_text(executed(code, f"of {number}"))
    found = find_notebooks(replace(LAB, root=tmp_path, results=results), Markdown({}))
    assert [(one.title, bool(one.refused)) for one in found] == [("of 1", False), ("committed", True)]


def test_a_folder_that_looks_like_a_pattern_is_one_folder(tmp_path: Path) -> None:
    write_run(tmp_path / "r[e]*")
    write_run(tmp_path / "re-other", rounds=9)
    run = find_run("latest", tmp_path / "r[e]*")
    assert run.samples()["round"].max() == 4
    (run.folder / "samples.npz").unlink()
    assert run.samples()["round"].max() == 4


def test_a_verdict_is_shown_with_what_it_rests_on_and_with_nothing_of_the_same_name(tmp_path: Path) -> None:
    lab = replace(LAB, reference=tmp_path / "reference", results=tmp_path / "results")
    at: dict[Origin, Path] = {"reference": lab.reference, "local": lab.results}
    here = this_machine()
    for total, folder in enumerate(at.values()):
        write_run(folder, machine=here, cpu=here.cpu)
        write_profile(msgspec.structs.replace(PROFILE, total=total, machine=here), folder)
    ratio = make_claim("ratio", "r", baseline="a", candidate="b", scenario="sum")
    share = make_claim("share", "s", candidate="a", scenario="sum", mode="cpu", cause="cause")
    files = EvidenceFiles(lab)
    for total, (origin, folder) in enumerate(at.items()):
        on = files.claim_evidence(Verdict(ratio, "undecided", "", Evidence(runs=[HEADER.id], origin=origin)), "toy")
        assert [run.results for run in on.runs] == [folder]
        on = files.claim_evidence(Verdict(share, "undecided", "", Evidence(runs=["p"], origin=origin)), "toy")
        assert on.profile
        assert on.profile.total == total

    own = msgspec.structs.replace(PROFILE, machine=here)
    for record, origin in ((own, "local"), (PROFILE, "reference")):
        # The stacks of a committed profile are where it was made, if that was here; others' are not shown.
        write_profile(record, lab.reference)
        write_profile(record, lab.results)
        _, stacks = EvidenceFiles(lab).profiles[profile_folder("p", lab.reference)]
        assert stacks.is_relative_to(at[origin])


def test_what_somebody_else_measured_is_in_no_report(tmp_path: Path) -> None:
    lab = replace(LAB, reference=tmp_path / "reference", results=tmp_path / "results")
    committed = write_run(lab.reference, name="aa", header=msgspec.structs.replace(HEADER, kind="noise"))
    write_run(lab.results, name="aa", header=msgspec.structs.replace(HEADER, kind="noise"))
    assert list(EvidenceFiles(lab).runs) == [committed.folder]


@pytest.mark.parametrize("claims", [[1]])
def test_a_reproduction_that_cannot_be_read_is_started_anew(tmp_path: Path, claims: list[object]) -> None:
    record = {"created": "2026", "settings": msgspec.to_builtins(SETTINGS), "ended": False, "claims": claims}
    (tmp_path / "reproductions" / "1").mkdir(parents=True)
    (tmp_path / "reproductions" / "1" / "reproduction.json").write_bytes(msgspec.json.encode(record))
    with pytest.raises(UsageError, match="cannot read"):
        Reproduction.resume(replace(LAB, results=tmp_path))


def test_only_the_machine_that_began_a_reproduction_resumes_it(tmp_path: Path) -> None:
    lab = replace(LAB, results=tmp_path)
    Reproduction.start(lab, SETTINGS).save()
    assert Reproduction.resume(lab).settings == SETTINGS
    (file,) = tmp_path.glob("reproductions/*/reproduction.json")
    file.write_text(file.read_text().replace(this_machine().id, "another"))
    with pytest.raises(UsageError, match="begun on another machine"):
        Reproduction.resume(lab)


def test_outcomes_of_tests_count_where_they_were_tested(tmp_path: Path) -> None:
    lab = replace(LAB, results=tmp_path)
    outcome = records.TestRecord("toy", "T#t", True, "x" * 100_000, "2099", Revision(), this_machine().id)
    for machine in (this_machine().id, "another", ""):
        write_tests([msgspec.structs.replace(outcome, machine=machine)], tmp_path)
    (found,) = Results.local(lab, "toy").tests
    assert found.machine == this_machine().id
    assert len(found.message) < len(outcome.message)
