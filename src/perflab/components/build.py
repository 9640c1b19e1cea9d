"""Building a component with its own tool, and knowing when that is not needed."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.components.program import program_environment
from perflab.errors import MissingError
from perflab.paths import LAB_DIR
from perflab.toolchains import build_lock, expand, provide, require, run_build

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perflab.components.catalogue import Component

_NOT_SOURCES = {"target", "build", "bin", "obj", "node_modules", "__pycache__", ".git"}


def is_built(component: Component) -> bool:
    """Whether the last build was of the present sources by the present tools, and what it made is still there."""
    stamp = _stamp(component)
    there = all((component.folder / product).exists() for product in component.manifest.build.produces)
    return there and stamp.is_file() and stamp.read_text() == fingerprint(component)


def build(component: Component, *, force: bool = False) -> bool:
    """Build the component unless its sources have not changed since the last time.

    Returns:
        Whether anything was built.

    Raises:
        BenchError: If the build fails; the message ends with the last lines of its log.
        MissingError: If a tool is missing that the lab cannot fetch, or there is no room.
    """
    provide(component.manifest.requires)
    try:
        with build_lock(_stamp(component)):
            # Whoever waited here may find it built.
            if not force and is_built(component):
                return False
            _build(component)
    except OSError as error:
        where = error.filename or component.folder
        raise MissingError(
            f"cannot build {component.name}: {error.strerror}", f"make room in {where}, or make it writable"
        ) from None
    return True


def _build(component: Component) -> None:
    environment = program_environment(component)
    sources = fingerprint(component)
    # A build that fails may have replaced half of what an older stamp, whose sources may come back, says is there.
    _stamp(component).unlink(missing_ok=True)
    command = expand(component.manifest.build.command, environment)
    run_build(command, component.name, _stamp(component).with_suffix(".log"), environment, component.folder)
    # Whole or not at all: half a stamp, of a disk that is full, would be as good as none, but stays.
    draft = _stamp(component).with_suffix(".draft")
    draft.write_text(sources)
    draft.replace(_stamp(component))


def _stamp(component: Component) -> Path:
    # The folder is part of the name: a test's component may be called like one of the lab's.
    place = hashlib.sha256(str(component.folder).encode()).hexdigest()[:8]
    return LAB_DIR / "builds" / f"{component.name}-{place}.built"


def fingerprint(component: Component, *more: str) -> str:
    """A hash of the sources' contents, the build command, the tools and `more`; equal prints mean equal builds."""
    digest = hashlib.sha256(repr((component.manifest.build.command, component.manifest.requires, *more)).encode())
    digest.update(repr(sorted(require(component.manifest.requires).items())).encode())
    _feed(digest, component)
    return digest.hexdigest()


def sources_print(component: Component) -> str:
    """A hash of the sources' contents alone, which is the same on every machine that has the same ones."""
    digest = hashlib.sha256()
    _feed(digest, component)
    return digest.hexdigest()


def _feed(digest: hashlib._Hash, component: Component) -> None:
    for path in sorted(_sources(component)):
        digest.update(os.path.relpath(path, component.folder).encode())
        digest.update(path.read_bytes())


def _sources(component: Component) -> Iterator[Path]:
    roots = [component.folder, *((component.folder / extra).resolve() for extra in component.manifest.sources)]
    for root in roots:
        if root.is_file():
            yield root
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if name not in _NOT_SOURCES and not name.startswith(".")]
            for name in files:
                if not name.startswith("."):
                    yield Path(folder) / name
