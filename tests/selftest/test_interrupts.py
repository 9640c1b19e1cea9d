"""Whoever ends the test command ends all that it has started, also where it is a background job."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from waiting import PATIENCE_S, is_gone, wait_for

if TYPE_CHECKING:
    from pathlib import Path

_AS_A_BACKGROUND_JOB = """
import signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
from perflab.cli.step_runner import accept_interrupts
if sys.argv[1] == "accept":
    accept_interrupts()
child = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
sys.exit(subprocess.run([sys.executable, "-c", child]).returncode)
"""

_A_LONG_STEP = """
import sys
from perflab.cli.step_runner import accept_interrupts, run_step, run_steps
from perflab.cli.steps import Step, Work

class Nobody:
    def started(self, step): pass
    def ended(self, step, result, printed): pass

accept_interrupts()
build = f"{sys.argv[3]} sleep 600 & echo $! > {sys.argv[2]}; wait"
step = Step("build", "", lambda: Work([["sh", "-c", build]]))
if sys.argv[1] == "alone":
    run_step(step)
else:
    run_steps([step], Nobody())
"""


def what_a_child_says(mode: str) -> str:
    command = [sys.executable, "-c", _AS_A_BACKGROUND_JOB, mode]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_processes_under_test_can_be_interrupted_though_the_shell_ignores_it() -> None:
    assert what_a_child_says("accept") == "True"
    assert what_a_child_says("leave") == "False", "the control: without it they cannot"


@pytest.mark.parametrize("how", ["alone", "beside others"])
@pytest.mark.parametrize("wrapper", ["env", "setsid"], ids=["in its group", "in a session of its own"])
def test_a_step_that_is_interrupted_leaves_no_process(how: str, wrapper: str, tmp_path: Path) -> None:
    told = tmp_path / "pid"
    program = [sys.executable, "-c", _A_LONG_STEP, how, str(told), wrapper]
    command = subprocess.Popen(program, stderr=subprocess.DEVNULL)
    grandchild = None
    try:
        wait_for(lambda: command.poll() is not None or (told.exists() and told.read_text().endswith("\n")))
        grandchild = int(told.read_text(encoding="utf-8"))
        command.send_signal(signal.SIGINT)  # to it alone, as a CI server's comes
        assert command.wait(PATIENCE_S) != 0
        wait_for(lambda: is_gone(grandchild), "it is still there")
    finally:
        command.kill()
        command.wait()
        if grandchild is not None:
            with suppress(ProcessLookupError):
                os.kill(grandchild, signal.SIGKILL)
