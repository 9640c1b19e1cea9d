"""Notebooks: executed in their kernels, cleaned for saving, opened in JupyterLab, and served without their cells."""

from perflab.notebooks.cleaning import clean
from perflab.notebooks.dashboard import dashboard_command, dashboard_environment
from perflab.notebooks.executing import execute
from perflab.notebooks.jupyterlab import jupyterlab_command, jupyterlab_environment, port_is_free

__all__ = [
    "clean",
    "dashboard_command",
    "dashboard_environment",
    "execute",
    "jupyterlab_command",
    "jupyterlab_environment",
    "port_is_free",
]
