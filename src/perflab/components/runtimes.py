"""Variants with a runtime of their own, which the manifest names in `[[runtime]]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perflab.errors import MissingError, unknown
from perflab.toolchains import provide, require

if TYPE_CHECKING:
    from perflab.components.catalogue import Component
    from perflab.components.manifest import OwnRuntime
    from perflab.protocol import Description


class RuntimeState(msgspec.Struct, frozen=True):
    """What a variant needs beyond its component's own requirements, whether it is here, and if not, what to do."""

    requires: list[str]
    ready: bool
    fix: str = ""


def own_runtime(component: Component, variant: str) -> OwnRuntime | None:
    """What this variant runs on, if that is not what the component's others run on."""
    return next((one for one in component.manifest.runtime if variant in one.variants), None)


def runtime_state(runtime: OwnRuntime) -> RuntimeState:
    """Whether it could be started now; asks no network.

    Raises:
        UsageError: If it requires what the lab does not know.
    """
    try:
        require(runtime.requires)
    except MissingError as error:
        return RuntimeState(runtime.requires, ready=False, fix=error.hint)
    return RuntimeState(runtime.requires, ready=True)


def provide_runtime(runtime: OwnRuntime) -> None:
    """Fetch what it requires, as far as the lab can.

    Raises:
        MissingError: If it cannot be had.
        UsageError: If it requires what the lab does not know.
    """
    provide(runtime.requires)
    require(runtime.requires)


def check_runtimes(component: Component, description: Description) -> None:
    """Check that the manifest speaks of variants that exist.

    Raises:
        UsageError: If not: a misspelt one would run on the wrong runtime.
    """
    names = [variant.name for variant in description.variants]
    for runtime in component.manifest.runtime:
        for name in runtime.variants:
            if name not in names:
                raise unknown(f"variant of {component.name}, named in [[runtime]] of its manifest,", name, names)
