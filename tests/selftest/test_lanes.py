"""Several steps at a time, of a group one."""

from __future__ import annotations

import sys
from pathlib import Path

from perflab.cli.step_runner import StepResult, run_steps
from perflab.cli.steps import Step, Work

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
        self.started_steps: list[str] = []
        self.printed: dict[str, str] = {}

    def started(self, step: Step) -> None:
        self.started_steps.append(step.name)

    def ended(self, step: Step, result: StepResult, printed: str) -> None:
        self.printed[step.name] = printed.strip()
        assert result.name == step.name


NOWHERE = Path("/nowhere")
"""No checkout, so nothing is remembered of a step."""


def step(name: str, code: str, *arguments: str, group: str = "") -> Step:
    return Step(name, "", lambda: Work([[sys.executable, "-c", code, *arguments]]), group=group, root=NOWHERE)


def test_two_of_no_group_run_at_once(tmp_path: Path) -> None:
    here, there = str(tmp_path / "here"), str(tmp_path / "there")
    ear = Ear()
    run_steps([step("a", _MEET, here, there), step("b", _MEET, there, here)], ear)
    assert ear.printed == {"a": "met", "b": "met"}


def test_two_of_a_group_run_one_after_the_other_and_results_come_in_order(tmp_path: Path) -> None:
    look = "import pathlib, sys; print(pathlib.Path(sys.argv[1]).exists()); pathlib.Path(sys.argv[1]).touch()"
    mark = str(tmp_path / "mark")
    steps = [
        step("a", look, mark, group="builds"),
        step("wrong", "import sys; sys.exit('no')"),
        step("b", look, mark, group="builds"),
    ]
    ear = Ear()
    results = run_steps(steps, ear)
    assert [(one.name, one.outcome) for one in results] == [("a", "passed"), ("wrong", "failed"), ("b", "passed")]
    assert ear.printed == {"a": "False", "b": "True", "wrong": "no"}
    assert [name for name in ear.started_steps if name != "wrong"] == ["a", "b"]
