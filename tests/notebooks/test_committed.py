"""What is committed as a notebook is fit to be read without running it."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from perflab.model.lab import CHECKOUT, Lab
from perflab.topics.catalogue import find_components

LAB = Lab.from_environment()

NOTEBOOKS = sorted((CHECKOUT / "notebooks").rglob("*.ipynb"))
TOPIC_NOTEBOOKS = [CHECKOUT / notebook for one in find_components(LAB) for notebook in one.notebooks]
LARGEST_BYTES = 2_000_000


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
def test_it_names_the_kernel_of_its_topic(path: Path) -> None:
    metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"]
    (component,) = (one for one in find_components(LAB) if path.relative_to(CHECKOUT).as_posix() in one.notebooks)
    assert metadata["kernelspec"]["name"] == component.manifest.kernel
