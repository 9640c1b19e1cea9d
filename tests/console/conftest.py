"""A lab that takes no time: a program that speaks the stream as `./lab` does."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perflab.cli.console.form import LAUNCHER_VARIABLE, Command
from perflab.cli.console.jobs import Job, Queue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perflab.model.lab import Lab

TUNING = Path(__file__).parents[1] / "fixtures" / "tuning"

# The topic says what it does: `fine`, `slow` until it is interrupted, `broken`, `dumb`, `rubbish`, `loud`, `short`.
FAKE = """#!{python}
import json, signal, sys, time
def say(**message):
    print(json.dumps(message), flush=True)
topic = sys.argv[2]
try:
    say(type="progress", done=0.25, text="round 2, steel", seconds_left=3.0)
    if topic == "slow":
        time.sleep(60)
except KeyboardInterrupt:
    say(type="note", text="what was measured is kept")
    sys.exit(130)
if topic == "broken":
    say(type="error", message="no such kettle", hint="buy one", exit=2)
    sys.exit(2)
if topic == "dumb":
    print("it went up in steam", file=sys.stderr)
    sys.exit(9)
if topic == "rubbish":
    print("this is no JSON", flush=True)
    print("[1, 2]", flush=True)
    print('{{"type": "progress"}}', flush=True)
    sys.stdout.buffer.write(b"\\xff\\n")
    sys.stdout.flush()
if topic == "loud":
    sys.stderr.write("x" * 1_000_000)
say(type="display", data={{"text/plain": "a chart"}}, metadata={{}})
say(type="result", data={{"words": sys.argv[1:]}})
sys.exit(4 if topic == "short" else 0)
"""


@pytest.fixture
def launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "lab"
    path.write_text(FAKE.format(python=sys.executable))
    path.chmod(0o755)
    monkeypatch.setenv(LAUNCHER_VARIABLE, str(path))
    return path


@pytest.fixture
def queue(launcher: Path) -> Iterator[Queue]:  # noqa: ARG001 - what its jobs start
    queue = Queue(lambda _: None)
    yield queue
    queue.close()


def job(topic: str) -> Job:
    return Job(Command("measure", topic))


@pytest.fixture
def kettle_lab(own_lab: Lab) -> Lab:
    return replace(own_lab, components=TUNING)


@pytest.fixture(scope="session")
def kettle_bench() -> str:
    return str(TUNING / "kettle" / "bench.py")
