"""What is committed as a notebook is fit to be read without running it."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import pytest

from perflab.kernels.notebooks import TIMES
from perflab.model.lab import CHECKOUT, Lab
from perflab.topics.catalogue import find_components

if TYPE_CHECKING:
    from perflab.topics.catalogue import Component

LAB = Lab.from_environment()

NOTEBOOKS = sorted((CHECKOUT / "notebooks").rglob("*.ipynb"))
TOPIC_NOTEBOOKS = [CHECKOUT / notebook for one in find_components(LAB) for notebook in one.notebooks]
CONTINUED = [one for one in find_components(LAB) if len(one.notebooks) > 1]
LARGEST_BYTES = 2_000_000
WIDEST_LINE = 100
MOST_CELLS = 45
MOST_WORDS = 1_500


def code_cells(path: Path) -> list[nbformat.NotebookNode]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_it_is_valid_small_and_holds_no_path_of_a_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    nbformat.validate(nbformat.read(path, as_version=4))
    assert len(text.encode()) < LARGEST_BYTES
    assert str(CHECKOUT) not in text
    assert str(Path.home()) + "/" not in text


@pytest.mark.parametrize("path", TOPIC_NOTEBOOKS, ids=lambda path: path.name)
def test_it_is_committed_with_the_outputs_of_a_run_without_errors(path: Path) -> None:
    cells = code_cells(path)
    if not any(cell.execution_count for cell in cells):
        pytest.skip(f"{path.name} has no reference run yet: ./lab reproduce writes an executed one")
    assert all(cell.execution_count for cell in cells), "run it: ./lab reproduce writes an executed one"
    outputs = [output for cell in cells for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    plotly = [output for output in outputs if "application/vnd.plotly.v1+json" in output.get("data", {})]
    assert len(plotly) >= (1 if path.stem.endswith("-more") else 5)
    assert all("image/png" in output.data for output in plotly), "charts are saved with an image for readers elsewhere"


@pytest.mark.parametrize("path", TOPIC_NOTEBOOKS, ids=lambda path: path.name)
def test_its_cells_are_short_and_it_says_more_than_it_does(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    # Characters without indentation, so that it does not pay to write long lines: JupyterLab cuts them at the margin.
    lengths: dict[str, list[int]] = {"code": [], "markdown": []}
    for cell in notebook.cells:
        lines = cell.source.splitlines()
        lengths[cell.cell_type].append(sum(len(line.strip()) for line in lines))
        if cell.cell_type == "code":
            assert max(map(len, lines), default=0) <= WIDEST_LINE
    code = lengths["code"]
    assert statistics.median(code) <= 300
    assert sum(length < 500 for length in code) / len(code) >= 0.8
    assert sum(lengths["markdown"]) > sum(code)


@pytest.mark.parametrize("path", TOPIC_NOTEBOOKS, ids=lambda path: path.name)
def test_it_names_the_kernel_of_its_topic(path: Path) -> None:
    metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"]
    (component,) = (one for one in find_components(LAB) if path.relative_to(CHECKOUT).as_posix() in one.notebooks)
    assert metadata["kernelspec"]["name"] == component.manifest.kernel


@pytest.mark.parametrize("component", [one for one in find_components(LAB) if one.notebooks], ids=lambda one: one.name)
def test_a_topics_main_notebook_is_read_in_one_sitting(component: Component) -> None:
    cells = nbformat.read(CHECKOUT / component.notebooks[0], as_version=4).cells
    assert len(cells) <= MOST_CELLS
    texts = [part for cell in cells if cell.cell_type == "markdown" for part in cell.source.split("\n\n")]
    # What is written into it when it is executed is longer on a slower machine.
    words = [word for text in texts if not text.startswith(TIMES) for word in text.split()]
    assert len(words) <= MOST_WORDS


def test_each_continuation_is_one_of_a_topic() -> None:
    assert {path for path in NOTEBOOKS if path.stem.endswith("-more")} <= set(TOPIC_NOTEBOOKS)


@pytest.mark.parametrize("component", CONTINUED, ids=lambda one: one.name)
def test_its_end_links_to_its_continuation(component: Component) -> None:
    main, more = (CHECKOUT / notebook for notebook in component.notebooks)
    end = [cell.source for cell in nbformat.read(main, as_version=4).cells if cell.cell_type == "markdown"][-1]
    assert f"]({more.name})" in end
