"""Profiles in one form, collapsed stacks and a counter table, and what is read from them."""

from perflab.profiles.difference import Change, Difference, difference
from perflab.profiles.futex import FutexCounter
from perflab.profiles.oscounters import CounterSampler, wait_with_usage
from perflab.profiles.profile import MODES, NO_STACKS, Mode, Profile, Stack, Unit, complement, merge
from perflab.profiles.reading import Reading
from perflab.profiles.rootcause import Cause, RootCauses, Row, root_causes
from perflab.profiles.tracepoints import tracepoint_allowed
from perflab.profiles.tree import Node, Tree, build, prune, prune_to_fit

__all__ = [
    "MODES",
    "NO_STACKS",
    "Cause",
    "Change",
    "CounterSampler",
    "Difference",
    "FutexCounter",
    "Mode",
    "Node",
    "Profile",
    "Reading",
    "RootCauses",
    "Row",
    "Stack",
    "Tree",
    "Unit",
    "build",
    "complement",
    "difference",
    "merge",
    "prune",
    "prune_to_fit",
    "root_causes",
    "tracepoint_allowed",
    "wait_with_usage",
]
