"""Checking that what a ledger names exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.claims.ledger import find_ledgers, line_of
from perflab.components import check_parameters, select_scenario, select_variants
from perflab.errors import UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perflab.claims.ledger import Claim, Ledger
    from perflab.components import Component
    from perflab.protocol import Description, ParameterValue, Scenario


def check_ledger(ledger: Ledger, component: Component, description: Description) -> None:
    """Check every claim against what the component's bench program describes and its manifest says.

    Raises:
        UsageError: If a claim names what does not exist; names the file and the line.
    """
    path = find_ledgers()[ledger.report]
    names = {variant.name for variant in description.variants}
    for name in ledger.beside:
        if name not in names:
            raise UsageError(f"{path}: in 'beside': {unknown('variant', name, names)}")
    for claim in ledger.claims:
        if claim.missing or claim.kind == "mechanism":
            continue
        try:
            _check(claim, component, description)
        except UsageError as error:
            line = line_of(path.read_text(encoding="utf-8"), claim.id)
            raise UsageError(f"{path}:{line}: claim {claim.id!r}: {error.message}", error.hint) from None


def _check_values(scenario: Scenario, params: Mapping[str, ParameterValue]) -> None:
    """Also of the right type: no run has the text '1000' for the number 1000."""
    known = check_parameters(scenario, {name: str(value) for name, value in params.items()})
    for name, value in params.items():
        if known[name] != value:
            raise UsageError(f"{name} is {value!r}, and has to be {known[name]!r}", "mind the quotes")


def _check(claim: Claim, component: Component, description: Description) -> None:
    if claim.score:
        table = component.manifest.table
        if table is None:
            raise UsageError(f"{component.name} has no table to score", "see [table] in docs/adding-a-topic.md")
        for name in table.scenarios:
            select_variants(description, select_scenario(description, name), [claim.candidate, *claim.over])
        return
    scenario = select_scenario(description, claim.scenario)
    select_variants(description, scenario, [name for name in (claim.baseline, claim.candidate, *claim.over) if name])
    _check_values(scenario, claim.params)
    if claim.kind == "scaling":
        for value in (claim.start, claim.stop):
            assert value is not None  # noqa: S101 - the ledger was checked
            _check_values(scenario, {claim.parameter: value})
    metrics = [scenario.headline.name, *(metric.name for metric in scenario.metrics)]
    if claim.metric is not None and claim.metric not in metrics:
        raise unknown(f"metric of {scenario.name}", claim.metric, metrics)
    causes = [cause.name for cause in component.manifest.cause if cause.mode == claim.mode]
    if claim.kind == "share" and claim.cause not in causes:
        raise unknown(f"cause of mode {claim.mode} in the manifest of {component.name}", claim.cause, causes)
