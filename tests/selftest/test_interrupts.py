"""Tests of interrupts have to work where the test command itself is a background job."""

from __future__ import annotations

import subprocess
import sys

_AS_A_BACKGROUND_JOB = """
import signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
from perflab.selftest import accept_interrupts
if sys.argv[1] == "accept":
    accept_interrupts()
child = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
sys.exit(subprocess.run([sys.executable, "-c", child]).returncode)
"""


def what_a_child_says(mode: str) -> str:
    command = [sys.executable, "-c", _AS_A_BACKGROUND_JOB, mode]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_processes_under_test_can_be_interrupted_though_the_shell_ignores_it() -> None:
    assert what_a_child_says("accept") == "True"
    assert what_a_child_says("leave") == "False", "the control: without it they cannot"
