"""A JupyterLab of the lab's own and a headless Chromium that looks at it."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import pytest
from playwright.sync_api import Browser, sync_playwright

from perflab.notebooks import jupyterlab_command, jupyterlab_environment
from perflab.paths import LAB_DIR, NOTEBOOKS_DIR
from perflab.selftest.steps import REPORTS_DIR
from perflab.toolchains import find_chromium, install_chromium
from perflab.toolchains.chromium import FLAGS

if TYPE_CHECKING:
    from collections.abc import Iterator

SCREENSHOTS = REPORTS_DIR / "browser"
START_TIMEOUT_S = 60


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The machine's Chromium; where there is none, and it may be, the distribution's package is installed."""
    path = find_chromium() or install_chromium()
    if path is None:
        pytest.skip("no Chromium on this machine, and it can be installed unasked only as root on Debian")
    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(path), args=flags)
        yield browser
        browser.close()


@contextmanager
def jupyterlab(notebook: str) -> Iterator[str]:
    """Serve a copy of a notebook, so that the browser's autosave changes no tracked file; gives the address to open.

    The copy lies in `.lab`, beside `notebooks`, so that the paths in it lead to the same places. Its outputs
    are there, but no cell has a number: one that has was run here.
    """
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    document = nbformat.read(NOTEBOOKS_DIR / notebook, as_version=4)
    for cell in document.cells:
        if cell.cell_type == "code":
            cell.execution_count = None
    nbformat.write(document, LAB_DIR / notebook)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    command = jupyterlab_command(notebook, port=port, browser=False, idle_minutes=30, token=token, root=LAB_DIR)
    log = (SCREENSHOTS / f"{Path(notebook).stem}-server.log").open("wb")
    # A workspace of its own, or JupyterLab would open the tabs of the test before.
    with tempfile.TemporaryDirectory(prefix="perflab-browser-") as scratch:
        environment = {
            **jupyterlab_environment(),
            "JUPYTERLAB_WORKSPACES_DIR": f"{scratch}/workspaces",
            "PERFLAB_PRESET": "smoke",
            "PERFLAB_RESULTS": f"{scratch}/results",
        }
        server = subprocess.Popen(
            command,
            env=environment,
            cwd=LAB_DIR,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            _wait_for(f"http://127.0.0.1:{port}/api/status?token={token}", server)
            yield f"http://127.0.0.1:{port}/lab/tree/{notebook}?token={token}"
        finally:
            # On SIGTERM it ends its kernels too.
            os.killpg(server.pid, signal.SIGTERM)
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()
            log.close()


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        assert server.poll() is None, "JupyterLab ended at once; see its log beside the screenshots"
        try:
            with urllib.request.urlopen(address, timeout=2):  # noqa: S310 - our own server
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    pytest.fail("JupyterLab did not answer")
