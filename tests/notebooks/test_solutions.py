"""The solutions of docs/solutions, each put into its notebook in place of the exercise's cell.

What stands in the notebook around it stays: the contract that a variant is held against, the measurement, and the
cell that judges.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import nbformat
import pytest
from silent import Silent
from smokeruns import environment, provide_topic

from perflab.kernels.notebooks import execute
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nbformat import NotebookNode

SOLUTIONS = CHECKOUT / "docs" / "solutions"


@dataclass(frozen=True)
class Exercise:
    """An exercise: run the cells of its notebook with `needs` in them, and the solution for the one with `replaces`."""

    solution: str
    notebook: str
    replaces: str
    needs: tuple[str, ...]
    says: str
    """What the last cell says."""


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


FORGETFUL = "mailbox.kt"
WAKES = "LockSupport.unpark(it)"
MAY_FAIL = "raises-exception"
"""The tag by which nbclient goes on after a cell that fails."""


def source_of(exercise: Exercise) -> str:
    return (SOLUTIONS / exercise.solution).read_text(encoding="utf-8")


def cells_of(exercise: Exercise) -> list[NotebookNode]:
    """The cells that the exercise needs, and the solution in its place."""
    notebook = nbformat.read(CHECKOUT / "notebooks" / exercise.notebook, as_version=4)
    cells, wanted = [], {exercise.replaces, *exercise.needs}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        known = {mark for mark in wanted if mark in cell.source}
        if exercise.replaces in known:
            cell.source = source_of(exercise)
        if known:
            cells.append(cell)
        wanted -= known - {"plugin = mine"}  # which is measured twice
    assert wanted <= {"plugin = mine"}, f"no cell of {exercise.notebook} has {wanted}"
    return cells


@dataclass
class Solved:
    """The solutions of a notebook's exercises, one after the other in one kernel."""

    last: dict[str, NotebookNode]
    """Each solution's last cell, which judges."""
    forgetful: NotebookNode | None
    """The cell that compiles the mailbox that forgets to wake anybody."""


def solve(name: str, folder: Path) -> Solved:
    provide_topic(name)
    notebook = nbformat.read(CHECKOUT / "notebooks" / name, as_version=4)
    notebook.cells = []
    last: dict[str, int] = {}
    for exercise in (one for one in EXERCISES if one.notebook == name):
        # What an exercise before it has run already is there.
        sources = {cell.source for cell in notebook.cells}
        notebook.cells += [cell for cell in cells_of(exercise) if cell.source not in sources]
        last[exercise.solution] = len(notebook.cells) - 1
        if exercise.solution == FORGETFUL:
            forgetful = source_of(exercise).replace(WAKES, "")
            assert forgetful != source_of(exercise)
            (variant,) = (cell for cell in cells_of(exercise) if "lab.variant(" in cell.source)
            tagged = {"metadata": {"tags": [MAY_FAIL]}}
            notebook.cells += [nbformat.v4.new_code_cell(one, **tagged) for one in (forgetful, variant.source)]
    # Beside `notebooks`, so that the paths in it lead to the same places.
    copy = CHECKOUT / ".lab" / f"solved-{folder.name}-{name}"
    nbformat.write(notebook, copy)
    try:
        execute(copy, copy, Silent(), environment(folder / "results"))
        cells = nbformat.read(copy, as_version=4).cells
    finally:
        copy.unlink()
    return Solved({one: cells[at] for one, at in last.items()}, cells[-1] if FORGETFUL in last else None)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Solved]:
    """Solve a notebook's exercises, once."""
    return functools.cache(lambda name: solve(name, tmp_path_factory.mktemp("solved")))


def text_of(cell: NotebookNode) -> str:
    """What a cell has printed and what it is worth."""
    outputs = (output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs)
    return "".join("".join(text) for text in outputs)


def test_each_solution_is_of_an_exercise() -> None:
    files = {path.name for path in SOLUTIONS.iterdir() if path.suffix != ".md"}
    assert files == {exercise.solution for exercise in EXERCISES}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.solution)
def test_each_exercise_is_in_its_notebook(exercise: Exercise) -> None:
    assert [cell.source for cell in cells_of(exercise)].count(source_of(exercise)) == 1


@pytest.mark.notebook
@pytest.mark.long
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.solution)
def test_a_solution_keeps_the_contract_and_is_judged(exercise: Exercise, solved: Callable[[str], Solved]) -> None:
    said = text_of(solved(exercise.notebook).last[exercise.solution])
    assert re.search(exercise.says, said, re.DOTALL), said


@pytest.mark.notebook
@pytest.mark.long
def test_a_solution_that_forgets_to_wake_anybody_is_refused(solved: Callable[[str], Solved]) -> None:
    (exercise,) = (one for one in EXERCISES if one.solution == FORGETFUL)
    cell = solved(exercise.notebook).forgetful
    assert cell is not None
    (error,) = (output for output in cell.outputs if output.output_type == "error")
    assert "breaks the contract" in f"{error.evalue}\n" + "\n".join(error.traceback)
