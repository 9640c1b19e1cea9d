"""The machine a run is made on: what it is, how busy it is, and which commit was measured."""

from perflab.environment.limits import Limits, find_limits
from perflab.environment.load import Load, LoadWatch, busy_warning
from perflab.environment.machine import Machine, this_machine
from perflab.environment.revision import Revision, this_revision

__all__ = [
    "Limits",
    "Load",
    "LoadWatch",
    "Machine",
    "Revision",
    "busy_warning",
    "find_limits",
    "this_machine",
    "this_revision",
]
