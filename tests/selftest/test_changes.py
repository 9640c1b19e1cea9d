"""Which steps a change can have touched, and which have passed before on the same files and tools."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from cupsrepo import Repository

from perflab.cli.step_runner import run_step
from perflab.cli.steps import Step, Work, changed_since_main, is_touched

if TYPE_CHECKING:
    from pathlib import Path

RUN = [
    [
        sys.executable,
        "-c",
        "import pathlib; pathlib.Path('.lab').mkdir(exist_ok=True); open('.lab/ran', 'a').write('x')",
    ]
]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A checkout with two topics, on a branch that has left main."""
    found = Repository(tmp_path / "lab")
    for topic in ("cups", "mugs"):
        (found.folder / "components" / topic).mkdir(parents=True)
        (found.folder / "components" / topic / "bench.py").write_text("1")
    (found.folder / "README.md").write_text("cups")
    found.commit("Cups and mugs")
    found.git("switch", "--quiet", "--create", "branch")
    return found


def step(repository: Repository, topic: str = "cups", commands: list[list[str]] = RUN) -> Step:
    return Step(
        topic, "", lambda: Work(commands, cwd=repository.folder), (f"components/{topic}",), root=repository.folder
    )


def touched(repository: Repository) -> set[str]:
    base = changed_since_main(repository.folder)
    assert base
    steps = [
        step(repository, "cups"),
        step(repository, "mugs"),
        Step("python", "", lambda: Work([]), root=repository.folder),
    ]
    return {one.name for one in steps if is_touched(one, base)}


def times_run(repository: Repository) -> int:
    return len((repository.folder / ".lab" / "ran").read_text())


def test_a_change_touches_the_steps_that_depend_on_its_files(repository: Repository) -> None:
    assert touched(repository) == set()
    (repository.folder / "components" / "cups" / "new.py").write_text("")
    assert touched(repository) == {"cups", "python"}, "a file that git does not know yet"
    repository.commit("A new file")
    assert touched(repository) == {"cups", "python"}, "committed on the branch"
    (repository.folder / "components" / "mugs" / "bench.py").write_text("2")
    assert touched(repository) == {"cups", "mugs", "python"}, "changed and not committed"
    (repository.folder / "components" / "mugs" / "bench.py").unlink()
    assert touched(repository) == {"cups", "mugs", "python"}, "removed"


def test_what_others_have_done_on_main_since_is_no_change(repository: Repository) -> None:
    repository.git("switch", "--quiet", "main")
    (repository.folder / "components" / "mugs" / "bench.py").write_text("2")
    repository.commit("Mugs")
    repository.git("switch", "--quiet", "branch")
    assert touched(repository) == set()


def test_without_a_branch_main_there_is_nothing_to_compare_with(repository: Repository) -> None:
    repository.git("branch", "--quiet", "--move", "main", "trunk")
    assert changed_since_main(repository.folder) is None


def test_a_step_that_has_passed_is_run_again_when_a_file_of_its_has_changed(repository: Repository) -> None:
    assert run_step(step(repository), unless_unchanged=True).outcome == "passed"
    assert run_step(step(repository), unless_unchanged=True).outcome == "unchanged"
    (repository.folder / "README.md").write_text("mugs")
    assert run_step(step(repository), unless_unchanged=True).outcome == "unchanged"
    (repository.folder / "components" / "cups" / "bench.py").write_text("2")
    assert run_step(step(repository), unless_unchanged=True).outcome == "passed"
    (repository.folder / "components" / "cups" / "new.py").write_text("")
    assert run_step(step(repository), unless_unchanged=True).outcome == "passed"
    assert times_run(repository) == 3
    assert run_step(step(repository)).outcome == "passed", "whoever asks for it gets it"
    assert times_run(repository) == 4


def test_a_step_that_failed_is_run_again_though_it_had_passed_before(repository: Repository) -> None:
    run_step(step(repository))
    fails = step(repository, commands=[[sys.executable, "-c", "import sys; sys.exit(1)"]])
    assert run_step(fails, unless_unchanged=True).outcome == "failed", "another command"
    assert run_step(step(repository), unless_unchanged=True).outcome == "passed"


def test_a_step_whose_files_changed_while_it_ran_has_not_passed_on_either(repository: Repository) -> None:
    write = "import pathlib; p = pathlib.Path('components/cups/bench.py'); p.write_text(p.read_text() + '#')"
    changing = step(repository, commands=[[sys.executable, "-c", write]])
    assert run_step(changing, unless_unchanged=True).outcome == "passed"
    assert run_step(changing, unless_unchanged=True).outcome == "passed"


def test_without_git_every_step_runs(tmp_path: Path) -> None:
    one = Step("cups", "", lambda: Work(RUN, cwd=tmp_path), root=tmp_path)
    outcomes = [run_step(one, unless_unchanged=True).outcome for _ in range(2)]
    assert outcomes == ["passed", "passed"]
