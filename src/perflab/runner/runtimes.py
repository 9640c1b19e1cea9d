"""Making sure, before the clock runs, that each variant has what it runs on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.components import own_runtime, provide_runtime, runtime_state
from perflab.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from perflab.components import Component, OwnRuntime
    from perflab.protocol import Variant
    from perflab.runner.progress import Progress


def provide_runtimes(
    component: Component, variants: Sequence[Variant], needed: Collection[str], progress: Progress
) -> list[Variant]:
    """Fetch the runtimes that variants have to themselves.

    Args:
        component: The component.
        variants: Those that would take part.
        needed: The names of those that must; the others are left out, with a note, where their runtime cannot be had.
        progress: Told what is fetched and what is left out.

    Returns:
        The variants that can run.

    Raises:
        MissingError: If the runtime of a variant that is needed cannot be had.
    """
    able = []
    for variant in variants:
        runtime = own_runtime(component, variant.name)
        try:
            if runtime is not None:
                _provide(runtime, variant, progress)
            able.append(variant)
        except MissingError as error:
            if variant.name in needed:
                raise MissingError(f"variant {variant.name!r} cannot run: {error.message}", error.hint) from None
            progress.note(f"{variant.name} is left out: {error}")
    return able


def _provide(runtime: OwnRuntime, variant: Variant, progress: Progress) -> None:
    if not runtime_state(runtime).ready:
        progress.update(0.0, f"fetching {', '.join(runtime.requires)} for {variant.name}, once")
        provide_runtime(runtime)
