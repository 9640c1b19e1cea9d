"""Saved baselines on the command line: finding them, saving them, and what to say of their repetition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.cli.gating import judge
from perflab.cli.showing import show_figures
from perflab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from perflab.cli.gating import GateFiles
    from perflab.cli.output import Output
    from perflab.components import Component
    from perflab.protocol import Description, Scenario
    from perflab.runner import Again, Request
    from perflab.store import Run, SavedBaseline


def find(
    output: Output, topic: str, name: str | None, scenario: str | None, params: Sequence[str]
) -> list[SavedBaseline] | None:
    """What is saved under a name, of this scenario and these parameters if they are given.

    Returns:
        `None` if no baseline of the topic has this name, or one of its variants has it.

    Raises:
        UsageError: If the baseline does not hold what was asked for.
    """
    from perflab.cli.options import pairs
    from perflab.components import find_component, select_scenario
    from perflab.store import find_baselines

    records = find_baselines(topic, name) if name is not None else []
    if not records:
        return None
    description = _described(find_component(topic), output)
    if name in {variant.name for variant in description.variants}:
        return None
    if scenario is not None:
        held = sorted({one.scenario for one in records})
        select_scenario(description, scenario)
        records = [one for one in records if one.scenario == scenario]
        if not records:
            raise UsageError(f"the baseline {name!r} holds no {scenario!r}", f"it holds: {', '.join(held)}")
    if params:
        given = pairs(params)
        records = [one for one in records if _measured_with(one, select_scenario(description, one.scenario), given)]
        if not records:
            raise UsageError(f"the baseline {name!r} was not measured with {', '.join(params)}", "leave --param out")
    return records


def _measured_with(record: SavedBaseline, scenario: Scenario, given: Mapping[str, str]) -> bool:
    from perflab.components import check_parameters

    if not given.keys() <= {parameter.name for parameter in scenario.parameters}:
        return False
    return check_parameters(scenario, given).items() <= record.settings.items()


def save(output: Output, request: Request, name: str, *, overwrite: bool) -> int:
    """Measure, and keep it under a name: the scenarios that the manifest has thresholds for, or the one asked for."""
    import dataclasses

    from perflab.analysis import analyse
    from perflab.components import check_parameters, find_component, select_scenario
    from perflab.runner import check_free, measure

    component = find_component(request.topic)
    description = _described(component, output)
    for scenario in (chosen := scenarios(component, request)):
        one = select_scenario(description, scenario)
        check_free(name, component, one, one.settings(check_parameters(one, request.params)), overwrite=overwrite)
    analyses = []
    for scenario in chosen:
        run = measure(dataclasses.replace(request, scenario=scenario), output)
        analyses.append(analyse(run))
        show_figures(output, analyses[-1])
        _keep(output, name, run, overwrite=overwrite)
    output.result({"saved_as": name, "runs": [one.to_dict() for one in analyses]})
    return 4 if any(one.broken for one in analyses) else 0


def repeat(
    output: Output,
    request: Request,
    records: Sequence[SavedBaseline],
    *,
    files: GateFiles,
    alone: bool,
    save_as: str | None,
    overwrite: bool,
) -> int:
    """Measure what is saved again, judge it, and keep it under another name if there is one."""
    from perflab.components import find_component, select_scenario
    from perflab.runner import check_free, measure_again

    component = find_component(request.topic)
    if save_as is not None:
        description = _described(component, output)
        for record in records:
            scenario = select_scenario(description, record.scenario)
            check_free(save_as, component, scenario, record.settings, overwrite=overwrite)

    def measured() -> Iterator[Again]:
        for record in records:
            yield (again := measure_again(request, record, output, alone=alone))
            if save_as is not None:
                _keep(output, save_as, again.run, overwrite=overwrite)

    return judge(output, measured(), component.manifest, files, {"baseline": records[0].name})


def scenarios(component: Component, request: Request) -> list[str | None]:
    """The one asked for, else those that the manifest has thresholds for, else the topic's first, which is `None`."""
    named = [name for one in component.manifest.threshold for name in one.scenarios]
    return [request.scenario] if request.scenario is not None or not named else list(dict.fromkeys(named))


def _keep(output: Output, name: str, run: Run, *, overwrite: bool) -> None:
    from perflab.runner import save_baseline

    record = save_baseline(name, run, overwrite=overwrite)
    build = "with its build, which runs beside later ones" if record.kept else "its build could not be kept"
    output.say(f"saved as {name}: {run.header.component} {record.scenario}, {build}")


def _described(component: Component, output: Output) -> Description:
    """What the bench program says of itself, built first if need be."""
    from perflab.components import describe
    from perflab.runner import measurement_lock, prepare

    with measurement_lock():
        prepare(component.name, output)
        return describe(component)
