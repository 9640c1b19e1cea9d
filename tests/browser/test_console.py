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

from perflab.host.guard import marked
from perflab.host.processes import end_group
from perflab.kernels.jupyter import dashboard_command, dashboard_environment
from perflab.kernels.registry import ensure
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

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


def open_page(chromium: Browser, address: str, look: str) -> tuple[Page, list[str]]:
    """A page whose form is filled, and what it has asked of anybody else."""
    page = chromium.new_page(viewport={"width": WIDTH, "height": 1400}, color_scheme=look)  # type: ignore[arg-type]
    page.set_default_timeout(600_000)
    foreign: list[str] = []
    page.on("request", lambda one: foreign.append(one.url) if not one.url.startswith(SAFE) else None)
    page.goto(address, timeout=START_TIMEOUT_MS)
    page.get_by_label("level").wait_for(timeout=START_TIMEOUT_MS)
    return page, foreign


def start(page: Page, line: str) -> None:
    """Start what the form says, when its line says so too: a line that grows moves the button away under the mouse."""
    expect(page.locator(".perflab-console code").first).to_contain_text(line)
    page.get_by_role("button", name="Start").click()


SAFE = ("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:")


def test_choose_measure_sweep_and_stop(chromium: Browser, address: str, folder: Path) -> None:
    page, foreign = open_page(chromium, address, "light")
    try:
        line = page.locator(".perflab-console code").first
        expect(line).to_contain_text("./lab measure kettle --scenario boil --variant steel --variant glass")
        page.get_by_label("level").fill("99")
        expect(page.get_by_role("alert")).to_contain_text("allowed: 1 to 16")
        expect(page.get_by_role("button", name="Start")).to_be_disabled()
        page.get_by_label("level").fill("5")
        page.get_by_label("lid").select_option("closed")
        page.get_by_label("glass (peer)").uncheck()
        start(page, "--param level=5 --param lid=closed")
        table, chart = page.locator(".perflab-console table"), page.locator(".js-plotly-plot svg.main-svg").first
        expect(table).to_contain_text("faster", timeout=JOB_TIMEOUT_MS)
        expect(table).to_contain_text("copper")
        expect(chart).to_be_visible(timeout=JOB_TIMEOUT_MS)
        page.screenshot(path=SCREENSHOTS / "console-measured.png", full_page=True)
        page.get_by_role("button", name="sweep", exact=True).click()
        page.get_by_label("level").fill("2")
        page.get_by_label("over").fill("level=1..9:4")
        start(page, "--over level=1..9:4")
        expect(table.locator("tbody tr")).to_have_count(3, timeout=JOB_TIMEOUT_MS)
        expect(chart).to_be_visible(timeout=JOB_TIMEOUT_MS)
        page.get_by_role("button", name="measure", exact=True).click()
        page.get_by_label("wait_ms").fill("3000")
        start(page, "wait_ms=3000")
        expect(page.locator(".perflab-console")).to_contain_text("round 1", timeout=JOB_TIMEOUT_MS)
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("button", name="Start")).to_be_enabled(timeout=JOB_TIMEOUT_MS)
        newest = max((folder / "results" / "runs").iterdir())
        assert json.loads((newest / "end.json").read_text())["reason"] == "interrupted"
        assert foreign == [], "the page asks nobody but its own server"
        assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    finally:
        page.screenshot(path=SCREENSHOTS / "console-last.png", full_page=True)
        page.close()


@pytest.mark.parametrize("look", ["light", "dark"])
def test_it_is_legible_in_light_and_dark_and_to_screen_readers(chromium: Browser, address: str, look: str) -> None:
    page, _ = open_page(chromium, address, look)
    try:
        expect(page.get_by_role("button", name="Start")).to_be_enabled(timeout=JOB_TIMEOUT_MS)
        page.get_by_role("button", name="Start").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".perflab-console table")).to_contain_text("faster", timeout=JOB_TIMEOUT_MS)
        expect(page.locator(".js-plotly-plot svg.main-svg").first).to_be_visible(timeout=JOB_TIMEOUT_MS)
        page.screenshot(path=SCREENSHOTS / f"console-{look}.png", full_page=True)
        options = {"runOnly": ["wcag2a", "wcag2aa"], "resultTypes": ["violations"]}
        violations = Axe().run(page, context=".perflab-console", options=options).response["violations"]
        assert not violations, "\n".join(f"{one['id']}: {one['nodes'][0]['html'][:300]}" for one in violations)
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
        start(page, "wait_ms=2000")
        expect(page.locator(".perflab-console")).to_contain_text("round 1", timeout=JOB_TIMEOUT_MS)
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
