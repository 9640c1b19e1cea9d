"""The base class of the lab's kernels: installing one by its kernelspec, and saying whether it is there."""

from __future__ import annotations

import json
import shutil
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat

from perflab.model.errors import MissingError, UsageError, one_line
from perflab.model.files import atomic
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbformat import NotebookNode


JUPYTER_DIR = CHECKOUT / ".lab" / "jupyter"
"""The lab's own Jupyter prefix, for `JUPYTER_PATH`."""

Spec = dict[str, Any]
"""A `kernel.json`. It holds absolute paths of this machine, so it is generated and never committed."""


def write(name: str, spec: Spec) -> None:
    """Install a spec into the lab's Jupyter prefix, with the logos in the Python environment."""
    file = _file(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    for logo in (Path(sys.prefix) / "share" / "jupyter" / "kernels" / name).glob("logo-*"):
        shutil.copyfile(logo, file.with_name(logo.name))
    # A Jupyter server may be listing the kernels at this moment.
    with atomic(file) as draft:
        draft.write_text(json.dumps(spec, indent=2) + "\n", encoding="utf-8")


def _file(name: str) -> Path:
    return JUPYTER_DIR / "kernels" / name / "kernel.json"


def read_notebook(path: Path) -> NotebookNode:
    """Read a notebook that names its kernel; raise `UsageError` for any other file."""
    try:
        notebook: NotebookNode = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)  # type: ignore[no-untyped-call]
        nbformat.validate(notebook)
        ok = isinstance(notebook.metadata.kernelspec.name, str)
    except Exception as error:  # noqa: BLE001 - nbformat fails in many ways
        raise UsageError(f"{path.name} is no notebook: {one_line(error)[:200]}", "see it in JupyterLab") from None
    if not ok:
        raise UsageError(f"{path.name} names no kernel", "see it in JupyterLab")
    return notebook


@dataclass(frozen=True)
class KernelStatus:
    """A row of the doctor's table.

    Attributes:
        name: The kernel's name, as notebooks write it.
        installed: Notebooks can be opened with it now.
        version: Versions of the kernel and its runtime; empty if unknown.
        fix: The command, or the thing to install, that would mend it; empty if it is installed.
    """

    name: str
    installed: bool
    version: str
    fix: str


@dataclass(frozen=True)
class LabkitTests:
    """Tests of a kernel's labkit: commands run in `folder`, and `reports` is a glob of JUnit files below it."""

    lint: list[list[str]]
    test: list[str]
    environment: dict[str, str]
    folder: Path
    reports: str


class Kernel(ABC):
    """A kernel; one file each, listed in `perflab.kernels.registry`.

    All methods raise `MissingError` if something that the kernel needs is not on this machine.
    """

    name: str
    labkit: str = ""
    """The language of its labkit; empty if that has no project of its own."""

    @abstractmethod
    def version(self) -> str:
        """Return its version and that of its runtime."""

    @abstractmethod
    def kernelspec(self) -> Spec:
        """Return how Jupyter starts it, with all versions that are on this machine now."""

    def is_built(self) -> bool:
        """Return whether its parts were built from the present sources and versions."""
        return True

    def build(self, say: Callable[[str], None]) -> None:  # noqa: B027 - most kernels have nothing to build
        """Build its parts; `say` is called with what takes long. Raise `BenchError` if one does not build."""

    def is_installed(self) -> bool:
        """Return whether it is built and Jupyter has its present kernelspec."""
        if not self.is_built():
            return False
        try:
            return bool(json.loads(_file(self.name).read_text(encoding="utf-8")) == self.kernelspec())
        except (OSError, ValueError):
            return False

    def install(self, say: Callable[[str], None] = lambda _: None) -> None:
        """Build it, then write its kernelspec: no kernel is offered that would fail."""
        if not self.is_built():
            self.build(say)
        write(self.name, self.kernelspec())

    def prepare(self, notebook: Path) -> None:  # noqa: B027 - most kernels have nothing to do
        """Do ahead of time what the notebook's first cell would have to do; raise `BenchError` if that fails."""

    def labkit_tests(self) -> LabkitTests:
        """Return how its labkit is checked."""
        raise NotImplementedError

    def status(self) -> KernelStatus:
        """Return its row of the doctor's table."""
        try:
            version, there = self.version(), self.is_installed()
        except MissingError as missing:
            return KernelStatus(self.name, installed=False, version="", fix=missing.hint or missing.message)
        return KernelStatus(self.name, there, version, "" if there else "./lab setup")
