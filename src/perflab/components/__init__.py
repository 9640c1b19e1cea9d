"""Components: the systems under test, found in their folders, built, and asked what they can do."""

from perflab.components.build import build, is_built, sources_print
from perflab.components.catalogue import Component, find_component, find_components
from perflab.components.compiling import CompiledPlugin, ReadersSource, compile_plugin
from perflab.components.contract import ContractCheck, check_plugin, check_variant
from perflab.components.keeping import keep_build, kept_build
from perflab.components.manifest import Cause, Manifest, OwnRuntime, Table, Threshold
from perflab.components.module import build_module
from perflab.components.program import describe, program_command, program_environment, run_command
from perflab.components.runtimes import RuntimeState, own_runtime, provide_runtime, runtime_state
from perflab.components.selection import check_parameters, find_metric, select_scenario, select_variants
from perflab.components.testing import TestOutcome, run_tests
from perflab.components.thresholds import DEFAULT_WORSE_BY, threshold_for

__all__ = [
    "DEFAULT_WORSE_BY",
    "Cause",
    "CompiledPlugin",
    "Component",
    "ContractCheck",
    "Manifest",
    "OwnRuntime",
    "ReadersSource",
    "RuntimeState",
    "Table",
    "TestOutcome",
    "Threshold",
    "build",
    "build_module",
    "check_parameters",
    "check_plugin",
    "check_variant",
    "compile_plugin",
    "describe",
    "find_component",
    "find_components",
    "find_metric",
    "is_built",
    "keep_build",
    "kept_build",
    "own_runtime",
    "program_command",
    "program_environment",
    "provide_runtime",
    "run_command",
    "run_tests",
    "runtime_state",
    "select_scenario",
    "select_variants",
    "sources_print",
    "threshold_for",
]
