"""What a step's reports say is counted, and a test that failed is named."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from perflab.cli.step_runner import run_step
from perflab.cli.steps import Step, Work
from perflab.model.errors import MissingError
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

REPORT = """
<testsuites><testsuite>
  <testcase classname="mailbox.OrderTest" name="first_in_first_out"/>
  <testcase classname="mailbox.OrderTest" name="wakes"><failure message="expected: true&#10;but: false"/></testcase>
  <testcase classname="mailbox.OrderTest" name="ends"><error>Timeout\nat line 7</error></testcase>
  <testcase classname="mailbox.OrderTest" name="fills"><flakyFailure message="expected: 1&#10;but: 2"/></testcase>
  <testcase classname="mailbox.OrderTest" name="large"><skipped message="too little memory"/></testcase>
</testsuite></testsuites>
"""


def step(commands: list[list[str]], reports: list[tuple[Path, str]], cwd: Path, **environment: str) -> Step:
    return Step("mailbox", "", lambda: Work(commands, environment, reports, cwd), root=cwd)


def test_a_step_names_the_tests_that_failed_with_the_first_line_of_what_they_said(tmp_path: Path) -> None:
    write = f"import pathlib, sys; pathlib.Path('report.xml').write_text({REPORT!r}); sys.exit(1)"
    result = run_step(step([[sys.executable, "-c", write]], [(tmp_path, "*.xml")], tmp_path))
    assert result.outcome == "failed"
    assert (result.passed, result.failed, result.skipped) == (2, 2, 1)
    assert result.second_tries == ["mailbox.OrderTest.fills: expected: 1"]
    assert result.failures == ["mailbox.OrderTest.wakes: expected: true", "mailbox.OrderTest.ends: Timeout"]
    assert result.skips == ["too little memory"]


def test_a_step_without_reports_names_the_command_that_failed_and_runs_none_after_it(tmp_path: Path) -> None:
    fine, wrong, never = ([sys.executable, "-c", f"import sys; sys.exit({status})"] for status in (0, 2, 0))
    result = run_step(step([fine, wrong, never], [], tmp_path))
    assert (result.outcome, result.passed, result.failed) == ("failed", 1, 1)
    assert len(result.failures) == 1
    assert "sys.exit(2)" in result.failures[0]


def test_a_command_that_ends_before_its_tests_is_a_failure_with_its_name(tmp_path: Path) -> None:
    result = run_step(step([[sys.executable, "-c", "import sys; sys.exit(1)"]], [(tmp_path, "*.xml")], tmp_path))
    assert (result.outcome, result.passed, result.failed) == ("failed", 0, 1)
    assert "sys.exit(1)" in result.failures[0]


FLAKY = """
from pathlib import Path

def test_that_is_tried_twice():
    if not Path("tried").exists():
        Path("tried").touch()
        raise RuntimeError("nobody answered")

def test_that_never_passes():
    assert 1 + 1 == 3
"""


def test_a_step_whose_toolchain_is_not_here_is_left_out_with_what_would_help() -> None:
    def work() -> Work:
        raise MissingError("there is no .NET SDK", "install one")

    result = run_step(Step("thread-pool", "", work))
    assert (result.outcome, result.reason) == ("left out", "there is no .NET SDK (install one)")


def test_a_command_can_say_that_something_is_missing_by_its_status(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; sys.exit(3)"]
    assert run_step(Step("setup", "", lambda: Work([command], cwd=tmp_path, missing=3))).outcome == "left out"
    assert run_step(Step("setup", "", lambda: Work([command], cwd=tmp_path))).outcome == "failed"


@pytest.mark.parametrize("more", [[], ["--numprocesses=2"]])
def test_a_test_that_passes_at_its_second_try_is_named_and_one_that_does_not_fails(
    tmp_path: Path, more: list[str]
) -> None:
    shutil.copy(CHECKOUT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_flaky.py").write_text(FLAKY, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--reruns=1", "--junit-xml=report.xml", "test_flaky.py", *more]
    result = run_step(step([command], [(tmp_path, "*.xml")], tmp_path, PYTHONPATH=str(CHECKOUT / "src")))
    assert (result.outcome, result.passed, result.failed) == ("failed", 1, 1)
    passes, fails = sorted(result.second_tries)  # two workers end in any order
    assert passes == "test_flaky.py::test_that_is_tried_twice: RuntimeError: nobody answered"
    assert fails == "test_flaky.py::test_that_never_passes: assert (1 + 1) == 3"
