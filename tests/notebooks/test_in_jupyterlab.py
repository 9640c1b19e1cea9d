"""Notebooks as a reader sees them: opened in JupyterLab, charts drawn, one of them run from the top."""

from __future__ import annotations

import re
import shutil
import time
from typing import TYPE_CHECKING

import nbformat
import pytest
from jupyterlabs import SCREENSHOTS, jupyterlab, missing_charts, wait
from smokeruns import environment

from perflab.kernels.registry import ensure
from perflab.model.lab import CHECKOUT, Lab
from perflab.topics.catalogue import find_components

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from .conftest import Executed

LAB = Lab.from_environment()

pytestmark = pytest.mark.notebook

RUN_TIMEOUT_S = 1800
START_TIMEOUT_S = 600
START_TRIES = 5
DROPPED_AFTER_S = 5
NUMBERED = re.compile(r"\[\d+\]")
BUSY = "[*]"
PROMPTS = ".jp-Notebook .jp-CodeCell .jp-InputPrompt"
FAILED = '.jp-RenderedText[data-mime-type="application/vnd.jupyter.error"]'
PLOTLY = "application/vnd.plotly.v1+json"
OVERVIEW = "0-overview.ipynb"
TOPICS = [notebook.rpartition("/")[2] for one in find_components(LAB) for notebook in one.notebooks]


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(600_000)
    yield page
    page.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Callable[[str], str]]]:
    """A folder, and the address of a notebook in it."""
    folder = tmp_path_factory.mktemp("served")
    with jupyterlab(folder, environment(folder / "results")) as address:
        yield folder, address


def charts_of(path: Path) -> int:
    cells = nbformat.read(path, as_version=4).cells
    return sum(PLOTLY in output.get("data", {}) for cell in cells for output in cell.get("outputs", []))


def open_notebook(page: Page, address: str, path: Path) -> None:
    page.goto(address)
    cells = sum(cell.cell_type == "code" for cell in nbformat.read(path, as_version=4).cells)
    # A dialog asks for a kernel where the notebook's is not found: that is a failure, and shows in the picture.
    page.locator('.jp-NotebookPanel-toolbar [data-status="idle"]').first.wait_for(timeout=600_000, state="attached")
    prompts = page.locator(PROMPTS)
    wait(page, lambda: prompts.count() == cells, START_TIMEOUT_S, lambda: "the notebook's cells did not appear")


@pytest.mark.parametrize("notebook", [OVERVIEW, *TOPICS])
def test_a_reader_who_runs_nothing_sees_the_charts_of_the_reference_run(
    page: Page, served: tuple[Path, Callable[[str], str]], notebook: str
) -> None:
    folder, address = served
    ensure(nbformat.read(CHECKOUT / "notebooks" / notebook, as_version=4).metadata.kernelspec.name)
    shutil.copy(CHECKOUT / "notebooks" / notebook, folder)
    try:
        open_notebook(page, address(notebook), folder / notebook)
        kept = charts_of(folder / notebook)
        charts = page.locator(".jp-RenderedPlotly:has(img.plot-img, svg.main-svg)")  # an image, until it is touched
        wait(page, lambda: charts.count() == kept, START_TIMEOUT_S, lambda: f"of {kept} charts some are not shown")
    finally:
        page.screenshot(path=SCREENSHOTS / f"{notebook.removesuffix('.ipynb')}-reference.png")


@pytest.mark.parametrize("notebook", [OVERVIEW, *TOPICS])
def test_a_notebook_runs_from_the_top_and_its_charts_are_drawn(
    page: Page, executed: Callable[[str], Executed], notebook: str
) -> None:
    before = executed(notebook)
    # In `.lab`, beside `notebooks`, the paths in it lead to the same places. No cell has a number yet.
    document = nbformat.read(CHECKOUT / "notebooks" / notebook, as_version=4)
    for cell in document.cells:
        if cell.cell_type == "code":
            cell.execution_count = None
    copy = CHECKOUT / ".lab" / f"interactive-{notebook}"
    nbformat.write(document, copy)
    name = notebook.removesuffix(".ipynb")
    try:
        with jupyterlab(CHECKOUT / ".lab", environment(before.results)) as address:
            open_notebook(page, address(copy.name), copy)
            run_all(page)
            promised = charts_of(before.path)
            wait(
                page,
                lambda: not missing_charts(page, promised),
                START_TIMEOUT_S,
                lambda: missing_charts(page, promised),
            )
            errors = page.locator('[data-mime-type="application/vnd.jupyter.stderr"]').all_inner_texts()
            failed = page.locator(FAILED).all_inner_texts()
            assert failed == [], failed
            assert not [text for text in errors if "Exception" in text], errors
    finally:
        keep_pictures(page, name)
        copy.unlink()


def test_the_server_asks_for_no_news_and_wants_a_token(
    chromium: Browser, page: Page, served: tuple[Path, Callable[[str], str]]
) -> None:
    folder, address = served
    shutil.copy(CHECKOUT / "notebooks" / OVERVIEW, folder)
    foreign: list[str] = []
    page.on("request", lambda request: foreign.append(request.url) if "//127.0.0.1" not in request.url else None)
    page.goto(address(OVERVIEW))
    page.locator(".jp-Notebook").wait_for(timeout=600_000)
    page.wait_for_timeout(3_000)
    assert page.get_by_text("Jupyter news").count() == 0
    assert [url for url in foreign if url.startswith("http")] == []
    context = chromium.new_context()
    stranger = context.new_page()
    stranger.goto(address(OVERVIEW).partition("?")[0])
    assert "/login" in stranger.url
    context.close()


def run_all(page: Page) -> None:
    """Run all cells until each has a number or one has failed.

    A kernel that JupyterLab replaces while it opens the notebook drops the cells that were given to it, and JupyterLab
    says nothing of it: cells that neither wait, run nor have a number are given again.
    """
    for _ in range(START_TRIES):
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        idle_since = time.monotonic()

        def over() -> bool:
            nonlocal idle_since
            prompts = page.locator(PROMPTS).all_inner_texts()
            if any(BUSY in prompt for prompt in prompts):
                idle_since = time.monotonic()
            return not unfinished(prompts) or time.monotonic() - idle_since > DROPPED_AFTER_S

        wait(page, over, RUN_TIMEOUT_S, lambda: "it did not come to its end")
        if not unfinished(page.locator(PROMPTS).all_inner_texts()) or page.locator(FAILED).count():
            return
    raise AssertionError("JupyterLab drops the cells that it is given")


def unfinished(prompts: list[str]) -> list[str]:
    return [prompt for prompt in prompts if not NUMBERED.search(prompt)]


def keep_pictures(page: Page, name: str) -> None:
    page.screenshot(path=SCREENSHOTS / f"{name}-interactive.png")
    for number, chart in enumerate(page.locator(".js-plotly-plot").all()):
        chart.scroll_into_view_if_needed()
        page.screenshot(path=SCREENSHOTS / f"{name}-chart-{number}.png")
