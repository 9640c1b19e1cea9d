"""Every notebook runs from the top in its own kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import nbformat
import pytest
from silent import Silent

from perflab.kernels.notebooks import execute
from perflab.model.errors import BenchError
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Executed

pytestmark = pytest.mark.notebook


NOTEBOOKS = CHECKOUT / "notebooks"


@pytest.mark.parametrize("name", sorted(str(one.relative_to(NOTEBOOKS)) for one in NOTEBOOKS.rglob("*.ipynb")))
def test_a_notebook_runs_from_the_top(executed: Callable[[str], Executed], name: str) -> None:
    cells = [cell for cell in nbformat.read(executed(name).path, as_version=4).cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in cells)
    outputs = [output for cell in cells for output in cell.outputs]
    streams = [one for one in outputs if one.output_type == "stream" and one.name == "stderr"]
    assert not [one for one in streams if "Exception" in one.text]


def write(notebook: Path, *sources: str) -> None:
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), notebook)


def test_what_the_kernels_process_prints_leaves_standard_output_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "printing.ipynb"
    write(source, "import os\n_ = os.write(1, b'from below')")  # which ipykernel leaves alone under pytest
    execute(source, tmp_path / "executed.ipynb", Silent())
    said = capfd.readouterr()
    assert "from below" not in said.out
    assert "from below" in said.err


def test_ctrl_c_ends_it_as_it_ends_any_command_and_what_there_was_is_saved(tmp_path: Path) -> None:
    source, target = tmp_path / "long.ipynb", tmp_path / "executed.ipynb"
    write(source, "print(1)", "import os, signal, time\nos.kill(os.getppid(), signal.SIGINT)\ntime.sleep(600)")
    with pytest.raises(KeyboardInterrupt):
        execute(source, target, Silent())
    assert nbformat.read(target, as_version=4).cells[0].outputs[0].text == "1\n"


def test_a_failing_cell_is_named_and_the_notebook_saved_as_far_as_it_went(tmp_path: Path) -> None:
    source, target = tmp_path / "failing.ipynb", tmp_path / "out" / "failing.ipynb"
    write(source, "print(1)", "1 / 0", "print(2)")
    with pytest.raises(BenchError, match="ZeroDivisionError"):
        execute(source, target, Silent())
    saved = nbformat.read(target, as_version=4)
    assert saved.cells[0].outputs[0].text == "1\n"
    assert saved.cells[2].outputs == []
