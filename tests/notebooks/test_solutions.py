"""The solutions of docs/solutions, each put into its notebook in place of the exercise's cell.

What stands in the notebook around it stays: the contract that a variant is held against, the measurement, and the
cell that judges.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import nbformat
import pytest

from perflab.errors import BenchError
from perflab.notebooks import execute
from perflab.paths import LAB_DIR, NOTEBOOKS_DIR, ROOT
from perflab.runner import PRESET_VARIABLE, Silent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOLUTIONS = ROOT / "docs" / "solutions"


@dataclass(frozen=True)
class Exercise:
    """An exercise.

    Attributes:
        solution: The file's name.
        notebook: The notebook that asks for it.
        replaces: What the exercise's cell is known by.
        needs: What the cells are known by that are run before and after it, in their order.
        says: What the last of them says.
    """

    solution: str
    notebook: str
    replaces: str
    needs: tuple[str, ...]
    says: str


KOTLIN = "%use perflab"
# How fast a solution is, is the reader's machine's business, and three rounds would not tell.
JUDGED = r"beaten|not yet"
EXERCISES = [
    Exercise(
        "mailbox.kt",
        "1-mailbox.ipynb",
        "class MyMailbox",
        (KOTLIN, "lab.load(", "import perflab.mailbox.*", "lab.variant(", "plugin = mine", "check(result)"),
        JUDGED,
    ),
    Exercise(
        "queues.kt",
        "2-queues.ipynb",
        "class MyPipeline",
        (KOTLIN, "lab.load(", "import perflab.queues.*", "lab.variant(", "plugin = mine", "check(throughput, press"),
        rf"({JUDGED})(?!.*under back pressure)",
    ),
    Exercise(
        "thread-pool-cause.cs",
        "3-thread-pool.ipynb",
        "/* your line */",
        ("new Lab()", "lab.Load(", "using Perflab.ThreadPools;", "var settings =", "1000(IWorkPool", "double Try("),
        "that is it|not it",
    ),
    Exercise(
        "thread-pool.cs",
        "3-thread-pool.ipynb",
        "class MyPool",
        ("new Lab()", "lab.Load(", "using Perflab.ThreadPools;", "lab.Variant<", "plugin: mine", "double? low ="),
        JUDGED,
    ),
    Exercise(
        "supervisor-strategies.rs",
        "4-supervisor.ipynb",
        "fn yours(",
        (
            ":dep perflab-lab", "use supervisor_lab::{supervisor", "pub enum Order", "let system =", "fn state(",
            "fn family(", "silence_actor_panics", "async fn crash(", "let (mut right",
        ),
        "all nine",
    ),
    Exercise(
        "supervisor.rs",
        "4-supervisor.ipynb",
        "pub struct MyRuntime",
        (":dep perflab-lab", "use supervisor_lab::{supervisor", "lab.variant(", "plugin(&mine)", "let ours ="),
        JUDGED,
    ),
    Exercise(
        "sequencer-schedule.py",
        "5-sequencer.ipynb",
        "schedule = ",
        ("import lab", "lab.module(", "def lanes("),
        "is lost",
    ),
    Exercise(
        "sequencer.cpp",
        "5-sequencer.ipynb",
        "class MyBuffer",
        ("import lab", "yours]", "mine = next("),
        JUDGED,
    ),
]  # fmt: skip


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where a copy of a notebook goes: beside `notebooks`, so that the paths in it lead to the same places."""
    monkeypatch.setenv("PERFLAB_RESULTS", str(tmp_path / "results"))
    copy = LAB_DIR / f"{tmp_path.name}.ipynb"
    LAB_DIR.mkdir(exist_ok=True)
    yield copy
    copy.unlink(missing_ok=True)


def solved(exercise: Exercise, source: str) -> nbformat.NotebookNode:
    """The notebook with the cells that the exercise needs, and the solution in its place."""
    notebook = nbformat.read(NOTEBOOKS_DIR / exercise.notebook, as_version=4)
    cells, wanted = [], {exercise.replaces, *exercise.needs}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        known = {mark for mark in wanted if mark in cell.source}
        if exercise.replaces in known:
            cell.source = source
        if known:
            cells.append(cell)
        wanted -= known - {"plugin = mine"}  # which is measured twice
    assert wanted <= {"plugin = mine"}, f"no cell of {exercise.notebook} has {wanted}"
    notebook.cells = cells
    return notebook


def text_of(cell: nbformat.NotebookNode) -> str:
    """What a cell has printed and what it is worth."""
    outputs = (output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs)
    return "".join("".join(text) for text in outputs)


def run(exercise: Exercise, source: str, place: Path) -> nbformat.NotebookNode:
    nbformat.write(solved(exercise, source), place)
    execute(place, place, Silent(), {PRESET_VARIABLE: "smoke"})
    return nbformat.read(place, as_version=4)


def test_each_solution_is_of_an_exercise() -> None:
    files = {path.name for path in SOLUTIONS.iterdir() if path.suffix != ".md"}
    assert files == {exercise.solution for exercise in EXERCISES}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.solution)
def test_each_exercise_is_in_its_notebook(exercise: Exercise) -> None:
    source = (SOLUTIONS / exercise.solution).read_text(encoding="utf-8")
    notebook = solved(exercise, source)
    assert [cell.source for cell in notebook.cells].count(source) == 1


@pytest.mark.notebook
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.solution)
def test_a_solution_keeps_the_contract_and_is_judged(exercise: Exercise, place: Path) -> None:
    executed = run(exercise, (SOLUTIONS / exercise.solution).read_text(encoding="utf-8"), place)
    said = text_of(executed.cells[-1])
    assert re.search(exercise.says, said, re.DOTALL), said


@pytest.mark.notebook
def test_a_solution_that_forgets_to_wake_anybody_is_refused(place: Path) -> None:
    (exercise,) = (one for one in EXERCISES if one.solution == "mailbox.kt")
    source = (SOLUTIONS / exercise.solution).read_text(encoding="utf-8")
    forgetful = source.replace("LockSupport.unpark(it)", "")
    assert forgetful != source
    with pytest.raises(BenchError, match="breaks the contract"):
        run(exercise, forgetful, place)
