"""A notebook without its cells: Voilà as the lab starts it, on loopback, with a token, fetching nothing from elsewhere."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from perflab.errors import MissingError
from perflab.notebooks.jupyterlab import jupyterlab_environment

Look = Literal["auto", "light", "dark"]

_TEMPLATES = Path(__file__).with_name("share")


def dashboard_environment() -> dict[str, str]:
    """The environment of a Voilà that finds the lab's kernels and template, and leaves the user's settings alone."""
    environment = jupyterlab_environment()
    return {**environment, "JUPYTER_PATH": os.pathsep.join([environment["JUPYTER_PATH"], str(_TEMPLATES)])}


def dashboard_command(
    notebook: Path,
    *,
    port: int | None = None,
    browser: bool = True,
    idle_minutes: int = 240,
    token: str | None = None,
    look: Look = "auto",
) -> list[str]:
    """The command that serves a notebook, and prints its address.

    Args:
        notebook: The notebook.
        port: The port; a free one from 8866 on without it.
        browser: Whether to open a browser window.
        idle_minutes: After so long without an open page it stops by itself.
        token: The token; a random one without it.
        look: Light or dark; what the browser prefers with `auto`.

    Raises:
        MissingError: If Voilà or ipywidgets are not installed.
    """
    for name in ("voila", "ipywidgets"):
        if find_spec(name) is None:
            raise MissingError(f"{name} is not installed", "pip install voila ipywidgets, where the lab runs")
    options = {
        "Voila.ip": "127.0.0.1",
        "Voila.open_browser": str(browser),
        "Voila.log_level": "WARN",
        "Dashboard.idle_minutes": str(idle_minutes),
        "Dashboard.look": look,
        "VoilaConfiguration.template": "perflab",
        "VoilaConfiguration.show_tracebacks": "True",
        # A page that went away without a word leaves its kernel behind.
        "MappingKernelManager.cull_idle_timeout": "300",
        "MappingKernelManager.cull_interval": "60",
    }
    if port is not None:
        options |= {"Voila.port": str(port), "Voila.port_retries": "0"}
    options |= {"Voila.auto_token": "True"} if token is None else {"Voila.token": token}
    words = [f"--{name}={value}" for name, value in options.items()]
    return [sys.executable, "-m", "perflab.notebooks.serving", str(notebook), *words]
