"""Notebooks: executed in their kernels, cleaned for saving, and opened in JupyterLab."""

from perflab.notebooks.cleaning import clean
from perflab.notebooks.executing import execute
from perflab.notebooks.jupyterlab import jupyterlab_command, jupyterlab_environment, port_is_free

__all__ = ["clean", "execute", "jupyterlab_command", "jupyterlab_environment", "port_is_free"]
