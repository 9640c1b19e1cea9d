"""The notebooks as a reader sees them: opened in JupyterLab, run from the top, charts drawn."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import nbformat
import pytest

from perflab.components import find_components
from perflab.kernels import ensure
from perflab.paths import NOTEBOOKS_DIR

from .conftest import SCREENSHOTS, jupyterlab

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

RUN_TIMEOUT_S = 1800
START_TIMEOUT_S = 60
START_TRIES = 5
NUMBERED = re.compile(r"\[\d+\]")
PROMPTS = ".jp-Notebook .jp-CodeCell .jp-InputPrompt"
PLOTLY = "application/vnd.plotly.v1+json"
NOTEBOOKS = [
    "0-overview.ipynb",
    *(one.manifest.notebook.rpartition("/")[2] for one in find_components() if one.manifest.notebook),
]


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_notebook_runs_from_the_top_and_its_charts_are_drawn(chromium: Browser, notebook: str) -> None:
    for kernel in ("python3", *(one.manifest.kernel for one in find_components() if one.manifest.kernel)):
        ensure(kernel)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    document = nbformat.read(NOTEBOOKS_DIR / notebook, as_version=4)
    cells = sum(cell.cell_type == "code" for cell in document.cells)
    with jupyterlab(notebook) as address:
        page = chromium.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(30_000)
        page.goto(address)
        try:
            _opened(page, cells, document)
            _run_all(page)
            errors = page.locator(
                '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]'
            ).all_inner_texts()
            failed = page.locator('.jp-RenderedText[data-mime-type="application/vnd.jupyter.error"]').all_inner_texts()
            assert failed == [], failed
            assert not [text for text in errors if "Exception" in text], errors
            promised = page.locator(".jp-RenderedPlotly, .jp-OutputArea-output:has(.js-plotly-plot)").count()
            drawn = page.locator(".js-plotly-plot svg.main-svg").count()
            assert drawn >= promised
            if notebook != "0-overview.ipynb":
                assert promised >= 5, "the notebook's charts are not there"
        finally:
            _keep_pictures(page, notebook.removesuffix(".ipynb"))
            page.close()


def test_the_server_asks_for_no_news_and_wants_a_token(chromium: Browser) -> None:
    with jupyterlab("0-overview.ipynb") as address:
        page = chromium.new_page()
        foreign: list[str] = []
        page.on("request", lambda request: foreign.append(request.url) if "//127.0.0.1" not in request.url else None)
        page.goto(address)
        page.locator(".jp-Notebook").wait_for(timeout=60_000)
        page.wait_for_timeout(3_000)
        assert page.get_by_text("Jupyter news").count() == 0
        assert [url for url in foreign if url.startswith("http")] == []
        page.close()
        stranger = chromium.new_page()
        stranger.goto(address.partition("?")[0])
        assert "/login" in stranger.url
        stranger.close()


def _opened(page: Page, cells: int, document: nbformat.NotebookNode) -> None:
    """A reader who runs nothing, and has trusted nothing, sees the charts of the reference run."""
    prompts = page.locator(PROMPTS)
    # A dialog asks for a kernel where the notebook's is not found: that is a failure, and shows in the picture.
    page.locator('.jp-NotebookPanel-toolbar [data-status="idle"]').first.wait_for(timeout=120_000, state="attached")
    _wait(page, lambda: prompts.count() == cells, START_TIMEOUT_S, "the notebook's cells did not appear")
    outputs = [output for cell in document.cells for output in cell.get("outputs", [])]
    kept = sum(PLOTLY in output.get("data", {}) for output in outputs)
    charts = page.locator(".jp-RenderedPlotly:has(img.plot-img, svg.main-svg)")  # an image, until it is touched
    _wait(page, lambda: charts.count() == kept, START_TIMEOUT_S, f"of its {kept} charts some are not shown")


def _run_all(page: Page) -> None:
    prompts = page.locator(PROMPTS)
    for _ in range(START_TRIES):
        # A kernel that is idle but not yet connected takes no cells, and JupyterLab says nothing of it.
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        page.wait_for_timeout(3_000)
        if any(prompt.strip() != "[ ]:" for prompt in prompts.all_inner_texts()):
            break
    _wait(
        page, lambda: all(map(NUMBERED.search, prompts.all_inner_texts())), RUN_TIMEOUT_S, "it did not come to its end"
    )


def _wait(page: Page, condition: Callable[[], bool], timeout_s: float, failure: str) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, failure
        page.wait_for_timeout(500)


def _keep_pictures(page: Page, name: str) -> None:
    page.screenshot(path=SCREENSHOTS / f"{name}.png")
    for number, chart in enumerate(page.locator(".js-plotly-plot").all()):
        chart.scroll_into_view_if_needed(timeout=5_000)
        page.screenshot(path=SCREENSHOTS / f"{name}-chart-{number}.png")
