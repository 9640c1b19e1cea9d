"""The runs, profiles and tests that a ledger's claims need."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from perflab.claims.ledger import Fidelity, Measured, Mechanism, Share
from perflab.measure.grid import label_at
from perflab.model.format import typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from perflab.claims.ledger import Claim, Ledger
    from perflab.model.protocol import Description, ParameterValue, Scenario
    from perflab.topics.manifest import ScoreTable


class WantedRun(NamedTuple):
    """A run to be measured. With `ends`, each variant takes part at both of these points.

    If it is not `claimed`, it is for the topic's table alone; if it is `counted`, for claims about counts alone.
    """

    scenario: str
    params: dict[str, ParameterValue]
    variants: list[str]
    ends: tuple[dict[str, ParameterValue], ...] = ()
    claimed: bool = True
    counted: bool = False

    def join(self, variants: Iterable[str]) -> None:
        """Add variants."""
        self.variants[:] = dict.fromkeys([*self.variants, *variants])

    @property
    def labels(self) -> list[str]:
        """The labels of its arms."""
        return [label_at(name, end) for name in self.variants for end in self.ends or [{}]]

    @property
    def over(self) -> list[str]:
        """The values at both ends, as in `./lab measure --over`."""
        names = self.ends[0] if self.ends else ()
        return [f"{name}={','.join(typed(end[name]) for end in self.ends)}" for name in names]


class WantedProfile(NamedTuple):
    """A profile to be taken."""

    scenario: str
    params: dict[str, ParameterValue]
    variant: str
    mode: str


@dataclass
class Requirements:
    """The runs, profiles and tests that a ledger needs, each once and in order; `needs` has those of each claim."""

    measurements: list[WantedRun] = field(default_factory=list)
    profiles: list[WantedProfile] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    needs: dict[str, list[WantedRun | WantedProfile | str]] = field(default_factory=dict)

    def run(
        self,
        name: str,
        variants: Iterable[str],
        scenarios: Mapping[str, Scenario],
        params: dict[str, ParameterValue] | None = None,
        ends: tuple[dict[str, ParameterValue], ...] = (),
        *,
        counted: bool = False,
    ) -> WantedRun:
        """Add variants to the run of a scenario at these parameters."""

        def settings(given: dict[str, ParameterValue]) -> dict[str, ParameterValue]:
            # A parameter at its default is the same as one that is not named.
            return scenarios[name].settings(given) if name in scenarios else given

        here = settings(params or {})
        alike = (one for one in self.measurements if (one.scenario, one.ends, one.counted) == (name, ends, counted))
        run = next((one for one in alike if settings(one.params) == here), None)
        if run is None:
            run = WantedRun(name, params or {}, [], ends, counted=counted)
            self.measurements.append(run)
        run.join(variants)
        return run


def required_by(
    ledger: Ledger,
    description: Description | None,
    table: ScoreTable | None = None,
    *,
    headlines: bool = False,
    cores: float = math.inf,
) -> Requirements:
    """Collect what a ledger's claims need; claims over the same scenario and parameters share a run.

    Args:
        ledger: The claims.
        description: The topic's; before it is built the result is an estimate, without the variants `beside`.
        table: The topic's table, over whose scenarios scores are made.
        headlines: Only headline claims count, and the fidelity of the rebuilds that these name. Otherwise they come
            first, and every variant takes part in a run of each of the table's scenarios.
        cores: The cores of a process on this machine; a claim that needs more needs nothing.
    """
    wanted = Requirements()
    scenarios = {one.name: one for one in description.scenarios} if description else {}
    able = {one.name: one.scenarios for one in description.variants} if description else {}
    tabled = table.scenarios if table else []
    for claim in _in_order(ledger, headlines=headlines):
        if not (claim.missing or claim.needs.beyond(cores) or (isinstance(claim, Measured) and claim.evidence)):
            wanted.needs[claim.id] = _needs(wanted, claim, scenarios, tabled)
    for run in wanted.measurements:
        if not (run.ends or run.counted):
            run.join(name for name in ledger.beside if run.scenario in able.get(name, []))
    scored = any(claim.score and claim.id in wanted.needs for claim in ledger.claims)
    apart: list[WantedRun] = []
    for name in [] if headlines else tabled:
        everyone = [one for one, known in able.items() if name in known]
        if scored:
            wanted.run(name, everyone, scenarios)
        elif everyone:
            apart.append(WantedRun(name, {}, everyone, claimed=False))
    # Apart, since with fewer variants a claim's run has more rounds; first, since a claim rests on the newest run.
    wanted.measurements[:0] = apart
    return wanted


def _needs(
    wanted: Requirements, claim: Claim, scenarios: Mapping[str, Scenario], tabled: Sequence[str]
) -> list[WantedRun | WantedProfile | str]:
    """Return what a claim needs, added to `wanted`."""
    match claim:
        case Mechanism():
            wanted.tests += [claim.test] if claim.test not in wanted.tests else []
            return [claim.test]
        case Share():
            profile = WantedProfile(claim.scenario, claim.params, claim.candidate, claim.mode)
            wanted.profiles += [profile] if profile not in wanted.profiles else []
            return [profile]
        case Measured() if not claim.score:
            return [
                wanted.run(claim.scenario, claim.variants, scenarios, claim.params, claim.ends, counted=claim.counted)
            ]
    return [wanted.run(name, claim.variants, scenarios) for name in tabled]


def _in_order(ledger: Ledger, *, headlines: bool) -> list[Claim]:
    """Return the claims in the order of judging: headlines first, in both parts fidelity first."""
    lead = ledger.lead
    vouching = {one.id for one in ledger.claims if isinstance(one, Fidelity) and any(map(one.vouches_for, lead))}
    first = [one for one in ledger.claims if one in lead or one.id in vouching]
    later = [] if headlines else [one for one in ledger.claims if one not in first]
    return [claim for lot in (first, later) for claim in sorted(lot, key=lambda one: not isinstance(one, Fidelity))]
