"""Which harnesses there are: perflab's own, and those of installed packages."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from perflab.model.errors import UsageError, one_line, unknown
from perflab.model.names import is_id

if TYPE_CHECKING:
    from perflab.bench.interface import Harness


GROUP = "perflab.bench"
"""Of entry points: the name is the option's, the object a subclass of `Harness` that is made without arguments."""

_OWN = {
    "functions": ("perflab.bench.functions:Functions", "FILE", "functions of a .py, .rs, .cpp, .kt or .cs file"),
    "gbench": ("perflab.bench.gbench:GoogleBenchmark", "PROGRAM", "benchmarks of a program with Google Benchmark"),
    "jmh": ("perflab.bench.jmh:Jmh", "JAR", "benchmarks of an executable jar with JMH"),
    "go": ("perflab.bench.go:GoTest", "FOLDER", "benchmarks of a Go package"),
    "criterion": ("perflab.bench.criterion:Criterion", "FOLDER", "benchmarks of a crate with criterion"),
    "catch2": ("perflab.bench.catch2:Catch2", "PROGRAM", "benchmarks of a program with Catch2"),
    "dotnet": ("perflab.bench.dotnet:BenchmarkDotNet", "DLL", "benchmarks of a program with BenchmarkDotNet"),
    "pyperf": ("perflab.bench.pyperf:PyPerf", "FILE", "benchmarks of a script with pyperf"),
    "pytest": ("perflab.bench.pytest_benchmark:PytestBenchmark", "FILE", "tests with pytest-benchmark's fixture"),
}
"""Of each name the class, what it runs, and a text for help: known without loading it."""


def harness_options() -> dict[str, tuple[str, str]]:
    """By name of each harness, which is an option of `./lab bench`: what it runs, and a text for help."""
    own = {name: (target, text) for name, (_, target, text) in _OWN.items()}
    others = sorted(entry_points(group=GROUP), key=lambda one: one.name)
    return {one.name: ("TARGET", f"benchmarks that {one.value} runs") for one in others if is_id(one.name)} | own


def find_harness(name: str) -> Harness:
    """The harness of this name."""
    if name in _OWN:
        module, _, kind = _OWN[name][0].partition(":")
        own: Harness = getattr(import_module(module), kind)()
        return own
    found = next((one for one in entry_points(group=GROUP) if one.name == name), None)
    if found is None:
        raise unknown("harness", name, harness_options())
    try:
        other: Harness = found.load()()
    except Exception as error:  # noqa: BLE001 - whatever a package raises
        raise UsageError(f"the harness {name} of {found.value} cannot be loaded: {one_line(error)}") from None
    return other
