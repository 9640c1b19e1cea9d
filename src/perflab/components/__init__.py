"""Components: the systems under test, found in their folders, built, and asked what they can do."""

from perflab.components.build import build, is_built
from perflab.components.catalogue import Component, find_component, find_components
from perflab.components.manifest import Cause, Manifest
from perflab.components.program import describe, program_command, program_environment
from perflab.components.selection import check_parameters, select_scenario, select_variants

__all__ = [
    "Cause",
    "Component",
    "Manifest",
    "build",
    "check_parameters",
    "describe",
    "find_component",
    "find_components",
    "is_built",
    "program_command",
    "program_environment",
    "select_scenario",
    "select_variants",
]
