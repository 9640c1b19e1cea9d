"""Executing a notebook in its kernel."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from perflab.errors import BenchError
from perflab.kernels import ensure
from perflab.notebooks.cleaning import clean
from perflab.notebooks.images import add_images
from perflab.notebooks.jupyterlab import jupyterlab_environment
from perflab.toolchains import marked

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perflab.runner import Progress

_CELL_TIMEOUT_S = 900
_SHOWN_LINES = 12
_STDERR = 2
"""Where a kernel's own process writes: what its cells print comes as messages, and our standard output may be JSON."""


def execute(
    source: Path,
    target: Path,
    progress: Progress,
    environment: Mapping[str, str] | None = None,
    *,
    images: bool = False,
) -> None:
    """Execute a notebook from top to bottom and save it with its outputs.

    Args:
        source: The notebook.
        target: Where to save it; it is saved too if a cell fails, with what there is until then.
        progress: Told of each cell.
        environment: More environment for the kernel.
        images: Whether to draw the charts as images too, where this machine has a Chromium.

    Raises:
        BenchError: If a cell fails; the message ends with the cell's error.
    """
    notebook = nbformat.read(source, as_version=4)  # type: ignore[no-untyped-call]
    kernel = notebook.metadata.kernelspec.name
    ensure(kernel, functools.partial(progress.update, 0.0))
    cells = [cell.cell_type for cell in notebook.cells]

    def tell(cell: nbformat.NotebookNode, cell_index: int) -> None:
        if cell.cell_type == "code":
            number, of = cells[:cell_index].count("code"), cells.count("code")
            progress.update(number / of, f"notebook {source.name}: cell {number + 1} of {of}")

    client = NotebookClient(
        notebook,
        kernel_name=kernel,
        timeout=_CELL_TIMEOUT_S,
        resources={"metadata": {"path": str(source.parent)}},
        on_cell_start=tell,
    )
    # The kernel manager looks kernels up in this process's environment, not in the one that the kernel gets.
    os.environ.update(jupyterlab_environment())
    try:
        client.execute(env=marked({**os.environ, **(environment or {})}), stdout=_STDERR)
    except CellExecutionError as error:
        said = "\n".join(f"{error.ename}: {error.evalue}".strip().splitlines()[:_SHOWN_LINES])
        raise BenchError(
            f"a cell of {source.name} failed:\n{said}", f"the notebook as far as it went: {target}"
        ) from None
    except (CellTimeoutError, DeadKernelError) as error:
        raise BenchError(f"{source.name}: {error}", f"the notebook as far as it went: {target}") from None
    else:
        if images:
            progress.update(1.0, f"notebook {source.name}: drawing its charts as images")
            add_images(notebook)
    finally:
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(clean(notebook), target)  # type: ignore[no-untyped-call]
