"""Keeping a build: a copy of what it made and of its manifest, so that it can be run again beside a later one."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from perflab.components.catalogue import Component
from perflab.components.manifest import FILE_NAME, read_manifest
from perflab.components.program import describe
from perflab.errors import LabError, MissingError

if TYPE_CHECKING:
    from pathlib import Path


def keep_build(component: Component, folder: Path) -> bool:
    """Copy what the component's build produced into a folder, and see that it runs from there.

    Nothing is kept where the manifest names no products, or where they need something that it does not name.

    Returns:
        Whether the folder holds a build that runs.

    Raises:
        MissingError: If the folder cannot be written.
    """
    if not component.manifest.build.produces:
        return False
    draft = folder.with_name(folder.name + ".draft")
    try:
        shutil.rmtree(draft, ignore_errors=True)
        for product in [FILE_NAME, *component.manifest.build.produces]:
            _copy(component.folder / product, draft / product)
        runs = _runs(component, draft)
        shutil.rmtree(folder, ignore_errors=True)
        if runs:
            draft.rename(folder)
    except OSError as error:
        raise MissingError(f"cannot keep the build: {error}", "point PERFLAB_RESULTS to a writable folder") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return runs


def kept_build(folder: Path) -> Component | None:
    """The build in a folder, as a component of its own with the manifest of its time; `None` if it no longer runs."""
    try:
        component = Component(folder, read_manifest(folder / FILE_NAME))
        describe(component)
    except (OSError, LabError):
        return None
    return component


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy2(source, target)


def _runs(component: Component, draft: Path) -> bool:
    """Whether the copy starts and has the same variants as the build."""
    copy = kept_build(draft)
    return copy is not None and describe(copy).variants == describe(component).variants
