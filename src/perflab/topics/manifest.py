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
    """How the component is built, in its folder, and which files that makes."""

    command: Command
    produces: list[str] = []


class Bench(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How its bench program is started; `describe` or `run ...` is put behind the command.

    A runtime that compiles while it runs ranks variants in another way before it has: `warmup_ms` is the least warm-up
    that presets of which something is to be believed give it.
    """

    command: Command
    warmup_ms: Annotated[int, msgspec.Meta(ge=0)] = 0


class OwnRuntime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What variants run on that the component's own runtime cannot run: another command for the same bench program.

    `{java}` in it is what its own `requires` asks for. Where that cannot be had, these variants are left out.
    """

    variants: list[Id]
    requires: list[str]
    command: Command


class Test(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the component's tests are run: chosen ones as evidence of claims, `all`, and those that `stress`.

    `{test}` in the command stands for the tests' names joined by `separator`; `reports` is a glob of JUnit XML files.
    `models` are those of `all` that need a build of their own, as a model checker does.
    """

    command: Command
    reports: Inside
    separator: str = ","
    all: list[str] = []
    models: list[str] = []
    stress: list[str] = []


class Lint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How formatters and linters of the component's language check it."""

    command: Command


class PluginSupport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a reader's own variant implements, what it is compiled against, and how it is validated.

    `{plugin}` in the contract command stands for the plug-in's path. A component whose notebooks have no compiler of
    their own says how a source becomes a plug-in: put into `template` for `@SOURCE@`, with the type's name for `@TYPE@`
    and the variant's for `@NAME@`, it is compiled by `compile`, from `{source}` to `{plugin}`.
    """

    interface: str
    classpath: list[str] = []
    contract: list[str] = []
    template: str = ""
    compile: list[str] = []


class Module(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An extension module for notebooks in Python: what `import` calls it, and the folder of its project."""

    name: str
    project: str


Mode = Literal["cpu", "wall", "lock", "alloc"]


class Profiling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which profilers and modes apply, and whether the program has virtual threads, which take a pass of their own."""

    profilers: list[Literal["async-profiler", "perf", "os"]] = []
    virtual_threads: bool = False
    modes: list[Mode] = []


class Cause(msgspec.Struct, frozen=True):
    """A row of the root-cause table: the stacks of a mode that match `frames`, a regular expression."""

    name: str
    mode: Mode
    frames: str


class CauseInModes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The same row in one mode's table, or in several."""

    name: str
    mode: Mode | Annotated[list[Mode], msgspec.Meta(min_length=1)]
    frames: str

    def in_each(self) -> list[Cause]:
        """It in each of them."""
        modes = self.mode if isinstance(self.mode, list) else [self.mode]
        return [Cause(self.name, mode, self.frames) for mode in modes]


class Threshold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """By how much metrics may get worse against a saved baseline: 0.1 for 10 %, and where that figure comes from.

    It applies to the `metrics` of the `scenarios` that it names, a scenario's headline having the scenario's own name;
    to all where it names none. Of several that apply the first one does.
    """

    worse_by: Annotated[float, msgspec.Meta(ge=0)]
    scenarios: list[Id] = []
    metrics: list[Id] = []
    source: str = ""


class ScoreTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table of all variants by `scenarios`, at their defaults, that a reproduction ends with.

    `worst` names a metric of these scenarios that is shown beside the headline. With many variants the quick preset
    takes long: `quick_rounds` and `quick_samples` take the place of its own then.
    """

    scenarios: Annotated[list[Id], msgspec.Meta(min_length=1)]
    worst: OptionalId = ""
    quick_rounds: Annotated[int, msgspec.Meta(ge=3)] | None = None
    quick_samples: Annotated[int, msgspec.Meta(ge=1)] | None = None

    def quick_overrides(self) -> dict[str, float]:
        """The fields of the quick preset that are others for the table."""
        others = {
            "min_rounds": self.quick_rounds,
            "max_rounds": self.quick_rounds,
            "samples": self.quick_samples,
        }
        return {name: value for name, value in others.items() if value is not None}


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that the lab knows of a component without starting it."""

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
        """The rows of all modes' tables, each in its order."""
        return [one for row in self.cause for one in row.in_each()]


def read_manifest(path: Path) -> Manifest:
    """Read and check a manifest, once for each time that it is written; raises as `read_toml`."""
    return _read(path, path.stat().st_mtime_ns if path.exists() else 0)


@functools.lru_cache(maxsize=64)
def _read(path: Path, _: int) -> Manifest:
    return read_toml(path, Manifest, "see docs/protocol.md")


DEFAULT_WORSE_BY = 0.05
"""Where a manifest says nothing: the margin within which the lab takes differences for none."""


def threshold_for(manifest: Manifest, scenario: str, metric: str) -> Threshold:
    """The threshold of a scenario's metric: the first in the manifest that applies to it, else the lab's own."""
    for one in manifest.threshold:
        if (not one.scenarios or scenario in one.scenarios) and (not one.metrics or metric in one.metrics):
            return one
    return Threshold(DEFAULT_WORSE_BY, source="the lab's margin of no difference")
