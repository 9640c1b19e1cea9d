"""`./lab test` itself: on a bare machine, and what it says of steps that cannot run."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from cupsrepo import Repository
from labs import ROOT

from perflab.cli.steps import Step, Work
from perflab.cli.test import test_command as lab_test
from perflab.model.errors import MissingError
from perflab.model.lab import Lab
from perflab.topics.catalogue import find_components

if TYPE_CHECKING:
    from pathlib import Path

LAB = Lab.from_environment()

PASSES, FAILS = ([[sys.executable, "-c", f"import sys; print('said'); sys.exit({status})"]] for status in (0, 1))


def missing() -> Work:
    raise MissingError("there is no .NET SDK", "install one")


@pytest.fixture
def steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Step]:
    """The steps in place of the lab's own; a preparation that does nothing goes before them."""
    found: list[Step] = [Step("python", "the lab itself", lambda: Work(PASSES, cwd=tmp_path), root=tmp_path)]
    monkeypatch.setattr("perflab.cli.steps.steps", lambda *_, **__: list(found))
    setup = Step("setup", "", lambda: Work(PASSES, cwd=tmp_path), root=tmp_path)
    monkeypatch.setattr("perflab.cli.steps.preparation", lambda: setup)
    return found


def run(*arguments: str, status: int = 0) -> str:
    done = CliRunner().invoke(lab_test, list(arguments), obj=LAB)
    assert done.exit_code == status, done.output
    return done.output


def test_the_list_needs_nothing_but_python(tmp_path: Path) -> None:
    environment = {
        **{name: str(tmp_path / name) for name in ("HOME", "XDG_CACHE_HOME", "TMPDIR", "PATH")},
        "PYTHONPATH": str(ROOT / "src"),
    }
    (tmp_path / "TMPDIR").mkdir()
    command = [sys.executable, "-m", "perflab", "test", "--list"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    listed = {line.split()[0] for line in done.stdout.splitlines()}
    assert listed >= {"setup", "lint", "python", "notebooks", "browser", "labkit-kotlin", "labkit-cpp"}
    assert listed >= {one.name for one in find_components(LAB) if one.manifest.test}
    assert not (tmp_path / "XDG_CACHE_HOME").exists()


def test_a_step_that_cannot_run_here_is_left_out_and_the_others_decide(steps: list[Step]) -> None:
    steps.append(Step("thread-pool", "", missing))
    said = run()
    assert "left out: thread-pool: there is no .NET SDK (install one)" in said
    assert "1 of 3 steps left out on this machine: thread-pool" in said
    assert said.endswith("2 passed, 0 failed, 0 skipped\n")


def test_where_it_is_strict_a_step_left_out_is_a_failure(steps: list[Step]) -> None:
    steps.append(Step("thread-pool", "", missing))
    assert "failed: thread-pool" in run("--strict", status=1)


def test_a_step_that_fails_shows_what_it_has_said_and_how_to_run_it_again(steps: list[Step], tmp_path: Path) -> None:
    assert "said" not in run().partition("] python")[2]
    steps.append(Step("lint", "formatters", lambda: Work(FAILS, cwd=tmp_path)))
    said = run(status=1)
    assert "== lint: formatters\nsaid" in said
    assert "again: ./lab test --only lint" in said
    assert "2 passed, 1 failed, 0 skipped" in said


@pytest.mark.parametrize("option", ["--all", "--strict", "--only"])
def test_what_has_passed_is_not_run_again_unless_it_is_asked_for(
    steps: list[Step], tmp_path: Path, option: str
) -> None:
    repository = Repository(tmp_path / "lab")  # which ignores what tests leave
    steps[:] = [replace(step, root=repository.folder) for step in steps]
    repository.commit("Nothing yet")
    run()
    said = run()
    assert "python unchanged" in said
    assert "unchanged since they passed, so not run: python" in said
    assert "unchanged" not in run(option, *(["python"] if option == "--only" else []))


def test_a_step_that_does_not_exist_is_refused_with_the_nearest(steps: list[Step]) -> None:
    assert steps
    assert "did you mean 'python'" in run("--only", "pyton", status=2)
