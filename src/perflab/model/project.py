"""A project's `perflab.toml`: the folders of its topics, ledgers and results, and its saved benches."""

from __future__ import annotations

from contextlib import suppress
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
"""A project's folder for this machine's files."""
_VERSION = 1

Inside = Annotated[str, msgspec.Meta(pattern=r"^(?!/)(?!(.*/)?\.\.(/|\Z))[^\x00-\x1f]+\Z", max_length=1000)]
"""A path within the project, so that a cloned `perflab.toml` cannot make perflab write elsewhere."""


class SavedBench(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Saved arguments of `bench`.

    Attributes:
        compare: Commands, or a harness's benchmarks.
        harness: The harness's name; empty for whole commands.
        of: The program that the harness runs.
        ignore_failure: Whether all exit statuses besides 0 are ignored, or which.
        shell: `none`, `default`, or a shell with its arguments.
        names: Of the first commands, in place of their texts.
        setup, prepare, conclude, cleanup, input, output: See `perflab.measure.around.Around`; `prepare`, `conclude` and
            `output` are one for all commands or one for each.
        over: Parameters with values, such as `size=1000,2000`: `{size}` in a benchmark's name is replaced by each.
        folder: The working folder within the project.
    """

    compare: list[str]
    harness: OptionalId = ""
    of: list[str] = []
    pattern: str | None = None
    unit: str | None = None
    better: Literal["higher", "lower"] | None = None
    decimal: Literal[".", ","] | None = None
    ignore_failure: bool | list[int] = False
    metric: OptionalId | None = None
    over: list[str] = []
    folder: Inside | None = None
    shell: str | None = None
    names: list[str] = []
    setup: str | None = None
    prepare: list[str] = []
    conclude: list[str] = []
    cleanup: str | None = None
    input: str | None = None
    output: list[str] = []


class Project(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Paths of a project, relative to its folder; the lab's checkout is a project.

    Attributes:
        components: One folder per system under test.
        claims: The ledgers.
        reference: Committed results.
        results: Results of this machine.
        work: Other generated files of this machine.
        bench: Saved benches by name.
        projects: Folders of other projects within this one, whose reports are included in its site.
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


def hide_private(folder: Path) -> None:
    """Make a project's private folder, which git then does not see: it is no change of the measured project."""
    folder.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError), (folder / ".gitignore").open("x") as ignored:
        ignored.write("*\n")


def nearest_project(folder: Path) -> Path | None:
    """Return the nearest folder with a project's file: this one or a parent."""
    return next((one for one in (folder, *folder.parents) if (one / FILE).is_file()), None)
