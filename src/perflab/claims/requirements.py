"""What must be measured, profiled and tested so that a ledger's claims can be judged."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from perflab.measure.plan import label_at
from perflab.model.commandline import typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from perflab.claims.ledger import Claim, Ledger
    from perflab.model.protocol import Description, ParameterValue, Scenario
    from perflab.topics.manifest import ScoreTable


class WantedRun(NamedTuple):
    """One run: a scenario with parameters, and the variants that claims speak of.

    With `ends`, each variant takes turns with itself at these two points, whose values are in place of `params`.
    Without `claimed`, no claim rests on it: it is for the topic's table alone.
    """

    scenario: str
    params: dict[str, ParameterValue]
    variants: list[str]
    ends: tuple[dict[str, ParameterValue], ...] = ()
    claimed: bool = True

    @property
    def labels(self) -> list[str]:
        """What its arms are called."""
        return [label_at(name, end) for name in self.variants for end in self.ends or [{}]]

    @property
    def over(self) -> list[str]:
        """The values at both ends, as `./lab measure --over` takes them."""
        names = self.ends[0] if self.ends else ()
        return [f"{name}={','.join(typed(end[name]) for end in self.ends)}" for name in names]


class WantedProfile(NamedTuple):
    """One profile."""

    scenario: str
    params: dict[str, ParameterValue]
    variant: str
    mode: str


@dataclass
class Requirements:
    """The runs, profiles and tests that a ledger asks for, each once, in the order in which to make them.

    Attributes:
        needs: For each claim that can be tested, by its id, the members of `measurements`, `profiles` and `tests` that
            its verdict rests on: it can be judged as soon as they are there.
    """

    measurements: list[WantedRun] = field(default_factory=list)
    profiles: list[WantedProfile] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    needs: dict[str, list[WantedRun | WantedProfile | str]] = field(default_factory=dict)


def required_by(
    ledger: Ledger,
    description: Description | None,
    table: ScoreTable | None = None,
    *,
    headlines: bool = False,
    cores: float = math.inf,
) -> Requirements:
    """Work out what a ledger's claims need; claims over the same scenario and parameters share a run.

    Args:
        ledger: The claims.
        description: Says which of the variants `beside` the claims' support a scenario, and what parameters default to.
            Without one, as before a topic is built, they are an estimate: without those variants, and with a run of
            its own for parameters that are named at their defaults.
        table: The topic's table, over whose scenarios scores are made.
        headlines: Whether only headline claims count, and the fidelity of the rebuilds that these name. Otherwise they
            come first, and every variant takes part in a run of each of the table's scenarios.
        cores: How many the machine has for a process; a claim that it cannot test asks for nothing.
    """
    wanted = Requirements()
    scenarios = {scenario.name: scenario for scenario in description.scenarios} if description else {}
    able = {variant.name: variant.scenarios for variant in description.variants} if description else {}
    for claim in _in_order(ledger, headlines=headlines):
        if not (claim.missing or claim.evidence or claim.needs.beyond(cores)):
            wanted.needs[claim.id] = list(_needs(wanted, claim, scenarios, table))
    for measurement in wanted.measurements:
        if not measurement.ends:
            _join(measurement, [name for name in ledger.beside if measurement.scenario in able.get(name, [])])
    if table and not headlines:
        scored = any(claim.score for claim in ledger.claims if claim.id in wanted.needs)
        everyone = {name: [one for one, supported in able.items() if name in supported] for name in table.scenarios}
        for name, variants in everyone.items():
            if scored:
                _join(_measurement(wanted, name, {}, scenarios), variants)
        if not scored:
            # Apart, for the fewer variants take part, the more rounds has a claim; first, for it takes the newest run.
            wanted.measurements[:0] = [
                WantedRun(name, {}, some, claimed=False) for name, some in everyone.items() if some
            ]
    return wanted


def _in_order(ledger: Ledger, *, headlines: bool) -> list[Claim]:
    """The claims as they are judged: headlines first, and before each lot what vouches for the rebuilds in it."""
    lead = ledger.lead
    first = [one for one in ledger.claims if one in lead or (one.vouched and any(map(one.vouches_for, lead)))]
    taken = {one.id for one in first}
    later = [] if headlines else [claim for claim in ledger.claims if claim.id not in taken]
    return [claim for lot in (first, later) for claim in sorted(lot, key=lambda one: not one.vouched)]


def _needs(
    wanted: Requirements, claim: Claim, scenarios: Mapping[str, Scenario], table: ScoreTable | None
) -> Iterator[WantedRun | WantedProfile | str]:
    """What a claim rests on, added to the plan where it is not there yet."""
    if claim.kind == "mechanism":
        if claim.test not in wanted.tests:
            wanted.tests.append(claim.test)
        yield claim.test
    elif claim.kind == "share":
        assert claim.mode is not None  # noqa: S101 - the ledger was checked
        profile = WantedProfile(claim.scenario, claim.params, claim.candidate, claim.mode)
        if profile not in wanted.profiles:
            wanted.profiles.append(profile)
        yield profile
    elif claim.score:
        for name in table.scenarios if table else []:
            yield _join(_measurement(wanted, name, {}, scenarios), claim.variants)
    else:
        yield _join(_measurement(wanted, claim.scenario, claim.params, scenarios, claim.ends), claim.variants)


def _join(measurement: WantedRun, variants: Iterable[str]) -> WantedRun:
    """Let these variants take part, too."""
    measurement.variants[:] = dict.fromkeys([*measurement.variants, *variants])
    return measurement


def _measurement(
    wanted: Requirements,
    name: str,
    params: dict[str, ParameterValue],
    scenarios: Mapping[str, Scenario],
    ends: tuple[dict[str, ParameterValue], ...] = (),
) -> WantedRun:
    """The run of this scenario with these parameters, planned now if nothing has asked for it before."""

    def settings(given: dict[str, ParameterValue]) -> dict[str, ParameterValue]:
        # A parameter at its default is the same as one that is not named.
        return scenarios[name].settings(given) if name in scenarios else given

    for measurement in wanted.measurements:
        if (measurement.scenario, measurement.ends) == (name, ends) and settings(measurement.params) == settings(
            params
        ):
            return measurement
    wanted.measurements.append(WantedRun(name, params, [], ends))
    return wanted.measurements[-1]
