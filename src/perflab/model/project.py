"""A project's file, `perflab.toml`: where its topics, ledgers and results are, and benches to repeat by a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from perflab.model.errors import UsageError
from perflab.model.located import read_toml
from perflab.model.names import Id, OptionalId
from perflab.model.protocol import Whole

if TYPE_CHECKING:
    from pathlib import Path


FILE = "perflab.toml"
PRIVATE_FOLDER = ".perflab"
"""Of a project: what is in it is this machine's."""
_VERSION = 1

Inside = Annotated[str, msgspec.Meta(pattern=r"^(?!/)(?!(.*/)?\.\.(/|\Z))[^\x00-\x1f]+\Z", max_length=1000)]
"""A path within the project: a file that came with somebody's repository makes nothing be written outside."""


class SavedBench(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What was typed behind `bench`.

    Attributes:
        compare: Commands; of a harness, benchmarks.
        harness: Its name; empty for whole commands.
        of: What the harness runs.
        over: Parameters with their values, as `size=1000,2000`: `{size}` in a benchmark's name stands for one of them.
        folder: Where, within the project.
    """

    compare: list[str]
    harness: OptionalId = ""
    of: list[str] = []
    pattern: str | None = None
    unit: str | None = None
    better: Literal["higher", "lower"] | None = None
    ignore_failure: bool = False
    metric: OptionalId | None = None
    over: list[str] = []
    folder: Inside | None = None


class Project(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a project's things are, from its folder; the checkout of the lab is one.

    Attributes:
        components: One folder per system under test.
        claims: The ledgers.
        reference: Committed results.
        results: What was measured on this machine.
        work: What is made on this machine besides.
        bench: Benches by the names that they were saved under.
        projects: Folders of other projects within this one, whose reports stand in its site beside its own.
    """

    version: Whole = _VERSION
    components: Inside = "perflab/components"
    claims: Inside = "perflab/claims"
    reference: Inside = "perflab/reference"
    results: Inside = f"{PRIVATE_FOLDER}/results"
    work: Inside = f"{PRIVATE_FOLDER}/work"
    bench: dict[Id, SavedBench] = {}
    projects: list[Inside] = []


class _Versioned(msgspec.Struct, frozen=True):
    version: Whole = _VERSION


def read_project(path: Path) -> Project:
    """Read a project's file."""
    hint = "docs/bench.md lists the keys"
    if (version := read_toml(path, _Versioned, hint).version) != _VERSION:
        raise UsageError(f"{path} is of version {version}, this perflab reads {_VERSION}", "update perflab")
    return read_toml(path, Project, hint)


def nearest_project(folder: Path) -> Path | None:
    """Return the nearest folder, this one or around it, with a project's file."""
    return next((one for one in (folder, *folder.parents) if (one / FILE).is_file()), None)
