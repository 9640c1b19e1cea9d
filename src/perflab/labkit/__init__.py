"""The labkit of Python notebooks: `from perflab.labkit import lab`.

Like every labkit it starts `./lab ... --stream` and displays what comes back; measuring happens in fresh processes.
In a notebook the import also brings the cell magic `%%cpp`.
"""

from IPython.core.getipython import get_ipython

from perflab.labkit.lab import Lab, LabFailure
from perflab.labkit.magics import register
from perflab.labkit.plugin import Plugin

lab = Lab()

if (shell := get_ipython()) is not None:
    register(shell, lab)

__all__ = ["Lab", "LabFailure", "Plugin", "lab"]
