"""What must be measured, profiled and tested so that a ledger's claims can be judged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perflab.claims.ledger import Claim, Ledger
    from perflab.components import Table
    from perflab.protocol import Description, ParameterValue, Scenario


class Measurement(NamedTuple):
    """One run: a scenario with parameters, and the variants that claims speak of."""

    scenario: str
    params: dict[str, ParameterValue]
    variants: list[str]


class Profiling(NamedTuple):
    """One profile."""

    scenario: str
    params: dict[str, ParameterValue]
    variant: str
    mode: str


@dataclass
class Plan:
    """The runs, profiles and tests that a ledger asks for, each once."""

    measurements: list[Measurement] = field(default_factory=list)
    profiles: list[Profiling] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)


def plan(ledger: Ledger, description: Description, table: Table | None = None) -> Plan:
    """Gather what a ledger's claims need; claims over the same scenario and parameters share a run.

    Args:
        ledger: The claims.
        description: Says which of the variants `beside` the claims' support a scenario, and what parameters default to.
        table: The topic's table, which takes every variant in each of its scenarios.
    """
    wanted = Plan()
    scenarios = {scenario.name: scenario for scenario in description.scenarios}
    for claim in ledger.claims:
        if claim.missing or claim.score:
            # A score rests on the table's own runs.
            continue
        if claim.kind == "mechanism":
            if claim.test not in wanted.tests:
                wanted.tests.append(claim.test)
        elif claim.kind == "share":
            assert claim.mode is not None  # noqa: S101 - the ledger was checked
            profile = Profiling(claim.scenario, claim.params, claim.candidate, claim.mode)
            if profile not in wanted.profiles:
                wanted.profiles.append(profile)
        else:
            for params in _points(claim):
                _add(wanted, claim, params, scenarios)
    able = {variant.name: variant.scenarios for variant in description.variants}
    for measurement in wanted.measurements:
        beside = [name for name in ledger.beside if measurement.scenario in able.get(name, [])]
        measurement.variants.extend(name for name in beside if name not in measurement.variants)
    for name in table.scenarios if table else []:
        everyone = [variant for variant, scenarios in able.items() if name in scenarios]
        measurement = _measurement(wanted, scenarios[name], {})
        measurement.variants.extend(variant for variant in everyone if variant not in measurement.variants)
    return wanted


def _points(claim: Claim) -> list[dict[str, ParameterValue]]:
    if claim.kind != "scaling":
        return [claim.params]
    assert claim.start is not None  # noqa: S101 - the ledger was checked
    assert claim.stop is not None  # noqa: S101
    return [claim.params | {claim.parameter: value} for value in (claim.start, claim.stop)]


def _add(wanted: Plan, claim: Claim, params: dict[str, ParameterValue], scenarios: Mapping[str, Scenario]) -> None:
    measurement = _measurement(wanted, scenarios[claim.scenario], params)
    for name in (claim.baseline, claim.candidate, *claim.over):
        if name and name not in measurement.variants:
            measurement.variants.append(name)


def _measurement(wanted: Plan, scenario: Scenario, params: dict[str, ParameterValue]) -> Measurement:
    """The run of this scenario with these parameters, planned now if nothing has asked for it before."""
    for measurement in wanted.measurements:
        # By what they come to: a parameter at its default is the same as one that is not named.
        if measurement.scenario == scenario.name and scenario.settings(measurement.params) == scenario.settings(params):
            return measurement
    wanted.measurements.append(Measurement(scenario.name, params, []))
    return wanted.measurements[-1]
