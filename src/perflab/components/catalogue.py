"""Finding components: every folder with a manifest is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflab.components.manifest import FILE_NAME, Manifest, read_manifest
from perflab.errors import UsageError, unknown
from perflab.paths import COMPONENTS_DIR

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Component:
    """A system under test: its folder and what its manifest says."""

    folder: Path
    manifest: Manifest

    @property
    def name(self) -> str:
        """The topic's name, as users type it."""
        return self.manifest.name


def find_components(folder: Path | None = None) -> list[Component]:
    """All components, in the order of their names.

    Raises:
        UsageError: If a manifest is wrong.
    """
    manifests = sorted((folder or COMPONENTS_DIR).glob(f"*/{FILE_NAME}"))
    return [Component(path.parent, read_manifest(path)) for path in manifests]


def find_component(name: str, folder: Path | None = None) -> Component:
    """The component of this name.

    Raises:
        UsageError: If there is none; names the nearest one.
    """
    components = {component.name: component for component in find_components(folder)}
    if name not in components:
        error = unknown("topic", name, components)
        raise UsageError(error.message, f"{error.hint}; PERFLAB_COMPONENTS names a folder of your own topics")
    return components[name]
