"""A component's manifest, `component.toml`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from perflab.model.located import read_toml
from perflab.model.names import Id, OptionalId
from perflab.model.project import Inside

if TYPE_CHECKING:
    from pathlib import Path


FILE_NAME = "component.toml"


Command = Annotated[list[str], msgspec.Meta(min_length=1)]


class Build(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The component's build command, run in its folder, and its products."""

    command: Command
    produces: list[str] = []


class Bench(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The command of the bench program, which gets `describe` or `run ...` appended.

    Before a JIT compiler has finished, variants may rank differently: `warmup_ms` is the minimum warm-up in all presets
    whose results count.
    """

    command: Command
    warmup_ms: Annotated[int, msgspec.Meta(ge=0)] = 0


class OwnRuntime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another command for the same bench program, for variants that need a different runtime.

    `{java}` in it is the one of its own `requires`. Without that, these variants are left out.
    """

    variants: list[Id]
    requires: list[str]
    command: Command


class Test(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Commands for the component's tests: selected ones as evidence of claims, `all`, and `stress` tests.

    `{test}` in the command stands for the tests' names joined by `separator`; `reports` is a glob of JUnit XML files.
    `models` is the part of `all` that needs its own build, such as model checks.
    """

    command: Command
    reports: Inside
    separator: str = ","
    all: list[str] = []
    models: list[str] = []
    stress: list[str] = []


class Lint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Commands of the component's formatters and linters."""

    command: Command


class PluginSupport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Support for a reader's own variant: its interface, its compiler's inputs, and its validation.

    `{plugin}` in the contract command stands for the plug-in's path. If notebooks have no compiler, a source becomes a
    plug-in as follows: it replaces `@SOURCE@` in `template`, with the type's name for `@TYPE@` and the variant's for
    `@NAME@`, and `compile` compiles `{source}` to `{plugin}`.
    """

    interface: str
    classpath: list[str] = []
    contract: list[str] = []
    template: str = ""
    compile: list[str] = []


class Module(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An extension module for Python notebooks: its import name, and its project's folder."""

    name: str
    project: str


Mode = Literal["cpu", "wall", "lock", "alloc"]


class Profiling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The profilers and modes that apply, and whether the program has virtual threads, which need a separate pass."""

    profilers: list[Literal["async-profiler", "perf", "os"]] = []
    virtual_threads: bool = False
    modes: list[Mode] = []


class Cause(msgspec.Struct, frozen=True):
    """A row of the root-cause table: stacks of a mode that match the regular expression `frames`."""

    name: str
    mode: Mode
    frames: str


class CauseInModes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row in the tables of one or more modes."""

    name: str
    mode: Mode | Annotated[list[Mode], msgspec.Meta(min_length=1)]
    frames: str

    def in_each(self) -> list[Cause]:
        """Return the row of each mode."""
        modes = self.mode if isinstance(self.mode, list) else [self.mode]
        return [Cause(self.name, mode, self.frames) for mode in modes]


class Threshold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The regression allowed against a saved baseline, such as 0.1 for 10 %, and the source of that figure.

    It applies to the named `metrics` of the named `scenarios`, or to all if none are named; a headline metric has its
    scenario's name. The first threshold that applies is used.
    """

    worse_by: Annotated[float, msgspec.Meta(ge=0)]
    scenarios: list[Id] = []
    metrics: list[Id] = []
    source: str = ""


class ScoreTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table of all variants by `scenarios` with default parameters, at the end of a reproduction.

    `worst` names a metric of these scenarios to show beside the headline. `quick_rounds` and `quick_samples` override
    the quick preset, which takes long with many variants.
    """

    scenarios: Annotated[list[Id], msgspec.Meta(min_length=1)]
    worst: OptionalId = ""
    quick_rounds: Annotated[int, msgspec.Meta(ge=3)] | None = None
    quick_samples: Annotated[int, msgspec.Meta(ge=1)] | None = None

    def quick_overrides(self) -> dict[str, float]:
        """Return the table's overrides of the quick preset."""
        others = {
            "min_rounds": self.quick_rounds,
            "max_rounds": self.quick_rounds,
            "samples": self.quick_samples,
        }
        return {name: value for name, value in others.items() if value is not None}


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything known about a component without running it."""

    name: Id
    title: str
    language: str
    build: Build
    bench: Bench
    bottleneck: str = ""
    kernel: str = ""
    notebook: str = ""
    report: OptionalId = ""
    requires: list[str] = []
    runtime: list[OwnRuntime] = []
    sources: list[str] = []
    test: Test | None = None
    lint: Lint | None = None
    plugin: PluginSupport | None = None
    module: Module | None = None
    profile: Profiling = Profiling()
    cause: list[CauseInModes] = []
    threshold: list[Threshold] = []
    table: ScoreTable | None = None

    @property
    def causes(self) -> list[Cause]:
        """The rows of all modes' tables, in order."""
        return [one for row in self.cause for one in row.in_each()]


def read_manifest(path: Path) -> Manifest:
    """Read and check a manifest; cached until it changes. Raises like `read_toml`."""
    return _read(path, path.stat().st_mtime_ns if path.exists() else 0)


@functools.lru_cache(maxsize=64)
def _read(path: Path, _: int) -> Manifest:
    return read_toml(path, Manifest, "see docs/protocol.md")


DEFAULT_WORSE_BY = 0.05
"""Default threshold: the lab's equivalence margin."""
DEFAULT_MORE_INSTRUCTIONS = 0.001


def threshold_for(manifest: Manifest, scenario: str, metric: str) -> Threshold:
    """Return the threshold of a scenario's metric: the manifest's first that applies, else the default."""
    for one in manifest.threshold:
        if (not one.scenarios or scenario in one.scenarios) and (not one.metrics or metric in one.metrics):
            return one
    if metric == "instructions":
        return Threshold(DEFAULT_MORE_INSTRUCTIONS, source="the lab's for counts, which repeat")
    return Threshold(DEFAULT_WORSE_BY, source="the lab's margin of no difference")
