"""The labkit and the process that it starts: what it asks for, and how it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from IPython.core.interactiveshell import InteractiveShell
from waiting import PATIENCE_S, wait_for

from perflab.host import guard
from perflab.kernels.labkit import Plugin, register
from perflab.labkit import lab

ROOT = Path(__file__).parents[2]

# It says what it was asked; `endless` goes on until it is interrupted and then says more than a pipe holds, `deaf` does
# not hear.
FAKE = """#!{python}
import json, signal, sys, time
def say(**message):
    print(json.dumps(message), flush=True)
topic = sys.argv[2]
if topic == "deaf":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
try:
    say(type="progress", done=0.5, text="begun", seconds_left=None)  # from now on it may be interrupted
    if topic == "stray":
        print("a library says hello", flush=True)
        print("[1, 2]", flush=True)
        print('{{"type": "error"}}', flush=True)
        sys.stdout.buffer.write(b"\\xff\\n")
        sys.stdout.flush()
    while topic not in ("plain", "stray"):
        time.sleep(0.1)
except KeyboardInterrupt:
    for _ in range(40):
        say(type="note", text="x" * 10_000)
    sys.stderr.write("y" * 200_000)
    say(type="note", text="the last word")
    sys.exit(130)
say(type="result", data=sys.argv[1:])
"""


@pytest.fixture
def launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "lab"
    path.write_text(FAKE.format(python=sys.executable))
    path.chmod(0o755)
    monkeypatch.setenv("PERFLAB_LAUNCHER", str(path))
    return path


@pytest.mark.usefixtures("launcher")
def test_a_variant_of_ones_own_takes_part_beside_those_that_are_named() -> None:
    own = Plugin("plain", ("mine",), (), Path("mine.so"))
    for asked in (
        lab.measure("plain", variants=["mutex", "lab"], plugin=own),
        lab.measure("plain", variants=["mutex", "lab", own]),
        lab.sweep("plain", variants=["mutex", "lab"], plugin=own, over={"n": "1..4"}),
    ):
        assert [asked[i + 1] for i, word in enumerate(asked) if word == "--variant"] == ["mutex", "lab", "mine"]
        assert asked[asked.index("--plugin") + 1] == "mine.so"
    assert "--variant" not in lab.measure("plain", plugin=own), "without names all take part, and it is one of them"


@pytest.mark.usefixtures("launcher")
def test_arguments_become_the_options_of_the_command() -> None:
    asked = lab.measure("plain", variants=["lab"], over={"order": [0, 2]})
    assert (asked[0], asked[asked.index("--over") + 1]) == ("measure", "order=0,2")
    asked = lab.noise("plain", scenario="publish", variant="lab", params={"epoch-us": 1000}, quick=True)
    assert asked[:2] == ["noise", "plain"]
    for option in (["--scenario", "publish"], ["--variant", "lab"], ["--param", "epoch-us=1000"]):
        assert asked[asked.index(option[0]) + 1] == option[1]
    assert "--quick" in asked
    assert "--rigorous" not in asked


DATA = [1]


def plain() -> int:
    return len(DATA)


@pytest.mark.usefixtures("launcher")
def test_functions_are_measured_with_all_that_stands_beside_them() -> None:
    asked = lab.bench(plain, quick=True)
    file = Path(asked[asked.index("--functions") + 1])
    assert (asked[:2], file.name) == (["bench", "plain"], "plain.py")
    assert "--quick" in asked
    assert file.read_text() == Path(__file__).read_text()


@pytest.mark.usefixtures("launcher")
def test_functions_in_cpp_keep_the_lines_of_their_cell() -> None:
    shell = InteractiveShell.instance(user_ns={"lab": lab})
    try:
        register(shell, lab)
        assert shell.run_cell("%%cpp --bench plain two --quick\nint plain() { return 1; }\n").success
        asked = shell.user_ns["yours"]
        file = Path(asked[asked.index("--functions") + 1])
        assert (asked[:3], file.name) == (["bench", "plain", "two"], "plain-two.cpp")
        assert file.read_text() == "\nint plain() { return 1; }\n"
        for wrong in ("toy", "toy T --quick", "toy T --bench plain"):
            assert not shell.run_cell(f"%%cpp {wrong}\nint plain();").success
    finally:
        InteractiveShell.clear_instance()


@pytest.mark.usefixtures("launcher")
def test_output_that_is_no_message_is_shown_and_ends_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert lab.measure("stray")[:2] == ["measure", "stray"]
    shown = capsys.readouterr().out
    for line in ("a library says hello", "[1, 2]", '{"type": "error"}', "\N{REPLACEMENT CHARACTER}"):
        assert line in shown


@pytest.mark.usefixtures("launcher")
def test_what_cannot_be_shown_leaves_no_command_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        commands.extend(one for one in children(os.getpid()) if one not in before)
        raise RuntimeError("a defect")

    before, commands = children(os.getpid()), list[psutil.Process]()
    monkeypatch.setattr("perflab.kernels.labkit.Display.show", broken)
    with pytest.raises(RuntimeError, match="a defect"):
        lab.measure("endless")
    (command,) = commands
    try:
        assert not command.is_running()
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            command.kill()


def started(topic: str, launcher: Path) -> tuple[subprocess.Popen[str], psutil.Process]:
    """A process in which a cell runs, and the command that it has started."""
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += f"from perflab.labkit import lab\nlab.measure({topic!r})\n"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PERFLAB_LAUNCHER": str(launcher)}
    cell = subprocess.Popen(
        [sys.executable, "-u", "-c", code], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for(lambda: any("lab" in one.name() or topic in one.cmdline() for one in children(cell.pid)))
    (command,) = children(cell.pid)
    return cell, command


def children(pid: int) -> list[psutil.Process]:
    return [one for one in psutil.Process(pid).children() if guard.__file__ not in one.cmdline()]


def test_an_interrupt_is_passed_on_and_the_last_words_are_shown(launcher: Path) -> None:
    cell, command = started("endless", launcher)
    assert cell.stdout is not None
    while "begun" not in cell.stdout.readline():
        pass
    cell.send_signal(signal.SIGINT)
    said, _ = cell.communicate(timeout=PATIENCE_S)
    assert "the last word" in said
    assert not command.is_running()


def test_who_does_not_hear_is_ended_by_a_second_interrupt(launcher: Path) -> None:
    cell, command = started("deaf", launcher)
    wait_for(lambda: command.status() == psutil.STATUS_SLEEPING)
    cell.send_signal(signal.SIGINT)
    time.sleep(0.5)  # the two are to be two
    assert command.is_running()
    cell.send_signal(signal.SIGINT)
    cell.communicate(timeout=PATIENCE_S)
    wait_for(lambda: not command.is_running())
