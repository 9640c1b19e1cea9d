"""Revisions from outside: built, interleaved, judged, listed and removed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from cupsrepo import GLASS, SLOW_GLASS, CupsLab, Repository, make_repository
from junitparser import JUnitXml
from runs import HEADER, write_run

from perflab.store.runs import find_run

if TYPE_CHECKING:
    from pathlib import Path

GLASS_POURED = ("-s", "pour", "-v", "glass")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repository, dict[str, str]]:
    """Tests that change the tree take `changed`; work trees stay, as they do in a checkout."""
    return make_repository(tmp_path_factory.mktemp("checkout") / "lab")


@pytest.fixture
def commits(checkout: tuple[Repository, dict[str, str]]) -> dict[str, str]:
    return checkout[1]


@pytest.fixture
def lab(checkout: tuple[Repository, dict[str, str]], tmp_path: Path) -> CupsLab:
    return CupsLab(checkout[0], tmp_path)


@pytest.fixture
def slower(checkout: tuple[Repository, dict[str, str]]) -> Any:  # noqa: ANN401 - a generator
    """The glass is slower in the tree, and nobody has committed it."""
    repository = checkout[0]
    repository.replace("bench.py", GLASS, SLOW_GLASS)
    yield repository
    repository.git("checkout", "--quiet", "--", ".")


def rows(found: Any) -> dict[tuple[str, str, str], str]:  # noqa: ANN401 - JSON
    metrics = [row for scenario in found["scenarios"] for row in scenario["metrics"]]
    return {(row["scenario"], row["variant"], row["metric"]): row["verdict"] for row in metrics}


def test_changes_that_are_not_committed_are_measured_beside_the_revision(
    lab: CupsLab, commits: dict[str, str], slower: Repository
) -> None:
    found = lab.json("measure", "cups", "-s", "pour", "-v", "mug", "-v", "glass", "--at", commits["first"], status=1)
    assert found["regressed"]
    assert (found["baseline"], found["now"]) == (commits["first"][:7], commits["more"][:7] + "+changes")
    assert rows(found) == {
        ("pour", "mug", "pour"): "within threshold",
        ("pour", "mug", "worst"): "within threshold",
        ("pour", "glass", "pour"): "regression",
        ("pour", "glass", "worst"): "regression",
    }
    (scenario,) = found["scenarios"]
    assert any("+changes is the present tree with what is not committed" in note for note in scenario["notes"])
    glass = next(row for row in scenario["metrics"] if (row["variant"], row["metric"]) == ("glass", "pour"))
    assert (glass["then"], glass["now"]) == (200, 260)
    assert glass["worse_by"]["estimate"] == pytest.approx(0.3)
    run = find_run(scenario["run"], lab.results)
    labels = {arm.label: arm.commit for arm in run.header.arms}
    short = commits["first"][:7]
    assert labels == {
        f"mug @ {short}": commits["first"],
        f"glass @ {short}": commits["first"],
        "mug": "",
        "glass": "",
    }
    assert Counter(round_ for round_, _ in set(run.forks().cells("round", "variant"))) == {0: 4, 1: 4, 2: 4}
    assert slower.git("status", "--porcelain") == "M components/cups/bench.py"


def test_the_same_code_is_no_regression_and_the_output_says_that_it_is_the_same(
    lab: CupsLab, commits: dict[str, str]
) -> None:
    found = lab.json("measure", "cups", *GLASS_POURED, "--at", "HEAD")
    assert set(rows(found).values()) == {"within threshold"}
    assert f"both are {commits['more'][:7]}: whatever differs is the machine" in found["scenarios"][0]["notes"]


def test_what_is_not_in_both_is_left_out_and_said(lab: CupsLab, commits: dict[str, str]) -> None:
    found = lab.json("measure", "cups", "-s", "pour", "--at", commits["first"])
    (scenario,) = found["scenarios"]
    assert {variant for _, variant, _ in rows(found)} == {"mug", "glass", "sieve"}
    assert f"bowl is not there at {commits['first'][:7]}" in scenario["notes"]
    assert "the parameter size is new: it is at its default, 1" in scenario["notes"]
    (left_out,) = scenario["not_compared"]
    assert (left_out["variant"], left_out["scenario"]) == ("bowl", "pour")


@pytest.mark.parametrize(
    ("at", "arguments", "says"),
    [
        ("empty", (), "it came with {first}"),
        ("first", ("-s", "lid"), "in both: pour, rim"),
        ("first", ("-s", "pour", "-p", "size=2"), "has no parameter 'size' at {first}"),
        ("first", ("-s", "pour", "-v", "bowl"), "bowl came after {first}"),
        ("first", ("-s", "pour", "-v", "bowel"), "did you mean 'bowl'"),
        ("first", ("--baseline", "mug"), "leave --baseline out"),
    ],
)
def test_what_cannot_be_compared_is_one_error_that_helps(
    lab: CupsLab, commits: dict[str, str], at: str, arguments: tuple[str, ...], says: str
) -> None:
    said = lab("measure", "cups", *arguments, f"--at={commits.get(at, at)}", status=2).stderr
    assert says.format(first=commits["first"][:7]) in said


def test_of_a_build_that_fails_the_end_of_its_log_is_shown(lab: CupsLab, commits: dict[str, str]) -> None:
    said = lab("measure", "cups", "--at", commits["broken"], status=4).stderr
    assert f"at {commits['broken'][:7]}, the build of cups failed with status 1:\nno clay left" in said
    assert "whole log: " in said


def test_a_tree_is_used_again_listed_and_removed(lab: CupsLab, commits: dict[str, str], slower: Repository) -> None:
    lab("measure", "cups", *GLASS_POURED, "--at", commits["first"], status=1)
    (tree,) = [one for one in lab.json("revisions") if one["commit"] == commits["first"]]
    assert tree["subject"] == "Cups"
    assert tree["bytes"] > 0
    folder = slower.folder / ".lab" / "revisions" / commits["first"]
    assert tree["folder"] == str(folder)
    inode = folder.stat().st_ino
    lab("measure", "cups", *GLASS_POURED, "--at", "HEAD~3", status=1)
    assert folder.stat().st_ino == inode
    assert "removed" in lab("revisions", "--remove", "HEAD~3").stdout
    assert not folder.exists()
    assert str(folder) not in slower.git("worktree", "list")
    assert [one for one in lab.json("revisions") if one["commit"] == commits["first"]] == []


def test_two_revisions_are_measured_against_each_other(lab: CupsLab, commits: dict[str, str]) -> None:
    two = (commits["first"], commits["slow"])
    found = lab.json("compare", *two, "--topic", "cups", *GLASS_POURED, status=1)
    assert rows(found) == {("pour", "glass", "pour"): "regression", ("pour", "glass", "worst"): "regression"}
    (scenario,) = found["scenarios"]
    run = find_run(scenario["run"], lab.results)
    assert [arm.label for arm in run.header.arms] == [f"glass @ {one[:7]}" for one in two]
    back = lab.json("compare", *two[::-1], "--topic", "cups", *GLASS_POURED)
    assert set(rows(back).values()) == {"better"}
    assert "both revisions are" in lab("compare", two[0], "HEAD~3", "--topic", "cups", status=2).stderr
    assert "add --topic" in lab("compare", *two, status=2).stderr


def test_verdicts_go_to_files_for_a_pull_request_and_for_ci(
    lab: CupsLab, commits: dict[str, str], slower: Repository, tmp_path: Path
) -> None:
    files = ("--markdown", str(tmp_path / "gate.md"), "--junit", str(tmp_path / "gate.xml"))
    said = lab("measure", "cups", "-s", "pour", "--at", commits["first"], *files, status=1).stdout
    assert "cups pour:" in said
    markdown = (tmp_path / "gate.md").read_text()
    assert markdown.startswith("### ❌ cups, ")
    assert "2 regressions" in markdown
    assert f"./lab measure cups -s pour --at {commits['first']}" in markdown
    (suite,) = JUnitXml.fromfile(str(tmp_path / "gate.xml"))
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (7, 2, 0, 1)
    assert slower.git("status", "--porcelain") == "M components/cups/bench.py"


def test_markdown_on_standard_output_is_alone_there(lab: CupsLab, commits: dict[str, str]) -> None:
    arguments = ("measure", "cups", *GLASS_POURED, "--at", commits["first"], "--markdown", "-")
    assert lab(*arguments).stdout.startswith("### ✅ cups, ")
    assert "one thing at a time" in lab(*arguments, "--json", status=2).stderr
    assert "there is no folder" in lab(*arguments[:-1], "nowhere/gate.md", status=2).stderr


def test_without_anything_to_judge_by_there_is_nothing_to_write(lab: CupsLab, tmp_path: Path) -> None:
    said = lab("measure", "cups", *GLASS_POURED, "--junit", str(tmp_path / "gate.xml"), status=2).stderr
    assert "nothing to judge by" in said


def test_baselines_and_runs_are_compared_as_they_were(lab: CupsLab, slower: Repository, tmp_path: Path) -> None:
    slower.git("checkout", "--quiet", "--", ".")
    lab("measure", "cups", *GLASS_POURED, "-v", "mug", "--save-baseline", "good")
    slower.replace("bench.py", GLASS, SLOW_GLASS)
    lab("measure", "cups", *GLASS_POURED, "-v", "mug", "--save-baseline", "bad")
    runs = [row["run"] for row in lab.json("runs")]
    for two in (("good", "bad"), ("good", runs[1]), runs):
        found = lab.json("compare", *two, "-v", "glass", status=1)
        assert found["comparisons"][0]["verdict"] == "slower"
        assert "not interleaved" in found["notes"][0]
        assert lab.json("compare", *two, "-v", "mug")["comparisons"][0]["verdict"] == "no difference"
    for wrong, says in (
        (("good", "bad", "--junit", str(tmp_path / "gate.xml")), "which only revisions have"),
        (("good", "rev:HEAD"), "only two revisions can be compared"),
        (("good", "godo"), "no saved baseline, no run and no revision"),
        (("cups", "good"), "more than one run fits 'cups'"),
    ):
        assert says in lab("compare", *wrong, status=2).stderr
    slower.git("checkout", "--quiet", "--", ".")
    lab("measure", "cups", "-s", "rim", "-v", "glass", "-v", "mug", "--save-baseline", "good")
    assert "holds several runs" in lab("compare", "good", "bad", status=2).stderr
    for path in (lab.results / "runs" / runs[0]).glob("samples.*"):
        path.unlink()
    assert runs[0] in lab("compare", "good", "bad", "-s", "pour", status=2).stderr


def test_history_has_a_point_for_each_run_and_says_how_many_are_missing(lab: CupsLab, tmp_path: Path) -> None:
    lab("measure", "cups", *GLASS_POURED, "-v", "mug")
    write_run(lab.results, name="z-theirs", header=msgspec.structs.replace(HEADER, component="cups"))
    said = lab("history", "cups", "--to", str(tmp_path / "charts"))
    assert "runs of other machines are left out: --all-machines" in said.stderr
    assert "cups pour: pour of glass over mug, by run" in said.stdout
    assert "glass: 1 run, 9 too few to tell a change from chance" in said.stdout
    assert len(list((tmp_path / "charts").glob("history-cups-pour-glass-*.html"))) == 1
    (series,) = lab.json("history", "cups", "-s", "pour", "-v", "glass", "--metric", "worst")["series"]
    assert [point["estimate"] for point in series["points"]] == [pytest.approx(80 / 200)]
    (series,) = lab.json("history", "cups", "-v", "glass", "--absolute")["series"]
    assert [point["estimate"] for point in series["points"]] == [200]
    assert series["runs_missing"] == 9
    assert "did you mean 'glass'" in lab("history", "cups", "-v", "glas", status=2).stderr
