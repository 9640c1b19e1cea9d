"""A component's extension module for notebooks in Python, built from its `[module]`."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.components.build import fingerprint
from perflab.components.program import program_environment
from perflab.errors import MissingError, UsageError
from perflab.paths import LAB_DIR
from perflab.toolchains import build_lock, provide, run_build

if TYPE_CHECKING:
    from perflab.components.catalogue import Component

_HEADERS_FIX = "Debian: apt install python3-dev; conda's Python and pyenv's have them"


def build_module(component: Component) -> Path:
    """Build the module for this Python, unless nothing has changed since it was built.

    Returns:
        The folder to import it from. A module that has changed is in another one.

    Raises:
        UsageError: If the component has none.
        MissingError: If a tool or Python's headers are not on this machine.
        BenchError: If it does not build.
    """
    table = component.manifest.module
    if table is None:
        raise UsageError(f"{component.name} has no module for Python", "its manifest has no [module]")
    provide(component.manifest.requires)
    modules = LAB_DIR / "modules"
    # One that is built for another Python cannot be imported here.
    sources = fingerprint(component, sys.version, str(sysconfig.get_config_var("SOABI")))
    folder = modules / f"{component.name}-{sources[:16]}"
    if folder.is_dir():
        return folder
    if not any((path / "Python.h").is_file() for path in _include_folders()):
        raise MissingError("Python's headers are not on this machine (no Python.h)", _HEADERS_FIX)
    builder = "perflab.toolchains.python_module"
    command = [sys.executable, "-m", builder, str(component.folder / table.project), str(folder)]
    log = modules / f"{component.name}.log"
    with build_lock(modules / component.name):
        if not folder.is_dir():
            run_build(command, f"{component.name}'s module", log, program_environment(component), component.folder)
        for former in modules.glob(f"{component.name}-*"):
            if former != folder:
                shutil.rmtree(former, ignore_errors=True)
    return folder


def _include_folders() -> list[Path]:
    return [Path(sysconfig.get_path(name)) for name in ("include", "platinclude")]
