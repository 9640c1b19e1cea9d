"""A results folder that came from elsewhere holds links, pipes and scripts: nothing goes through them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import chdir, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import msgspec
import nbformat.v4 as nb
import pytest
from claiming import make_claim, make_ledger
from runs import HEADER, MACHINE, write_run

from hostile import harmless, state
from perflab.charts.chart import Chart, write_charts
from perflab.claims.evidence import Evidence, Origin, Results
from perflab.claims.verdict import Verdict
from perflab.cli.console.form import Command
from perflab.cli.console.results import FOLDER, save
from perflab.cli.crash import FOLDER as FOLDER_OF_CRASHES
from perflab.cli.crash import MOST_KEPT, crash
from perflab.cli.reproduction import Reproduction, Settings
from perflab.host.git import Revision
from perflab.host.machine import this_machine
from perflab.measure.analysis import analyse
from perflab.measure.grid import points_of
from perflab.model.errors import MissingError, StoreError, UsageError
from perflab.model.files import append_json_lines, place_in, read_below
from perflab.model.lab import Lab
from perflab.profile.profile import Profile
from perflab.site.downloads import EvidenceFiles, write_sources
from perflab.site.downloads import write_profile as write_profile_files
from perflab.site.downloads import write_run as write_run_files
from perflab.site.markdown import Markdown
from perflab.site.pages import find_documents, find_images, find_notebooks, source_of, write_documents
from perflab.site.report import JudgedReport, write_badges
from perflab.site.writer import SiteWriter, in_place_of
from perflab.store import records
from perflab.store.baselines import SavedBaseline, baseline_folder, find_baselines, write_baseline
from perflab.store.records import ProfileRecord, find_profiles, profile_folder, write_profile, write_tests
from perflab.store.runs import RunWriter, find_run, find_runs, read_run
from perflab.store.searches import SearchResult, newest_search, write_search
from perflab.store.sweeps import SweepHeader, find_sweep, start_sweep
from perflab.topics.catalogue import find_components

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LAB = Lab.from_environment()
CHART = Chart({"data": [], "layout": {}}, "t", "t")


@pytest.fixture
def results(tmp_path: Path) -> Iterator[Path]:
    """Whatever is in it leads to a folder beside it, in which nothing may change."""
    outside, results = tmp_path / "outside", tmp_path / "results"
    outside.mkdir()
    results.mkdir()
    for name in ("runs", "profiles", "sweeps", "searches", "reproductions", FOLDER):
        (results / name).symlink_to(outside)
    (outside / "tests.jsonl").write_text("{}")
    (results / "tests.jsonl").symlink_to(outside / "tests.jsonl")
    before = state(tmp_path, results)
    yield results
    assert state(tmp_path, results) == before


PROFILE = ProfileRecord(
    *("p", "2026", "toy", "sum", "a", {}, "cpu", "ns", 1.0, 1.0, {"cause": [0.5]}, {}, [], MACHINE, Revision())
)
SWEEP = SweepHeader(*("s", "2026", "toy", "sum", ["a"], "a", {"n": [1]}, {}, "quick", {}, 1, "0"))
SAVED = SavedBaseline("main", "toy", "sum", {}, HEADER.id, ["a"], "2026")
SETTINGS = Settings([], "quick")
MADE_HERE = msgspec.json.encode({"machine": this_machine().id})


@pytest.mark.parametrize(
    "write",
    [
        lambda results: RunWriter(HEADER, results),
        lambda results: write_profile(PROFILE, results),
        lambda results: write_tests([records.TestRecord("toy", "T#t", True, "", "2026", Revision())], results),
        lambda results: write_search(SearchResult("q", "toy", "sum", "a", {}, {}), results),
        lambda results: start_sweep(SWEEP, results),
        lambda results: Reproduction.start(replace(LAB, results=results), SETTINGS).save(),
        lambda results: save(replace(LAB, results=results), "JSON", "a", Command("measure", "toy"), {}),
    ],
)
def test_nothing_is_written_through_a_folder_that_is_a_link(write: Callable[[Path], object], results: Path) -> None:
    with pytest.raises(StoreError, match="a link leads out of"):
        write(results)


def test_a_crash_writes_and_removes_nothing_behind_a_link(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = results.parent / "outside"
    (results / FOLDER_OF_CRASHES).symlink_to(outside)
    monkeypatch.setenv("PERFLAB_RESULTS", str(results))
    monkeypatch.setenv("TMPDIR", str(results))
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert "please report it" in crash(ValueError("x")).hint
    assert [path.name for path in outside.iterdir()] == ["tests.jsonl"]


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


def test_a_results_folder_may_itself_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "results").symlink_to(tmp_path / "elsewhere")
    assert place_in(tmp_path / "results", "runs", "a") == tmp_path / "results" / "runs" / "a"


def test_lines_go_into_no_link_no_pipe_and_no_file_of_two_names(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("x\n")
    (tmp_path / "link").symlink_to(tmp_path / "other")
    (tmp_path / "twin").hardlink_to(tmp_path / "other")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "twin", "pipe"):
        with pytest.raises(StoreError):
            append_json_lines(tmp_path / name, [1])
    assert (tmp_path / "other").read_text() == "x\n"


def test_charts_replace_links_and_a_script_that_lies_there(tmp_path: Path) -> None:
    folder = tmp_path / "charts"
    folder.mkdir()
    (tmp_path / "other").write_text("x")
    (folder / "a.html").symlink_to(tmp_path / "other")
    (folder / "plotly.min.js").write_text("window.ran = 1")
    write_charts({"a": CHART}, folder)
    assert (tmp_path / "other").read_text() == "x"
    assert 'src="plotly.min.js"' in (folder / "a.html").read_text(encoding="utf-8")
    assert "window.ran = 1" not in (folder / "plotly.min.js").read_text(encoding="utf-8")


def test_badges_replace_links(tmp_path: Path) -> None:
    (precious := tmp_path / "precious").write_text("years of work")
    (tmp_path / "badges").mkdir()
    (tmp_path / "badges" / "toys.svg").symlink_to(precious)
    write_badges([JudgedReport(LAB, make_ledger(), [])], tmp_path / "badges")
    assert precious.read_text() == "years of work"
    assert (tmp_path / "badges" / "toys.svg").read_text().startswith("<svg")


def test_the_report_shows_no_notebook_that_is_a_link(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("{}")
    (tmp_path / "reproductions" / "1").mkdir(parents=True)
    for committed in LAB.notebooks.rglob("*.ipynb"):
        (tmp_path / "reproductions" / "1" / committed.name).symlink_to(tmp_path / "secret")
    (tmp_path / "reproductions" / "1" / "reproduction.json").write_bytes(MADE_HERE)
    found = find_notebooks(replace(LAB, results=tmp_path), Markdown({}))
    assert all(one.path.is_relative_to(LAB.notebooks) for one in found)


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


def test_a_round_of_a_huge_number_is_none(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    before = analyse(run)
    (run.folder / "samples.parquet").unlink()
    with (run.folder / "samples.jsonl").open("a") as file:
        file.write('{"round": 2000000000, "variant": "a", "i": 0, "ops": 1, "ns": 1}\n')
    found = analyse(find_run("latest", tmp_path))
    assert found.comparisons == before.comparisons


def test_a_table_that_claims_too_many_rows_is_not_read(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    whole = run.samples()
    sealed = run.folder / "samples.parquet"
    duckdb.sql("SELECT 0 AS round, 'a' AS variant, 0 AS i, 1.0 AS ops, 1.0 AS ns FROM range(30000000)").write_parquet(
        str(sealed), compression="zstd"
    )
    assert len(find_run("latest", tmp_path).samples()) == len(whole)


def test_a_folder_that_looks_like_a_pattern_is_one_folder(tmp_path: Path) -> None:
    write_run(tmp_path / "r[e]*")
    write_run(tmp_path / "re-other", rounds=9)
    run = find_run("latest", tmp_path / "r[e]*")
    assert run.samples()["round"].max() == 4
    (run.folder / "samples.parquet").unlink()
    assert run.samples()["round"].max() == 4


def test_a_grid_of_another_machine_has_no_more_points_than_ours() -> None:
    with pytest.raises(UsageError, match="the most"):
        points_of({name: list(range(1000)) for name in "abc"})


def test_records_behind_a_link_out_of_the_folder_are_passed_over(tmp_path: Path) -> None:
    outside, results = tmp_path / "outside", tmp_path / "results"
    write_baseline(SAVED, outside / baseline_folder("main", "toy", "sum", {}, tmp_path).relative_to(tmp_path))
    write_profile(PROFILE, outside)
    results.mkdir()
    for name in ("baselines", "profiles"):
        (results / name).symlink_to(outside / name)
    assert find_baselines(results) == []
    assert find_profiles(results) == []


def test_a_profile_is_not_read_through_links(tmp_path: Path) -> None:
    folder = tmp_path / "results" / "profiles" / "p"
    Profile("cpu", "ns", {("a",): 1.0}).save(tmp_path / "theirs")
    folder.mkdir(parents=True)
    for path in (tmp_path / "theirs").iterdir():
        (folder / path.name).symlink_to(path)
    with pytest.raises(UsageError, match="no profile"):
        Profile.load(folder)


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
        on = files.exhibit(Verdict(ratio, "undecided", "", Evidence(runs=[HEADER.id], origin=origin)), "toy")
        assert [run.results for run in on.runs] == [folder]
        on = files.exhibit(Verdict(share, "undecided", "", Evidence(runs=["p"], origin=origin)), "toy")
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


@pytest.mark.parametrize("claims", [[{}], [{"report": []}], [1]])
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


def test_what_links_lead_to_is_not_handed_on(tmp_path: Path) -> None:
    theirs, results, root = tmp_path / "theirs", tmp_path / "results", tmp_path / "lab"
    run = write_run(theirs)
    for folder in (root / "notebooks", results / "runs", results / "reproductions"):
        folder.mkdir(parents=True)
    for place in (root / "notebooks", theirs):
        (place / "a.ipynb").write_text(nb.writes(nb.new_notebook(cells=[nb.new_markdown_cell(f"# {place.name}")])))
    (theirs / "reproduction.json").write_bytes(MADE_HERE)
    (results / "reproductions" / "9").symlink_to(theirs)
    (notebook,) = find_notebooks(replace(LAB, root=root, results=results), Markdown({}))
    assert notebook.title == "notebooks"

    (results / "runs" / run.id).symlink_to(run.folder)
    assert find_runs(results) == []
    assert write_run_files(SiteWriter(tmp_path / "site"), read_run(results / "runs" / run.id)) == []
    (results / "runs" / run.id).unlink()
    (results / "runs" / run.id).mkdir()
    for path in run.folder.iterdir():
        (results / "runs" / run.id / path.name).symlink_to(path)
    assert find_runs(results) == []
    assert write_run_files(SiteWriter(tmp_path / "site"), read_run(results / "runs" / run.id)) == []
    # Nor is what nobody has read.
    (run.folder / "more.json").write_text("{}")
    (run.folder / "more.jsonl").write_text("{}")
    (run.folder / "run.json").write_text((run.folder / "run.json").read_text().replace("{", '{"more": 1,', 1))
    # A folder of results may itself be one.
    (tmp_path / "link").symlink_to(theirs)
    found = write_run_files(SiteWriter(tmp_path / "site"), find_run("latest", tmp_path / "link"))
    assert len(found) > 4
    for one in found:
        assert "more" not in one.path
        assert b"more" not in (tmp_path / "site" / one.path).read_bytes()


def test_links_in_a_circle_hide_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "profiles"
    (folder / "A").mkdir(parents=True)
    (folder / "A" / "profile-record.json").write_text('{"id": "B"}')
    (folder / "B").symlink_to("B")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "C").symlink_to("C")
    assert find_profiles(tmp_path) == []
    for name in ("profiles/B", "runs/C"):
        with pytest.raises(StoreError):
            place_in(tmp_path, name)


def figures_copied(root: Path) -> int:
    """How many files a report on the topic `toy` copies beside its verdicts."""
    lab = replace(LAB, root=root, claims=root / "claims")
    return len(write_sources(SiteWriter(root / "site"), [JudgedReport(lab, make_ledger(), [])]))


def test_a_folder_that_is_a_link_out_of_the_project_is_not_handed_on(tmp_path: Path) -> None:
    theirs, root = tmp_path / "theirs", tmp_path / "lab"
    for folder in (theirs, root / "datasets"):
        folder.mkdir(parents=True)
    (theirs / "a.ipynb").write_text(nb.writes(nb.new_notebook(cells=[nb.new_markdown_cell("# Theirs")])))
    (theirs / "toy.csv").write_text("theirs")
    for link in (root / "notebooks", root / "datasets" / "published"):
        link.symlink_to(theirs)
    assert find_notebooks(replace(LAB, root=root, results=tmp_path / "results"), Markdown({})) == []
    assert figures_copied(root) == 0


def test_a_link_that_the_system_cannot_follow_takes_nothing_else_with_it(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    write_baseline(SAVED, baseline_folder("main", "toy", "sum", {}, tmp_path))
    write_profile(PROFILE, tmp_path)
    start_sweep(SWEEP, tmp_path)
    write_search(SearchResult("q", "toy", "sum", "a", {}, {}), tmp_path)
    (tmp_path / "reproductions" / "r").mkdir(parents=True)
    (tmp_path / "reproductions" / "r" / "reproduction.json").write_bytes(MADE_HERE)
    (tmp_path / "docs" / "images").mkdir(parents=True)
    (tmp_path / "docs" / "images" / "a.png").touch()
    for name, file in (
        ("runs", "run.json"),
        ("profiles", "profile-record.json"),
        ("sweeps", "sweep.json"),
        ("searches", "search.json"),
        ("reproductions", "reproduction.json"),
        ("components", "component.toml"),
        ("docs", "a.png"),
    ):
        (tmp_path / name / "x").mkdir(parents=True)
        (tmp_path / name / "x" / file).symlink_to("x" * 300)
        (tmp_path / name / "y").symlink_to("x" * 300)
    for name in ("baselines/y", "baselines/main/y", "docs/y.md", "docs/y.png"):
        (tmp_path / name).symlink_to("x" * 300)
    for name in ("samples.parquet", "more"):
        (run.folder / name).unlink(missing_ok=True)
        (run.folder / name).symlink_to("x" * 300)
    lab = replace(LAB, root=tmp_path, results=tmp_path, components=tmp_path / "components")
    assert find_components(lab) == []
    assert [one.id for one in find_runs(tmp_path)] == [run.id]
    assert len(find_run("latest", tmp_path).samples()) == len(run.samples()) > 0
    assert len(find_baselines(tmp_path)) == len(find_profiles(tmp_path)) == 1
    assert find_sweep("latest", tmp_path).id == SWEEP.id
    assert newest_search(0, tmp_path) is not None
    assert len(records.find_reproductions(tmp_path, this_machine().id)) == 1
    assert find_documents(tmp_path, Markdown({})) == []
    assert list(find_images(tmp_path)) == ["docs/images/a.png"]


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A folder in which folders lie deeper in each other than Python's stack is."""
    folder = tmp_path / "deep"
    folder.mkdir()
    with chdir(folder):
        for _ in range(1_500):
            os.mkdir("a")  # noqa: PTH102 - its whole path is long
            os.chdir("a")
    yield folder
    # What tidies up after tests would fail, too.
    subprocess.run(["/bin/rm", "-rf", tmp_path], check=True)


def test_folders_that_lie_too_deep_are_said_in_one_line(tmp_path: Path, deep: Path) -> None:
    lab = replace(LAB, root=tmp_path, results=tmp_path)
    for name in ("docs", "notebooks"):
        (tmp_path / name).mkdir()
        deep = deep.rename(tmp_path / name / "deep")
        harmless(lambda: find_images(tmp_path))
        harmless(lambda: find_notebooks(lab, Markdown({})))
    report = SiteWriter(tmp_path / "report").folder
    deep = deep.rename(report / "deep")
    with suppress(MissingError), in_place_of(report) as draft:
        (draft / "a").touch()
    (tmp_path / "charts" / "plotly.min.js.draft").mkdir(parents=True)
    if deep.exists():
        deep.rename(tmp_path / "charts" / "plotly.min.js.draft" / "deep")
    harmless(lambda: write_charts({"a": CHART}, tmp_path / "charts"))


def test_a_folder_that_is_a_link_is_not_even_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside, root, listed = tmp_path / "outside", tmp_path / "lab", list[str]()
    (outside / "a" / "b" / "c").mkdir(parents=True)
    root.mkdir()
    for name in ("docs", "notebooks", "baselines"):
        (root / name).symlink_to(outside)
    scandir = os.scandir

    def noted(place: str = ".") -> Any:  # noqa: ANN401 - as of os
        listed.append(os.path.realpath(place))
        return scandir(place)

    monkeypatch.setattr(os, "scandir", noted)
    assert find_images(root) == {}
    assert find_notebooks(replace(LAB, root=root, results=root), Markdown({})) == []
    assert find_baselines(root) == []
    assert [one for one in listed if one.startswith(str(outside))] == []


@pytest.mark.parametrize(("size", "copied"), [(1, 1), (1 << 25, 0)])
def test_figures_that_take_minutes_to_read_are_not_copied(tmp_path: Path, size: int, copied: int) -> None:
    place = tmp_path / "datasets" / "published" / "toy.csv"
    place.parent.mkdir(parents=True)
    with place.open("wb") as file:
        file.truncate(size)
    assert figures_copied(tmp_path) == copied


def test_a_link_that_takes_a_documents_place_is_not_handed_on(tmp_path: Path) -> None:
    root = tmp_path / "lab"
    (root / "docs").mkdir(parents=True)
    (tmp_path / "a.md").write_text("theirs")
    for name in ("README.md", "docs/a.md"):
        (root / name).write_text("ours")
    found = find_documents(root, Markdown({}))
    (root / "README.md").unlink()
    (root / "README.md").symlink_to(tmp_path / "a.md")
    shutil.rmtree(root / "docs")
    (root / "docs").symlink_to(tmp_path)
    writer = SiteWriter(tmp_path / "site")
    writer.share(notebooks_written=False)
    write_documents(writer, root, found, Markdown({}))
    for one in found:
        assert "theirs" not in (tmp_path / "site" / one.page).read_text()


def test_a_link_that_takes_a_notebooks_place_is_not_handed_on(tmp_path: Path) -> None:
    place = tmp_path / "lab" / "notebooks" / "a.ipynb"
    place.parent.mkdir(parents=True)
    place.write_text(nb.writes(nb.new_notebook()))
    (notebook,) = find_notebooks(replace(LAB, root=tmp_path / "lab", results=tmp_path / "results"), Markdown({}))
    place.rename(tmp_path / "a.ipynb")
    place.symlink_to(tmp_path / "a.ipynb")
    with pytest.raises(UsageError, match="a link leads to it"):
        source_of(notebook)


def test_a_link_that_takes_a_copied_files_place_is_not_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, root = tmp_path / "theirs", tmp_path / "lab"
    theirs.write_text("theirs")
    run = write_run(root / "results")
    for place in (root / "docs" / "a.png", root / "datasets" / "published" / "toy.csv", root / "claims" / "toy.yaml"):
        place.parent.mkdir(parents=True)
        place.write_text("ours")
    profile = records.profile_folder("p", root / "results")
    Profile("cpu", "ns", {("a",): 1.0}).save(profile)
    copy, copied = SiteWriter.copy, list[str]()

    def swapped(writer: SiteWriter, *given: Any) -> Any:  # noqa: ANN401 - as of copy
        source = given[-2]
        source.unlink()
        source.symlink_to(theirs)
        copied.append(source.name)
        return copy(writer, *given)

    monkeypatch.setattr(SiteWriter, "copy", swapped)
    writer = SiteWriter(tmp_path / "site")
    writer.share(notebooks_written=False)
    write_documents(writer, root, [], Markdown({}))
    lab = replace(LAB, root=root, claims=root / "claims")
    assert write_sources(writer, [JudgedReport(lab, make_ledger(), [])]) == []
    write_run_files(writer, run)
    write_profile_files(writer, PROFILE, profile)
    assert copied == ["a.png", "toy.csv", "toy.yaml", "samples.jsonl", "forks.jsonl", "stacks.collapsed"]
    site = [path for path in (tmp_path / "site").rglob("*") if path.is_file()]
    assert [path for path in site if b"theirs" in path.read_bytes()] == []


def test_a_folder_that_is_a_link_only_while_it_is_opened_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, root = tmp_path / "theirs", tmp_path / "lab"
    for folder in (theirs, root / "docs"):
        folder.mkdir(parents=True)
        (folder / "a.md").write_text(folder.name)
    (root / "docs").rename(root / "ours")
    (root / "docs").symlink_to(theirs)

    def back(path: Path) -> Path:
        if (root / "ours").exists():
            (root / "docs").unlink()
            (root / "ours").rename(root / "docs")
        return Path(os.path.realpath(path))

    monkeypatch.setattr("perflab.model.files.real", back)
    with pytest.raises(OSError, match="a link leads to it"):
        read_below(root, root / "docs" / "a.md")
