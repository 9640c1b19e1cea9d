"""The labkit of Python notebooks: `from perflab.labkit import lab`.

Like every labkit it starts `./lab ... --stream` and displays what comes back; measuring happens in fresh processes.
"""

from perflab.labkit.lab import Lab, LabFailure

lab = Lab()

__all__ = ["Lab", "LabFailure", "lab"]
