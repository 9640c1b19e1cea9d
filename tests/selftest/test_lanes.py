"""Two steps at a time, of which at most one measures."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from perflab.selftest import Result, Step, run_steps

if TYPE_CHECKING:
    from pathlib import Path

_MEET = """
import pathlib, sys, time
mine, other = map(pathlib.Path, sys.argv[1:])
mine.touch()
for _ in range(200):
    if other.exists():
        break
    time.sleep(0.1)
print("met" if other.exists() else "alone")
"""


class Ear:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.begun_steps: list[str] = []
        self.printed: dict[str, str] = {}

    def begun(self, step: Step) -> None:
        self.begun_steps.append(step.name)

    def ended(self, step: Step, result: Result, printed: str) -> None:
        self.printed[step.name] = printed.strip()
        assert result.name == step.name


def step(name: str, code: str, *arguments: str, measures: bool) -> Step:
    return Step(name, "", [[sys.executable, "-c", code, *arguments]], measures=measures)


def test_one_that_measures_and_one_that_does_not_run_at_once(tmp_path: Path) -> None:
    here, there = str(tmp_path / "here"), str(tmp_path / "there")
    ear = Ear()
    run_steps([step("a", _MEET, here, there, measures=True), step("b", _MEET, there, here, measures=False)], ear)
    assert ear.printed == {"a": "met", "b": "met"}


def test_two_that_measure_run_one_after_the_other_and_results_come_in_order(tmp_path: Path) -> None:
    look = "import pathlib, sys; print(pathlib.Path(sys.argv[1]).exists()); pathlib.Path(sys.argv[1]).touch()"
    mark = str(tmp_path / "mark")
    steps = [
        step("a", look, mark, measures=True),
        step("wrong", "import sys; sys.exit('no')", measures=False),
        step("b", look, mark, measures=True),
    ]
    ear = Ear()
    results = run_steps(steps, ear)
    assert [(one.name, one.ok) for one in results] == [("a", True), ("wrong", False), ("b", True)]
    assert ear.printed == {"a": "False", "b": "True", "wrong": "no"}
    assert [name for name in ear.begun_steps if name != "wrong"] == ["a", "b"]
