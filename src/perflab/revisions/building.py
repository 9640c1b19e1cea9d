"""A topic as it was at a commit: found in that commit's work tree, and built there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.components import Component, build
from perflab.components.manifest import FILE_NAME, read_manifest
from perflab.errors import BenchError, UsageError
from perflab.paths import COMPONENTS_DIR
from perflab.revisions.git import added_by, top_folder
from perflab.revisions.trees import provide_tree

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.revisions.git import Commit


def component_at(topic: str, commit: Commit) -> Component:
    """The topic's component in the commit's work tree, built, with the manifest of its time.

    The whole tree is there, so that a build may use what lies outside of the component's folder. Tools and libraries
    are the machine's of today.

    Raises:
        UsageError: If the topic is not there at this commit.
        BenchError: If its build fails; the message ends with the last lines of its log.
        MissingError: If a tool is missing.
    """
    place = _place()
    folder = provide_tree(commit).folder / place
    component = _find(topic, folder)
    if component is None:
        came = added_by(f"{place}/{topic}/{FILE_NAME}")
        there = ", ".join(sorted(path.parent.name for path in folder.glob(f"*/{FILE_NAME}")))
        raise UsageError(
            f"there is no topic {topic!r} at {commit.short}",
            (f"it came with {came}; " if came else "") + f"there are: {there or 'none'}",
        )
    try:
        build(component)
    except BenchError as error:
        raise BenchError(f"at {commit.short}, {error.message}", error.hint) from None
    return component


def _find(topic: str, folder: Path) -> Component | None:
    """Of other topics' manifests, some may be of another time than this lab can read: they are none of our business."""
    for path in sorted(folder.glob(f"*/{FILE_NAME}")):
        try:
            manifest = read_manifest(path)
        except UsageError:
            if path.parent.name == topic:
                raise
            continue
        if manifest.name == topic:
            return Component(path.parent, manifest)
    return None


def _place() -> Path:
    """Where topics lie in the repository."""
    top = top_folder()
    folder = COMPONENTS_DIR.resolve()
    if not folder.is_relative_to(top.resolve()):
        raise UsageError(f"the topics in {folder} are not part of the checkout, so they have no revisions of it")
    return folder.relative_to(top.resolve())
