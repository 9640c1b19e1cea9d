"""Build components with their own tools, if needed."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import sysconfig
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.host.builds import StampedBuild, build_lock, run_build
from perflab.host.toolchains import expand, provide, require
from perflab.model.errors import LabError, MissingError, UsageError
from perflab.model.files import atomic, copy_of, hash_files, remove
from perflab.model.lab import user_cache
from perflab.topics.catalogue import Component
from perflab.topics.jars import check_jars
from perflab.topics.manifest import FILE_NAME, read_manifest
from perflab.topics.program import describe, program_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perflab.model.lab import Lab


_NOT_SOURCES = {"target", "build", "bin", "obj", "node_modules", "__pycache__", ".git"}


def _build(component: Component) -> StampedBuild:
    # Include the folder: a test's component may have the name of a real one.
    place = hashlib.sha256(os.fsencode(component.folder)).hexdigest()[:8]
    return StampedBuild(
        component.lab.work / "builds" / f"{component.name}-{place}.built",
        partial(fingerprint, component),
        [component.folder / product for product in component.manifest.build.produces],
    )


def is_built(component: Component) -> bool:
    """Check that the last build used the current sources and tools, and that its products exist."""
    return component.bench is not None or _build(component).is_current()


def is_own_build(component: Component) -> bool:
    """Check that this user built the component; otherwise the build may have come with an archive of the folder.

    Read-only commands start no other build.
    """
    return component.bench is not None or (_mark(component).exists() and is_built(component))


def _mark(component: Component) -> Path:
    return user_cache() / "builds" / _build(component).stamp.name


def build(component: Component, *, force: bool = False) -> bool:
    """Build the component if its sources have changed since the last build.

    Returns:
        True if anything was built.
    """
    if component.bench is not None:
        return False
    provide(component.manifest.requires)
    found = _build(component)

    def work() -> None:
        environment = program_environment(component)
        command = expand(component.manifest.build.command, environment)
        run_build(command, component.name, found.log, environment, component.folder)
        check_jars(component.folder)

    try:
        built = found.run(work, force=force)
    except OSError as error:
        where = error.filename or component.folder
        raise MissingError(
            f"cannot build {component.name}: {error.strerror}", f"make room in {where}, or make it writable"
        ) from None
    with suppress(OSError, LabError), atomic(_mark(component)) as mark:
        mark.touch()
    return built


def fingerprint(component: Component, *more: str) -> str:
    """Hash the sources' contents, the build command, the tools and `more`."""
    manifest = component.manifest
    tools = sorted(require(manifest.requires).items())
    return hash_files(component.folder, _sources(component), manifest.build.command, manifest.requires, tools, *more)


def sources_print(component: Component) -> str:
    """Hash the sources' contents alone: the same on every machine."""
    return hash_files(component.folder, _sources(component))


def _sources(component: Component) -> Iterator[Path]:
    roots = [component.folder, *((component.folder / extra).resolve() for extra in component.manifest.sources)]
    for root in roots:
        if root.is_file():
            yield root
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if name not in _NOT_SOURCES and not name.startswith(".")]
            # Broken links and pipes are not sources.
            yield from (path for name in files if not name.startswith(".") and (path := Path(folder) / name).is_file())


def keep_build(component: Component, folder: Path) -> bool:
    """Copy the build's products to a folder; return True if they run from there.

    Nothing is kept if the manifest names no products, or if they need files that it does not name.
    """
    if not component.manifest.build.produces:
        return False
    try:
        with atomic(folder) as draft:
            for product in [FILE_NAME, *component.manifest.build.produces]:
                copy_of(component.folder / product, draft / product)
            copy = kept_build(draft, component.lab)
            # It must offer the same variants as the build.
            runs = copy is not None and describe(copy).variants == describe(component).variants
    except OSError as error:
        raise MissingError(f"cannot keep the build: {error}", "point PERFLAB_RESULTS to a writable folder") from None
    if not runs:
        remove(folder)
    return runs


def kept_build(folder: Path, lab: Lab) -> Component | None:
    """Return a kept build as a component with its manifest; `None` if it no longer runs."""
    try:
        component = Component(folder, read_manifest(folder / FILE_NAME), lab)
        describe(component)
    except (OSError, LabError):
        return None
    return component


_HEADERS_FIX = "Debian: apt install python3-dev; conda's Python and pyenv's have them"


def build_module(component: Component) -> Path:
    """Build the module for this Python if anything has changed.

    Returns:
        The folder to import it from, another one after each change.
    """
    table = component.manifest.module
    if table is None:
        raise UsageError(f"{component.name} has no module for Python", "its manifest has no [module]")
    provide(component.manifest.requires)
    modules = component.lab.work / "modules"
    # A module built for another Python cannot be imported.
    sources = fingerprint(component, sys.version, str(sysconfig.get_config_var("SOABI")))
    folder = modules / f"{component.name}-{sources[:16]}"
    if folder.is_dir():
        return folder
    if not any(Path(sysconfig.get_path(name), "Python.h").is_file() for name in ("include", "platinclude")):
        raise MissingError("Python's headers are not on this machine (no Python.h)", _HEADERS_FIX)
    builder = "perflab.topics.python_module"
    command = [sys.executable, "-P", "-m", builder, str(component.folder / table.project), str(folder)]
    log = modules / f"{component.name}.log"
    with build_lock(modules / component.name):
        if not folder.is_dir():
            run_build(command, f"{component.name}'s module", log, program_environment(component), component.folder)
        for former in modules.glob(f"{component.name}-*"):
            if former != folder:
                shutil.rmtree(former, ignore_errors=True)
    return folder
