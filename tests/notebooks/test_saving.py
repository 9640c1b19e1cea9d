"""What is written into an executed notebook: how long it took, and images of few colours."""

from __future__ import annotations

import io
from typing import Any

import nbformat
import pytest
from PIL import Image, ImageDraw

from perflab.kernels import notebooks as images
from perflab.kernels.notebooks import say_times

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
