"""The tuning console as a reader uses it: served by Voilà, driven by mouse and keyboard, in light and dark."""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from jupyterlabs import SCREENSHOTS
from playwright.sync_api import expect
from waiting import wait_for

from perflab.cli.console.form import WAYS
from perflab.host.guard import marked
from perflab.host.processes import end_group
from perflab.kernels.jupyter import dashboard_command, dashboard_environment
from perflab.kernels.registry import ensure
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

FIXTURES = Path(__file__).parents[1] / "fixtures" / "tuning"
WIDTH = 1100
START_TIMEOUT_MS = 600_000
JOB_TIMEOUT_MS = 600_000


@contextmanager
def dashboard(folder: Path, *, idle_minutes: int = 30) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Voilà on the console, with the fixture component; gives the address and the server."""
    ensure("python3")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = dashboard_command(
        CHECKOUT / "notebooks" / "9-tuning.ipynb",
        port=port,
        browser=False,
        idle_minutes=idle_minutes,
        token=secrets.token_hex(16),
    )
    environment = marked(
        {
            **dashboard_environment(),
            "PERFLAB_COMPONENTS": str(FIXTURES),
            "PERFLAB_PRESET": "smoke",
            "PERFLAB_RESULTS": str(folder / "results"),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
    )
    with (SCREENSHOTS / "console-server.log").open("w") as log:
        server = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
        )
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            found = re.search(r"http://\S+", said)
            assert found, f"no address in {said!r}; see console-server.log beside the screenshots"
            yield found[0], server
        finally:
            end_group(server, grace_s=20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("console")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with dashboard(folder) as (address, _):
        yield address


@pytest.fixture(params=["light", "dark"])
def look(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def card(page: Page, title: str) -> Locator:
    return page.locator(".perflab-card", has=page.get_by_role("heading", name=title, exact=True))


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def open_page(chromium: Browser, address: str, look: str) -> tuple[Page, list[str]]:
    """A page whose form is filled, and what it has asked of anybody else."""
    page = chromium.new_page(viewport={"width": WIDTH, "height": 1400}, color_scheme=look)  # type: ignore[arg-type]
    page.set_default_timeout(600_000)
    foreign: list[str] = []
    page.on("request", lambda one: foreign.append(one.url) if not one.url.startswith(SAFE) else None)
    page.goto(address, timeout=START_TIMEOUT_MS)
    page.get_by_label("level").wait_for(timeout=START_TIMEOUT_MS)
    return page, foreign


SAFE = ("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:")


def test_choose_measure_keep_sweep_stop_and_search(chromium: Browser, address: str, folder: Path) -> None:
    page, foreign = open_page(chromium, address, "light")
    try:
        _choose(page)
        _measure(page)
        _keep_and_export(page, folder)
        _stop(page, folder)
        _sweep(page)
        _stop_sweep(page)
        _search(page)
        assert foreign == [], "the page asks nobody but its own server"
        assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    finally:
        page.screenshot(path=SCREENSHOTS / "console-last.png", full_page=True)
        page.close()


def _choose(page: Page) -> None:
    line = page.locator(".perflab-command", has_text="will run").locator("code")
    expect(line).to_contain_text("./lab measure kettle --scenario boil --variant steel --variant glass")
    page.get_by_label("level").fill("99")
    expect(page.get_by_role("alert")).to_contain_text("allowed: 1 to 16")
    expect(page.get_by_role("button", name="Measure", exact=True).last).to_be_disabled()
    page.get_by_label("level").fill("5")
    page.get_by_label("lid").select_option("closed")
    page.get_by_label("glass (peer)").uncheck()
    expect(line).to_have_text(
        "./lab measure kettle --scenario boil --variant steel --variant copper --baseline steel "
        "--param level=5 --param lid=closed --quick"
    )


def _start(page: Page, name: str) -> None:
    page.locator("button.mod-primary", has_text=name).click()


def _measure(page: Page) -> None:
    _start(page, "Measure")
    result = card(page, "Result")
    expect(result.locator(".perflab-table")).to_contain_text("faster", timeout=JOB_TIMEOUT_MS)
    expect(result.locator(".perflab-table")).to_contain_text("copper over steel")
    expect(result.locator(".js-plotly-plot svg.main-svg").first).to_be_visible(timeout=JOB_TIMEOUT_MS)
    expect(result.locator(".perflab-command code").first).to_contain_text("--param level=5 --param lid=closed --quick")
    page.screenshot(path=SCREENSHOTS / "console-measured.png", full_page=True)


def _keep_and_export(page: Page, folder: Path) -> None:
    press(page, "Keep")
    expect(card(page, "Result").get_by_role("alert")).to_contain_text("needs a name")
    page.get_by_label("keep as").fill("closed")
    press(page, "Keep")
    expect(card(page, "Kept results")).to_contain_text("copper over steel")
    page.get_by_label("export as").select_option("CSV")
    press(page, "Save file")
    expect(card(page, "Result").get_by_role("status")).to_contain_text("written")
    (written,) = (folder / "results" / "console").glob("*.csv")
    assert written.read_text().startswith("setting,candidate,baseline,estimate")
    kept = json.loads((folder / "results" / "console" / "kept.json").read_text())
    assert [one["name"] for one in kept] == ["closed"]


def _stop(page: Page, folder: Path) -> None:
    page.get_by_label("wait_ms").fill("3000")
    _start(page, "Measure")
    now = card(page, "Running")
    expect(now).to_contain_text("rounds done", timeout=JOB_TIMEOUT_MS)
    page.locator("button.mod-primary", has_text="add to the queue").click()
    expect(now).to_contain_text("Waiting (1)")
    page.screenshot(path=SCREENSHOTS / "console-running.png", full_page=True)
    press(page, "Stop all")
    expect(now).to_contain_text("No job is running", timeout=JOB_TIMEOUT_MS)
    expect(card(page, "Result")).to_contain_text("Stopped by hand")
    newest = max((folder / "results" / "runs").iterdir())
    assert json.loads((newest / "end.json").read_text())["reason"] == "interrupted"
    page.get_by_label("wait_ms").fill("0")


def _sweep(page: Page) -> None:
    page.get_by_role("button", name="Sweep", exact=True).first.click()
    page.get_by_label("level").fill("2")
    page.get_by_label("sweep").select_option("level")
    page.get_by_label("values").first.fill("1..9:4")
    expect(page.get_by_text("3 values: 1, 5, 9")).to_be_visible()
    _start(page, "Sweep")
    result = card(page, "Result")
    expect(result.locator(".perflab-table")).to_contain_text("level=9", timeout=JOB_TIMEOUT_MS)
    expect(result.locator(".perflab-table tbody tr")).to_have_count(3)
    expect(result.locator(".js-plotly-plot svg.main-svg").first).to_be_visible(timeout=JOB_TIMEOUT_MS)
    page.screenshot(path=SCREENSHOTS / "console-swept.png", full_page=True)


def _stop_sweep(page: Page) -> None:
    """Points are drawn as they come; what is there when it is stopped is kept, with the way to go on."""
    page.get_by_label("values").first.fill("1..16:1")
    page.get_by_label("wait_ms").fill("400")
    _start(page, "Sweep")
    now = card(page, "Running")
    expect(now).to_contain_text("of 16 points", timeout=JOB_TIMEOUT_MS)
    expect(now.locator(".js-plotly-plot svg.main-svg").first).to_be_visible(timeout=JOB_TIMEOUT_MS)
    page.screenshot(path=SCREENSHOTS / "console-sweeping.png", full_page=True)
    press(page, "Stop")
    result = card(page, "Result")
    expect(result).to_contain_text("Stopped by hand", timeout=JOB_TIMEOUT_MS)
    expect(result).to_contain_text("./lab sweep --resume")
    expect(result.locator(".js-plotly-plot svg.main-svg").first).to_be_visible(timeout=JOB_TIMEOUT_MS)
    page.screenshot(path=SCREENSHOTS / "console-sweep-stopped.png", full_page=True)
    page.get_by_label("wait_ms").fill("0")


def _search(page: Page) -> None:
    page.get_by_role("button", name="Search", exact=True).first.click()
    page.get_by_label("level").fill("2")
    page.get_by_label("search").select_option("level")
    page.get_by_label("values").first.fill("6..12")
    page.get_by_label("trials").fill("4")
    page.get_by_label("trials").press("Tab")
    _start(page, "Search")
    result = card(page, "Result")
    expect(result).to_contain_text("Best: level=", timeout=JOB_TIMEOUT_MS)
    expect(result).to_contain_text("those of the confirming run")
    page.screenshot(path=SCREENSHOTS / "console-searched.png", full_page=True)


def test_it_is_legible_and_accessible(chromium: Browser, address: str, look: str) -> None:
    page, _ = open_page(chromium, address, look)
    try:
        _start(page, "Measure")
        expect(card(page, "Result").locator(".js-plotly-plot svg.main-svg").first).to_be_visible(timeout=JOB_TIMEOUT_MS)
        page.screenshot(path=SCREENSHOTS / f"console-{look}.png", full_page=True)
        assert f"theme={look}" in page.url
        dark = page.evaluate("getComputedStyle(document.querySelector('.perflab-card')).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", dark)[:3])) < 3 * 128) == (look == "dark")
        options = {"runOnly": ["wcag2a", "wcag2aa"], "resultTypes": ["violations"]}
        found = Axe().run(page, context=".perflab-console", options=options).response["violations"]
        assert not found, "\n".join(f"{one['id']}: {one['nodes'][0]['html'][:300]}" for one in found)
    finally:
        page.close()


def test_it_can_be_worked_by_keyboard(chromium: Browser, address: str) -> None:
    page, _ = open_page(chromium, address, "light")
    try:
        page.get_by_label("topic").focus()
        reached = set()
        for _ in range(60):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.textContent.trim() || document.activeElement.id"))
            if page.evaluate("document.activeElement.classList.contains('mod-primary')"):
                break
        assert set(WAYS) <= reached
        page.keyboard.press("Enter")
        expect(card(page, "Result").locator(".perflab-table")).to_contain_text("faster", timeout=JOB_TIMEOUT_MS)
    finally:
        page.close()


def test_it_wants_a_token_and_ends_its_jobs_with_the_server(chromium: Browser, tmp_path: Path) -> None:
    with dashboard(tmp_path) as (address, server):
        stranger = chromium.new_page()
        stranger.goto(address.partition("?")[0])
        assert "/login" in stranger.url
        stranger.close()
        page, _ = open_page(chromium, address, "light")
        page.get_by_label("wait_ms").fill("2000")
        _start(page, "Measure")
        expect(card(page, "Running")).to_contain_text("round 1", timeout=JOB_TIMEOUT_MS)
        os.killpg(server.pid, signal.SIGINT)
        assert server.wait(30) == 0
        page.close()
    (run,) = (tmp_path / "results" / "runs").iterdir()
    wait_for((run / "end.json").exists, "what it measured goes on without it")
    assert json.loads((run / "end.json").read_text())["reason"] == "interrupted"


def test_the_command_says_what_is_wrong_with_a_port() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "perflab", "tune", "--no-browser", "--port", port]
        environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "src")}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 3
    assert f"port {port} is taken" in done.stderr
