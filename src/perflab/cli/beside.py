"""Revisions on the command line: measuring one beside the present tree, or two beside each other."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from perflab.cli.gating import GateFiles, judge
from perflab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perflab.cli.output import Output
    from perflab.components import Component
    from perflab.revisions import Commit
    from perflab.runner import Again, Request, Sides


def beside(output: Output, request: Request, then: Commit, files: GateFiles, *, now: Commit | None = None) -> int:
    """Measure what a topic was at a commit beside what it is now, or was at another commit, and judge it.

    Without a scenario, those that the manifest has thresholds for, as far as both have them.
    """
    from perflab.components import find_component
    from perflab.runner import measure_sides, prepare_sides

    component = find_component(request.topic)
    sides = prepare_sides(request.topic, then, output, now=now)
    chosen = _scenarios(output, component, request, sides)

    def measured() -> Iterator[Again]:
        for scenario in chosen:
            yield measure_sides(sides, dataclasses.replace(request, scenario=scenario), output)

    facts = {"baseline": sides.then.name, "now": sides.now.name}
    return judge(output, measured(), component.manifest, files, facts)


def _scenarios(output: Output, component: Component, request: Request, sides: Sides) -> list[str | None]:
    from perflab.cli.baselines import scenarios

    wanted = scenarios(component, request)
    if request.scenario is not None or wanted == [None]:
        return wanted
    both: list[str | None] = [name for name in wanted if name in sides.scenarios]
    for name in wanted:
        if name not in both:
            output.note(f"the scenario {name} is left out: it is not in both {sides.then.name} and {sides.now.name}")
    if not both:
        raise UsageError(
            f"none of the scenarios with thresholds is in both {sides.then.name} and {sides.now.name}",
            f"--scenario with one of: {', '.join(sides.scenarios) or 'none'}",
        )
    return both
