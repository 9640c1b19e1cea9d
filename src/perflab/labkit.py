"""The labkit of Python notebooks: `from perflab.labkit import lab`.

Like every labkit it starts `./lab ... --stream` and displays what comes back; measuring happens in fresh processes.
In a notebook the import also brings the cell magic `%%cpp`.
"""

from IPython.core.getipython import get_ipython

from perflab.kernels.labkit import Lab, LabFailure, Plugin, register

lab = Lab()

if (shell := get_ipython()) is not None:
    register(shell, lab)

__all__ = ["Lab", "LabFailure", "Plugin", "lab"]
