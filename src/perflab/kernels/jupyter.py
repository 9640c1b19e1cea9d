"""JupyterLab, and Voilà for a notebook without its cells: on loopback, with a token, fetching nothing elsewhere."""

from __future__ import annotations

import json
import os
import socket
import sys
from importlib.util import find_spec
from pathlib import Path

from perflab.model.errors import MissingError
from perflab.model.lab import CHECKOUT

_SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
    },
    # Keep charts in cells that are scrolled out of view.
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
}


def jupyterlab_environment() -> dict[str, str]:
    """Return the environment of a JupyterLab that finds the lab's kernels and leaves the user's own settings alone."""
    home = CHECKOUT / ".lab" / "jupyterlab"
    (home / "ipython").mkdir(parents=True, exist_ok=True)
    kernels = str(CHECKOUT / ".lab" / "jupyter")
    path = os.environ.get("JUPYTER_PATH", "")
    return {
        **os.environ,
        "JUPYTER_PATH": path if kernels in path.split(os.pathsep) else os.pathsep.join(filter(None, [kernels, path])),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
    }


def jupyterlab_command(
    notebook: str,
    *,
    port: int | None = None,
    browser: bool = True,
    idle_minutes: int = 240,
    token: str | None = None,
    root: Path = CHECKOUT,
) -> list[str]:
    """Return the command that opens a notebook.

    Args:
        notebook: Path from `root`.
        port: The port; a free one from 8888 on without it.
        browser: Open a browser window.
        idle_minutes: After so long without activity the server stops by itself.
        token: The token; a random one without it.
        root: The folder that is served.
    """
    settings = CHECKOUT / ".lab" / "jupyterlab" / "app-settings"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "overrides.json").write_text(json.dumps(_SETTINGS))
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.root_dir": str(root),
        "ServerApp.open_browser": str(browser),
        "ServerApp.shutdown_no_activity_timeout": str(idle_minutes * 60),
        "MappingKernelManager.cull_idle_timeout": str(idle_minutes * 60),
        "LabApp.default_url": f"/lab/tree/{notebook}",
        "LabApp.app_settings_dir": str(settings),
        "LabApp.news_url": "None",
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "LabApp.extension_manager": "readonly",
    }
    if port is not None:
        options |= {"ServerApp.port": str(port), "ServerApp.port_retries": "0"}
    if token is not None:
        options["IdentityProvider.token"] = token
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options["ServerApp.allow_root"] = "True"
    return [sys.executable, "-P", "-m", "jupyterlab", *(f"--{name}={value}" for name, value in options.items())]


def port_is_free(port: int) -> bool:
    """Return whether this loopback port is free."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


_TEMPLATES = Path(__file__).with_name("share")


def dashboard_environment() -> dict[str, str]:
    """Return the environment of a Voilà that finds the lab's kernels and template but no user settings."""
    environment = jupyterlab_environment()
    return {**environment, "JUPYTER_PATH": os.pathsep.join([environment["JUPYTER_PATH"], str(_TEMPLATES)])}


def dashboard_command(
    notebook: Path,
    *,
    port: int | None = None,
    browser: bool = True,
    idle_minutes: int = 240,
    token: str | None = None,
) -> list[str]:
    """Return the command that serves a notebook and prints its address.

    Args:
        notebook: The notebook.
        port: The port; a free one from 8866 on without it.
        browser: Open a browser window.
        idle_minutes: After so long without an open page it stops by itself.
        token: The token; a random one without it.
    """
    for name in ("voila", "ipywidgets"):
        if find_spec(name) is None:
            raise MissingError(f"{name} is not installed", "pip install voila ipywidgets, where the lab runs")
    options = {
        "Voila.ip": "127.0.0.1",
        "Voila.open_browser": str(browser),
        "Voila.log_level": "WARN",
        "Dashboard.idle_minutes": str(idle_minutes),
        "VoilaConfiguration.template": "perflab",
        "VoilaConfiguration.show_tracebacks": "True",
        # A page closed without notice leaves its kernel behind.
        "MappingKernelManager.cull_idle_timeout": "300",
        "MappingKernelManager.cull_interval": "60",
    }
    if port is not None:
        options |= {"Voila.port": str(port), "Voila.port_retries": "0"}
    options |= {"Voila.auto_token": "True"} if token is None else {"Voila.token": token}
    words = [f"--{name}={value}" for name, value in options.items()]
    return [sys.executable, "-P", "-m", "perflab.kernels.serving", str(notebook), *words]
