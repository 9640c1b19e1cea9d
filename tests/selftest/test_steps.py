"""The steps of `./lab test`: which run again, what is counted, and that an interrupt leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from cupsrepo import Repository
from nox.registry import _REGISTRY
from waiting import PATIENCE_S, is_gone, wait_for

from perflab.cli.test import test_command as lab_test
from perflab.model.lab import Lab

if TYPE_CHECKING:
    from pathlib import Path

NOXFILE = '''
import sys
from pathlib import Path
import nox
from perflab.cli.test import Step, Work
from perflab.model.errors import MissingError

ROOT = Path(__file__).parent
REPORT = """
<testsuites><testsuite>
  <testcase classname="OrderTest" name="first_in_first_out" time="3"/>
  <testcase classname="OrderTest" name="wakes"><failure message="expected: true&#10;but: false"/></testcase>
  <testcase classname="OrderTest" name="ends"><error>Timeout\\nat line 7</error></testcase>
  <testcase classname="OrderTest" name="large"><skipped message="too little memory"/></testcase>
</testsuite></testsuites>
"""
STEPS = {}

def step(name, inputs, code, **more):
    def work(_):
        if code is None:
            raise MissingError("there is no .NET SDK", "install one")
        return Work([[sys.executable, "-c", one] for one in code], folder=ROOT, **more)
    STEPS[name] = Step(name, f"about {name}", inputs, work, root=ROOT)

step("cups", ("cups",), ["open('.lab/ran', 'a').write('cups ')"])
step("mugs", ("mugs",), ["open('.lab/ran', 'a').write('mugs ')"])
EXTRA = {
    "wrong": ("wrong", ["pass", "import sys; print('said', 'it'); sys.exit(int(open('wrong').read()))", "pass"]),
    "missing": ("none", None),
    "reports": ("none", [f"open('report.xml', 'w').write({REPORT!r})"], {"reports": "*.xml"}),
    "long": ("none", [
        "import pathlib, subprocess, time; child = subprocess.Popen(['setsid', 'sleep', '600']);"
        "pathlib.Path('.lab/pid').write_text(f'{child.pid};'); time.sleep(600)"
    ]),
}
for name in (ROOT / "more").read_text().split():
    inputs, code, *more = EXTRA[name]
    step(name, (inputs,), code, **(more[0] if more else {}))

nox.options.default_venv_backend = "none"
for one in STEPS.values():
    nox.session(lambda session, one=one: one.run(session), name=one.name)
'''


@pytest.fixture
def checkout(tmp_path: Path) -> Repository:
    """A checkout with steps of its own, on a branch that has left main."""
    found = Repository(tmp_path / "lab")
    for name, text in {"noxfile.py": NOXFILE, "cups": "1", "mugs": "1", "wrong": "0", "more": ""}.items():
        (found.folder / name).write_text(text)
    (found.folder / ".lab").mkdir()
    found.commit("Cups and mugs")
    found.git("switch", "--quiet", "--create", "branch")
    return found


def run(checkout: Repository, *arguments: str, status: int = 0, more: str = "") -> str:
    (checkout.folder / "more").write_text(more)
    lab = replace(Lab.from_environment(), root=checkout.folder)
    _REGISTRY.clear()
    done = CliRunner().invoke(lab_test, list(arguments), obj=lab)
    assert done.exit_code == status, done.output
    return done.output


def times_run(checkout: Repository, name: str) -> int:
    return (checkout.folder / ".lab" / "ran").read_text().split().count(name)


def test_a_step_that_has_passed_runs_again_when_one_of_its_files_has_changed(checkout: Repository) -> None:
    assert run(checkout).endswith("2 passed, 0 failed, 0 skipped\n")
    assert "unchanged since they passed, so not run: cups, mugs" in run(checkout)
    (checkout.folder / "cups").write_text("2")
    assert "not run: mugs" in run(checkout)
    assert (times_run(checkout, "cups"), times_run(checkout, "mugs")) == (2, 1)
    for times, option in enumerate(("--only=mugs", "--all", "--strict"), 2):
        assert "not run" not in run(checkout, option)
        assert times_run(checkout, "mugs") == times


def test_a_failure_names_the_command_and_shows_its_output_and_the_step_runs_again(
    checkout: Repository, capfd: pytest.CaptureFixture[str]
) -> None:
    assert "5 passed, 0 failed" in run(checkout, more="wrong")
    assert "said it" not in capfd.readouterr().out
    (checkout.folder / "wrong").write_text("2")
    said = run(checkout, status=1, more="wrong")
    assert "failed in wrong: " in said
    assert "again: ./lab test --only wrong" in said
    assert "\n1 passed, 1 failed, 0 skipped\n" in said, "no command after it"
    assert "said it" in capfd.readouterr().out
    (checkout.folder / "wrong").write_text("0")
    assert "3 passed" in run(checkout, more="wrong"), "though it had passed on the same before"


def test_a_step_whose_toolchain_is_not_here_is_left_out_and_that_is_a_failure_where_it_is_strict(
    checkout: Repository,
) -> None:
    said = run(checkout, more="missing")
    assert "left out: missing: there is no .NET SDK (install one)" in said
    assert said.endswith("2 passed, 0 failed, 0 skipped\n")
    assert "failed: missing" in run(checkout, "--strict", status=1, more="missing")


def test_tests_of_a_report_are_counted_and_a_failure_has_the_first_line_of_its_message(checkout: Repository) -> None:
    said = run(checkout, "--only=reports", status=1, more="reports")
    assert "skipped in reports: too little memory" in said
    assert "failed in reports: OrderTest.wakes: expected: true\n" in said
    assert "failed in reports: OrderTest.ends: Timeout\n" in said
    assert "\n1 passed, 2 failed, 1 skipped\n" in said


def test_changed_steps_are_those_whose_files_differ_from_where_the_branch_left_main(checkout: Repository) -> None:
    assert run(checkout, "--changed", "--list") == ""
    (checkout.folder / "cups").write_text("2")
    assert run(checkout, "--changed", "--list").split() == ["cups", "about", "cups"]
    checkout.commit("More cups")
    (checkout.folder / "mugs").unlink()
    assert "mugs" in run(checkout, "--changed", "--list")
    checkout.git("branch", "--quiet", "--move", "main", "trunk")
    assert "nothing to compare with" in run(checkout, "--changed", "--list")


def test_a_step_that_does_not_exist_is_refused_with_the_nearest(checkout: Repository) -> None:
    assert "did you mean 'cups'" in run(checkout, "--only=cup", status=2)


@pytest.mark.parametrize("how", ["", "--only=long"], ids=["beside others", "alone"])
def test_a_step_that_is_interrupted_leaves_no_process(checkout: Repository, how: str) -> None:
    """Also where a shell has made the command ignore SIGINT, as it does with what it runs in the background."""
    (checkout.folder / "more").write_text("long")
    code = f"""
import signal
from dataclasses import replace
from pathlib import Path
from perflab.cli.test import test_command
from perflab.model.lab import Lab
signal.signal(signal.SIGINT, signal.SIG_IGN)
test_command({[how] if how else []}, obj=replace(Lab.from_environment(), root=Path({str(checkout.folder)!r})))
"""
    command = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    told, child = checkout.folder / ".lab" / "pid", 0
    try:
        wait_for(lambda: command.poll() is not None or (told.exists() and told.read_text().endswith(";")))
        child = int(told.read_text()[:-1])
        command.send_signal(signal.SIGINT)  # to it alone, as a CI server's comes
        assert command.wait(PATIENCE_S) != 0
        wait_for(lambda: is_gone(child), "it is still there")
    finally:
        command.kill()
        command.wait()
        if child:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
