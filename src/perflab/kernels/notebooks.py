"""Executing a notebook in its kernel."""

from __future__ import annotations

import asyncio
import base64
import functools
import io
import json
import os
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from perflab.charts.chart import PLOTLY, find_chromium, png
from perflab.host.guard import marked
from perflab.kernels.jupyter import jupyterlab_environment
from perflab.kernels.kernel import read_notebook
from perflab.kernels.registry import ensure
from perflab.model.errors import BenchError
from perflab.model.files import atomic
from perflab.model.redact import Redactor

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from nbformat import NotebookNode

    from perflab.model.progress import Progress


def clean(notebook: NotebookNode) -> NotebookNode:
    """Take out what belongs to this machine or this moment: private names, execution times, transient progress.

    Args:
        notebook: Is changed in place, and returned.
    """
    redact = Redactor()
    notebook.metadata.pop("widgets", None)  # with outputs of their own
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            outputs = json.loads(redact(json.dumps(cell.outputs)))
            cell.outputs = [nbformat.from_dict(output) for output in outputs]  # type: ignore[no-untyped-call]
    return notebook


_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
TIMES = "**How long it takes**"
"""First words of the paragraph that `say_times` writes into the opening cell."""
_REUSED = re.compile(r"^taken from .+ which took (\d+) s$", re.MULTILINE)
_SHORT_S = 30


def say_times(notebook: NotebookNode) -> None:
    """Write into the opening cell how long the notebook took from the top and which sections took most of it.

    A run that a cell took instead of making it again counts with the time that it took when it was made.

    Args:
        notebook: Just executed; is changed in place.
    """
    seconds: dict[str, float] = {}
    section = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            section = [section, *_SECTION.findall(cell.source)][-1]
            continue
        moments = sorted(map(datetime.fromisoformat, cell.metadata.get("execution", {}).values()))
        spent = (moments[-1] - moments[0]).total_seconds() if moments else 0.0
        texts = "\n".join(map(_text_of, cell.get("outputs", [])))
        seconds[section] = seconds.get(section, 0.0) + spent + sum(map(int, _REUSED.findall(texts)))
    parts = [f"*{name}* {_minutes(spent)}" for name, spent in seconds.items() if name and spent >= _SHORT_S]
    text = f"{TIMES}: {_minutes(sum(seconds.values()), 'about ')} from the top"
    text += f", of which {', '.join(parts)}." if parts else "."
    opening = notebook.cells[0]
    kept = [part for part in opening.source.split("\n\n") if not part.startswith(TIMES)]
    opening.source = "\n\n".join([*kept, text])


def _text_of(output: NotebookNode) -> str:
    """Return a cell's output as text, printed or displayed: labkits differ in how they show notes."""
    return str(output.get("text") or output.get("data", {}).get("text/plain", ""))


def _minutes(seconds: float, about: str = "") -> str:
    return f"{about}{max(1, round(seconds / 60))} min" if seconds >= _SHORT_S else "less than half a minute"


_COLOURS = 64


def add_images(notebook: NotebookNode) -> int:
    """Draw every plotly output as a PNG into the same bundle, all of them with one browser.

    They are small, because a notebook with dozens of them is to be kept in a repository. The image takes the place of
    the HTML table: such pages prefer HTML to an image, and the picture says more.

    Returns:
        How many were drawn; none where this machine has no Chromium.
    """
    bundles = [
        output.data
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if PLOTLY in output.get("data", {})
    ]
    if not bundles or find_chromium() is None:
        return 0
    for data, image in zip(bundles, png([data[PLOTLY] for data in bundles], scale=1), strict=True):
        data["image/png"] = base64.b64encode(_with_few_colours(image)).decode("ascii")
        data.pop("text/html", None)
    return len(bundles)


def _with_few_colours(image: bytes) -> bytes:
    """Convert a chart's PNG to a palette, at a third of the size."""
    from PIL import Image  # noqa: PLC0415 - only where images are drawn

    target = io.BytesIO()
    with Image.open(io.BytesIO(image)) as picture:
        # Coverage and not the median of all pixels: a colour that only the legend has is one of them.
        few = picture.convert("RGB").quantize(_COLOURS, Image.Quantize.MAXCOVERAGE)
        few.save(target, format="PNG", optimize=True)
    return target.getvalue()


_CELL_TIMEOUT_S = 900
_SHOWN_LINES = 12
_STDERR = 2
"""Where a kernel's own process writes: what its cells print comes as messages, and our standard output may be JSON."""


class _Loop(asyncio.SelectorEventLoop):
    """Leaves signals to the process: nbclient's handlers end the kernel, and execution with an error of their own."""

    def add_signal_handler(self, *_: object) -> None:
        raise RuntimeError("as where there is no main thread, which nbclient allows for")


def _run(client: NotebookClient, **options: Any) -> None:  # noqa: ANN401 - the kernel manager's
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        # Do not let the runner cancel the cell: nbclient would report a dead kernel.
        with asyncio.Runner(loop_factory=_Loop) as runner:
            # Tasks cancelled with the interrupted loop are not errors.
            runner.get_loop().set_exception_handler(lambda *_: None)
            runner.get_loop().run_until_complete(client.async_execute(**options))
    else:
        client.execute(**options)  # in another thread


def execute(
    source: Path,
    target: Path,
    progress: Progress,
    environment: Mapping[str, str] | None = None,
    *,
    images: bool = False,
) -> None:
    """Execute a notebook from top to bottom and save it with its outputs, and with its times in the opening cell.

    Args:
        source: The notebook.
        target: Output file; also written, with the outputs so far, if a cell fails.
        progress: Told of each cell.
        environment: More environment for the kernel.
        images: Also draw charts as images, if this machine has a Chromium.
    """
    notebook = read_notebook(source)
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
        _run(client, env=marked({**os.environ, **(environment or {})}), stdout=_STDERR)
    except CellExecutionError as error:
        said = "\n".join(f"{error.ename}: {error.evalue}".strip().splitlines()[:_SHOWN_LINES])
        raise BenchError(
            f"a cell of {source.name} failed:\n{said}", f"the notebook as far as it went: {target}"
        ) from None
    except (CellTimeoutError, DeadKernelError) as error:
        raise BenchError(f"{source.name}: {error}", f"the notebook as far as it went: {target}") from None
    else:
        if notebook.cells and notebook.cells[0].cell_type == "markdown":
            say_times(notebook)
        if images:
            progress.update(1.0, f"notebook {source.name}: drawing its charts as images")
            add_images(notebook)
    finally:
        with atomic(target) as draft:
            nbformat.write(clean(notebook), draft)  # type: ignore[no-untyped-call]
