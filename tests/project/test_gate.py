"""The gate: all benchmarks of a project against a revision. What they print is fixed, so that no verdict is luck."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
import yaml
from labs import ROOT, Lab, commit

if TYPE_CHECKING:
    from pathlib import Path

BENCHES = """version = 1

[bench.times]
compare = ["cat a", "cat b", "cat c"]
pattern = '([0-9.]+) ns/op'
"""
QUICK = "--minutes", "1"  # at most: it ends once all is decided


def write(folder: Path, **figures: float) -> None:
    for name, ns in figures.items():
        (folder / name).write_text(f"{ns} ns/op\n")


@pytest.fixture
def own(tmp_path: Path) -> Lab:
    """A project whose benchmarks print what stands in its files, of which all are 100 ns in its only commit."""
    folder = tmp_path / "mine"
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet", folder], check=True)  # noqa: S607
    (folder / "perflab.toml").write_text(BENCHES)
    write(folder, a=100, b=100, c=100)
    commit(folder, "All are 100 ns")
    lab = Lab(tmp_path, PERFLAB_RESULTS="", PERFLAB_COMPONENTS="", PERFLAB_CLAIMS="")
    lab.place = folder
    return lab


def verdicts(found: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {one["benchmark"]: one["verdict"] for one in found["benchmarks"]}


def test_what_is_slower_fails_and_what_is_faster_or_the_same_does_not(own: Lab) -> None:
    write(own.place, a=150, c=80)
    found = own.json("gate", *QUICK, "--junit", "gate.xml", "--markdown", "gate.md", status=1)
    assert verdicts(found) == {"cat a": "slower", "cat b": "no difference", "cat c": "faster"}
    slower, same, faster = found["benchmarks"]
    assert slower["factor"] == pytest.approx(100 / 150)
    assert faster["factor"] == pytest.approx(100 / 80)
    assert slower["run"] is not None
    assert same["run"] is None
    whole = ET.parse(own.place / "gate.xml").getroot()  # noqa: S314 - our own
    assert (whole.get("tests"), whole.get("failures")) == ("3", "1")
    assert [one.get("name") for one in whole.findall("testcase") if one.find("failure") is not None] == ["cat a"]
    text = (own.place / "gate.md").read_text()
    assert "1 of 3 slower, 1 faster, 1 no difference" in text
    assert text.index("cat a") < text.index("<details>") < text.index("cat b")


def test_nothing_is_slower_where_nothing_has_changed(own: Lab) -> None:
    said = own("gate", "HEAD", *QUICK).stdout
    assert "3 of 3 no difference" in said


def test_a_difference_below_the_threshold_does_not_count(own: Lab) -> None:
    write(own.place, a=109)
    assert verdicts(own.json("gate", *QUICK, "--threshold", "10%"))["cat a"] == "no difference"
    assert verdicts(own.json("gate", *QUICK, "--threshold", "5%", status=1))["cat a"] == "slower"


def test_git_does_not_see_what_a_gate_makes(own: Lab) -> None:
    own("gate", "HEAD", *QUICK, "--only", "a$")
    git = ["git", "-C", str(own.place), "status", "--porcelain"]
    assert subprocess.check_output(git) == b""


def test_in_its_first_commit_it_says_what_to_do(own: Lab) -> None:
    assert "nothing has changed" in own("gate", status=2).stderr


def test_modules_come_from_the_tree_and_then_from_where_the_user_has_them(own: Lab, tmp_path: Path) -> None:
    bench = """version = 1\n[bench.times]\ncompare = ["python3 -c 'import figure'"]\npattern = '([0-9.]+) ns/op'\n"""
    (own.place / "perflab.toml").write_text(bench)
    (own.place / "figure.py").write_text("import unit; print(100, unit.NAME)\n")
    commit(own.place, "A module")
    (own.place / "figure.py").write_text("import unit; print(150, unit.NAME)\n")
    others = tmp_path / "others"
    others.mkdir()
    (others / "unit.py").write_text("NAME = 'ns/op'\n")
    (others / "figure.py").write_text("print('7 ns/op')\n")
    paths = os.pathsep.join([str(others), own.environment["PYTHONPATH"]])
    (found,) = own.json("gate", *QUICK, status=1, PYTHONPATH=paths)["benchmarks"]
    assert found["factor"] == pytest.approx(100 / 150)


def test_one_that_fails_is_named_and_the_others_are_judged(own: Lab) -> None:
    (own.place / "a").unlink()
    found = own.json("gate", *QUICK, status=4)
    assert verdicts(found) == {"cat a": "failed", "cat b": "no difference", "cat c": "no difference"}
    assert "status 1" in found["benchmarks"][0]["failed"]


def test_only_those_that_are_asked_for(own: Lab) -> None:
    assert [*verdicts(own.json("gate", "HEAD", "--only", "[ab]$", *QUICK))] == ["cat a", "cat b"]
    assert "share no benchmark" in own("gate", "HEAD", "--only", "nothing", status=2).stderr
    assert "no regular expression" in own("gate", "HEAD", "--only", "(", status=2).stderr


def test_an_interrupted_gate_goes_on_with_what_it_has(own: Lab) -> None:
    assert "was interrupted" in own("gate", "HEAD", "--resume", *QUICK, status=2).stderr
    write(own.place, a=150)
    first = own.json("gate", *QUICK, status=1)
    (journal,) = (own.place / ".perflab" / "results" / "gates").iterdir()
    with journal.open("a") as file:
        file.write('{"pair": "cat b", "sco')  # killed while it wrote
    again = own.json("gate", "--resume", *QUICK, status=1)
    assert again["benchmarks"] == first["benchmarks"]
    # What was seen is not measured again, and a control is all that is new.
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    assert [line["pair"] for line in lines if "best" in line].count("cat b") == first["benchmarks"][1]["rounds"]


def test_both_sides_are_built_or_it_says_which_is_not(own: Lab) -> None:
    (own.place / "build.sh").write_text("echo 120 ns/op > b\n")
    said = own("gate", *QUICK, "--build", "sh build.sh", status=4).stderr
    assert "does not build" in said
    assert "build.sh" in said
    commit(own.place, "With a build")
    assert verdicts(own.json("gate", "HEAD", *QUICK, "--build", "sh build.sh"))["cat b"] == "no difference"


@pytest.mark.parametrize(
    ("typed", "says"), [(("nowhere",), "no revision 'nowhere'"), (("--gbench", "./none", "HEAD"), "share no benchmark")]
)
def test_what_cannot_be_compared_is_one_line(own: Lab, typed: tuple[str, ...], says: str) -> None:
    assert says in own("gate", *typed, status=2).stderr


def test_a_branch_is_compared_with_where_it_left_the_main_one(own: Lab) -> None:
    write(own.place, a=200)
    commit(own.place, "Slower")
    assert verdicts(own.json("gate", *QUICK, status=1))["cat a"] == "slower"  # the commit before
    subprocess.run(["git", "-C", own.place, "checkout", "--quiet", "-b", "mine"], check=True)  # noqa: S607
    write(own.place, b=50)
    commit(own.place, "Faster")
    commit(own.place, "Something else")
    assert verdicts(own.json("gate", *QUICK)) == {"cat a": "no difference", "cat b": "faster", "cat c": "no difference"}


def test_without_a_project_or_git_it_says_what_to_do(tmp_path: Path) -> None:
    lab = Lab(tmp_path, PERFLAB_RESULTS="", PERFLAB_COMPONENTS="", PERFLAB_CLAIMS="")
    lab.place = tmp_path / "empty"
    lab.place.mkdir()
    assert "perflab init" in lab("gate", status=2).stderr.replace("./lab", "perflab")
    lab("init")
    assert "no git repository" in lab("gate", status=2).stderr


def test_a_bisection_finds_the_commit_and_passes_by_one_that_fails(own: Lab) -> None:
    for number, ns in enumerate((100, 100, 101, 150, 150, 150), start=1):
        write(own.place, a=ns)
        (own.place / "notes").write_text(str(number))
        commit(own.place, f"Commit {number}")
    (own.place / "a").unlink()
    commit(own.place, "Commit 7, which has no a")
    write(own.place, a=150)
    commit(own.place, "Commit 8")
    found = own.json("gate", "--bisect", "HEAD~8", "HEAD", "cat a")
    git = ["git", "-C", str(own.place), "show", "--no-patch", "--format=%s", found["first"]]
    assert subprocess.check_output(git, text=True).strip() == "Commit 4"
    assert found["factor"] == pytest.approx(100 / 150)
    assert found["among"] == []
    assert len(found["steps"]) <= 4
    said = own("gate", "--bisect", "HEAD~2", "HEAD", "cat a", status=2).stderr
    assert "does not differ" in said
    assert "has no benchmark 'dog a'" in own("gate", "--bisect", "HEAD~8", "HEAD", "dog a", status=2).stderr
    assert "does not follow" in own("gate", "--bisect", "HEAD", "HEAD~8", "cat a", status=2).stderr


def test_a_bisection_says_which_commits_may_be_the_first_as_well(own: Lab) -> None:
    (own.place / "a").unlink()
    commit(own.place, "No a")
    write(own.place, a=150)
    commit(own.place, "Slower")
    found = own.json("gate", "--bisect", "HEAD~2", "HEAD", "cat a")
    assert len(found["among"]) == 1
    assert "status 1" in next(iter(found["skipped"].values()))


def test_the_action_has_what_its_steps_ask_for_and_its_scripts_are_bash() -> None:
    text = (ROOT / "action.yml").read_text()
    action = yaml.safe_load(text)
    assert set(re.findall(r"inputs\.(\w+)", text)) == set(action["inputs"])
    scripts = [step["run"] for step in action["runs"]["steps"] if "run" in step]
    assert len(scripts) == 3
    for script in scripts:
        assert "${{" not in script, "what a user types is a variable, never code"
        subprocess.run(["bash", "-n", "-c", script], check=True)  # noqa: S607
