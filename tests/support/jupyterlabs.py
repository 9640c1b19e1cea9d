"""A JupyterLab of the lab's own, on a folder, and what a page of it shows."""

from __future__ import annotations

import secrets
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from perflab.host.guard import marked
from perflab.host.processes import end_group
from perflab.kernels.jupyter import jupyterlab_command, jupyterlab_environment
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from playwright.sync_api import Page

SCREENSHOTS = CHECKOUT / ".lab" / "test" / "browser"
START_TIMEOUT_S = 600
DRAWN = ".jp-RenderedPlotly:has(svg.main-svg)"
"""A chart that is drawn; Plotly draws one in several layers, so that these are not counted themselves."""


@contextmanager
def jupyterlab(root: Path, environment: Mapping[str, str]) -> Iterator[Callable[[str], str]]:
    """Serve a folder; gives the address of a notebook in it."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    command = jupyterlab_command("", port=port, browser=False, idle_minutes=30, token=token, root=root)
    with tempfile.TemporaryDirectory(prefix="perflab-browser-") as scratch:
        log = (SCREENSHOTS / f"{port}-server.log").open("wb")
        server = subprocess.Popen(
            command,
            env=marked(
                {**jupyterlab_environment(), "JUPYTERLAB_WORKSPACES_DIR": f"{scratch}/workspaces", **environment}
            ),
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            _wait_for_answer(f"http://127.0.0.1:{port}/api/status?token={token}", server)
            # A workspace of its own, or JupyterLab would open the tabs of the page before.
            place = f"http://127.0.0.1:{port}/lab/workspaces"
            yield lambda notebook: f"{place}/{secrets.token_hex(4)}/tree/{notebook}?token={token}"
        finally:
            end_group(server, grace_s=20)  # it ends its kernels too
            log.close()


def _wait_for_answer(address: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        assert server.poll() is None, "JupyterLab ended at once; see its log beside the screenshots"
        try:
            with urllib.request.urlopen(address, timeout=2):  # noqa: S310 - our own server
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    pytest.fail("JupyterLab did not answer")


def missing_charts(page: Page, promised: int) -> str:
    """What is wrong with the charts of a page that is to show so many; nothing if all are drawn."""
    drawn = page.locator(DRAWN).count()
    return "" if drawn == promised else f"of {promised} charts {drawn} are drawn"


def wait(page: Page, condition: Callable[[], object], timeout_s: float, failure: Callable[[], str]) -> None:
    """Wait for something while the page goes on."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, failure()
        page.wait_for_timeout(200)
