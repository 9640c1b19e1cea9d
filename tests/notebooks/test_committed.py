"""What is committed as a notebook is fit to be read without running it, and what is written into an executed one."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import nbformat
import pytest
from PIL import Image, ImageDraw

from perflab.kernels import notebooks as images
from perflab.kernels.notebooks import say_times
from perflab.model.lab import CHECKOUT, Lab
from perflab.topics.catalogue import find_components

LAB = Lab.from_environment()

NOTEBOOKS = sorted((CHECKOUT / "notebooks").rglob("*.ipynb"))
TOPIC_NOTEBOOKS = [CHECKOUT / notebook for one in find_components(LAB) for notebook in one.notebooks]
LARGEST_BYTES = 2_000_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_it_is_valid_small_and_holds_no_path_of_a_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    nbformat.validate(nbformat.read(path, as_version=4))
    assert len(text.encode()) < LARGEST_BYTES
    assert str(CHECKOUT) not in text
    assert str(Path.home()) + "/" not in text


@pytest.mark.parametrize("path", TOPIC_NOTEBOOKS, ids=lambda path: path.name)
def test_it_is_committed_with_its_topics_kernel_and_the_outputs_of_a_run_without_errors(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    (component,) = (one for one in find_components(LAB) if path.relative_to(CHECKOUT).as_posix() in one.notebooks)
    assert notebook.metadata.kernelspec.name == component.manifest.kernel
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if not any(cell.execution_count for cell in cells):
        pytest.skip(f"{path.name} has no reference run yet: ./lab reproduce writes an executed one")
    assert all(cell.execution_count for cell in cells), "run it: ./lab reproduce writes an executed one"
    outputs = [output for cell in cells for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    plotly = [output for output in outputs if "application/vnd.plotly.v1+json" in output.get("data", {})]
    assert len(plotly) >= (1 if path.stem.endswith("-more") else 5)
    assert all("image/png" in output.data for output in plotly), "charts are saved with an image for readers elsewhere"


NOTE = "taken from this session's run a-b-c, which took 114 s"


def cell(start: str, end: str, **output: Any) -> nbformat.NotebookNode:  # noqa: ANN401 - JSON
    times = {"iopub.execute_input": f"2026-01-01T{start}.5Z", "shell.execute_reply": f"2026-01-01T{end}.5Z"}
    outputs = [nbformat.v4.new_output(**output)] if output else []
    return nbformat.v4.new_code_cell("1", metadata={"execution": times}, outputs=outputs)


@pytest.mark.parametrize(
    "note",
    [
        {"output_type": "stream", "text": f"{NOTE}\n"},
        {"output_type": "display_data", "data": {"text/plain": NOTE}},
    ],
    ids=["printed", "displayed"],
)
def test_sections_that_take_long_are_named_and_a_reused_run_counts_as_long_as_it_took(note: dict[str, Any]) -> None:
    heading = nbformat.v4.new_markdown_cell
    notebook = nbformat.v4.new_notebook(
        cells=[
            heading("# Cups\n\nWhat one drinks from."),
            cell("00:00:00", "00:00:40"),
            heading("## Look\n\n### Closer"),
            cell("00:00:40", "00:00:45"),
            heading("## Fill\n\nthem."),
            cell("00:00:45", "00:02:50"),
            heading("It is of a run that was there:"),
            cell("00:02:50", "00:02:51", **note),
            heading("## Empty"),
            nbformat.v4.new_code_cell("a cell without times"),
            cell("23:59:20", "23:59:50"),
        ]
    )
    expected = (
        "# Cups\n\nWhat one drinks from.\n\n"
        "**How long it takes**: about 5 min from the top, of which *Fill* 4 min, *Empty* 1 min."
    )
    say_times(notebook)
    assert notebook.cells[0].source == expected
    say_times(notebook)
    assert notebook.cells[0].source == expected


BLUE = (0, 114, 178)


def test_a_colour_that_only_the_legend_has_stays_what_it_is() -> None:
    shades = Image.linear_gradient("L").resize((960, 260))
    orange = Image.merge(
        "RGB", [shades, shades.point(lambda shade: shade * 3 // 4), shades.point(lambda shade: shade // 4)]
    )
    ImageDraw.Draw(orange).rectangle((40, 20, 52, 32), fill=BLUE)
    chart = io.BytesIO()
    orange.save(chart, format="PNG")
    few = images._with_few_colours(chart.getvalue())  # noqa: SLF001 - what is around it takes a browser
    with Image.open(io.BytesIO(few)) as small:
        assert small.mode == "P"
        found = small.convert("RGB").crop((46, 26, 47, 27)).tobytes()
    assert all(abs(drawn - meant) < 16 for drawn, meant in zip(found, BLUE, strict=True)), found
