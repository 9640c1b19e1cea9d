"""Saving a run as a baseline, with the build that it measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.components import describe, find_component, keep_build
from perflab.errors import UsageError
from perflab.store import SavedBaseline, baseline_folder, check_name, find_baselines, write_baseline
from perflab.store.baselines import BUILD

if TYPE_CHECKING:
    from perflab.components import Component
    from perflab.protocol import ParameterValue, Scenario
    from perflab.store import Run


def save_baseline(name: str, run: Run, *, overwrite: bool = False) -> SavedBaseline:
    """Give a run a name, and keep the build that it measured if that can be run from elsewhere.

    Raises:
        UsageError: If the name holds this scenario with these settings already, the run is of no use as a baseline, or
            the name cannot be one.
        MissingError: If the results folder cannot be written.
    """
    header, component = run.header, find_component(run.header.component)
    check_free(name, component, header.scenario, header.settings, overwrite=overwrite)
    if header.kind not in {"measure", "regression"} or run.ending is None or not run.ending.complete:
        raise UsageError(f"run {run.id} cannot be a baseline: it is partial, or of kind {header.kind!r}")
    folder = baseline_folder(name, component.name, header.scenario.name, header.settings)
    record = SavedBaseline(
        name=name,
        component=component.name,
        scenario=header.scenario.name,
        settings=header.settings,
        run=run.id,
        # An arm of an earlier build has a label of its own.
        variants=[
            arm.variant for arm in header.arms if arm.label == arm.variant and arm.label not in run.ending.failures
        ],
        created=header.created,
        # A plug-in is no part of the build.
        kept=not header.plugin and keep_build(component, folder / BUILD),
    )
    write_baseline(record, folder)
    return record


def check_free(
    name: str, component: Component, scenario: Scenario, settings: dict[str, ParameterValue], *, overwrite: bool
) -> None:
    """Refuse a name that would hide a variant, or that holds a run of this scenario with these settings.

    Raises:
        UsageError: If it does.
    """
    check_name(name)
    if name in {variant.name for variant in describe(component).variants}:
        raise UsageError(
            f"{name!r} is a variant of {component.name}", "another name, so that --baseline can tell them apart"
        )
    taken = [
        one for one in find_baselines(component.name, name) if (one.scenario, one.settings) == (scenario.name, settings)
    ]
    if taken and not overwrite:
        raise UsageError(
            f"the baseline {name!r} holds {component.name} {scenario.name} already: {taken[0].run}",
            "another name, or --overwrite",
        )
