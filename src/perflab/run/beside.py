"""A revision's build beside another: the same variants in the same rounds, so that the machine's drift hits both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflab.components.catalogue import check_parameters, find_component, select_scenario, select_variants
from perflab.components.program import describe
from perflab.components.revisions import component_at, present_commit, prune_trees
from perflab.model.errors import MissingError, UsageError, unknown
from perflab.run.again import Again, fit_to_judge
from perflab.run.analysis import check_comparable, failures_in
from perflab.run.experiment import Experiment
from perflab.run.fork import provide_runtimes
from perflab.run.lock import measurement_lock
from perflab.run.measure import chosen_preset, execute, prepare
from perflab.store.records import Arm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.components.catalogue import Component
    from perflab.components.revisions import Commit
    from perflab.model.protocol import Description, ParameterValue, Scenario, Variant
    from perflab.run.lock import Progress
    from perflab.run.measure import Request
    from perflab.store.reading import Run


def pair_runs(
    then: str, earlier: Sequence[Run], now: str, later: Sequence[Run], variants: Sequence[str] = ()
) -> list[Again]:
    """Pair runs of the same component, scenario and parameters: at least one pair, in the order of `later`.

    `then` and `now` name the two states in messages; without `variants`, all that both runs have take part.

    Raises:
        UsageError: If no two runs can be compared.
    """
    pairs = [(one, other) for other in later for one in earlier if _what(one) == _what(other)]
    if not pairs:
        held = "; ".join(f"{name}: {', '.join(map(_said, runs))}" for name, runs in ((then, earlier), (now, later)))
        raise UsageError(f"{then} and {now} have no scenario with the same parameters in common", held)
    return [_pair(then, one, now, other, variants) for one, other in pairs]


def _pair(then: str, one: Run, now: str, other: Run, variants: Sequence[str]) -> Again:
    check_comparable(one, other)
    first, second = _variants(one), _variants(other)
    for name in variants:
        if name not in first or name not in second:
            raise unknown("variant in both runs", name, set(first) & set(second))
    both = [name for name in variants or second if name in first and name in second]
    if not both:
        raise UsageError(
            f"{one.id} and {other.id} have no variant in common", f"{', '.join(first)}; {', '.join(second)}"
        )
    gone = {} if variants else {name: f"is in {now} only" for name in second if name not in first}
    gone |= {} if variants else {name: f"is in {then} only" for name in first if name not in second}
    return Again(name=then, run=other, earlier=one.header.scenario, variants=both, saved=one, gone=gone, now=now)


def _variants(run: Run) -> list[str]:
    """Those of the run's own build that did not drop out."""
    failures = failures_in(run)
    return [arm.label for arm in run.header.arms if arm.label == arm.variant and arm.label not in failures]


def _what(run: Run) -> tuple[object, ...]:
    header = run.header
    return header.component, header.scenario.name, sorted(header.settings.items())


def _said(run: Run) -> str:
    settings = ", ".join(f"{name}={value}" for name, value in run.header.settings.items())
    return f"{run.header.component} {run.header.scenario.name}" + (f" ({settings})" if settings else "")


@dataclass(frozen=True)
class Side:
    """One of two states of a topic.

    Attributes:
        name: The commit's short id; with `+changes` for a tree that differs from it.
        commit: Of a work tree of its own; `None` for the present tree.
        component: The topic in it, built.
        description: What its bench program says of itself.
    """

    name: str
    commit: Commit | None
    component: Component
    description: Description

    def label(self, variant: str) -> str:
        """A variant's label in a run."""
        return variant if self.commit is None else f"{variant} @ {self.name}"

    def arms(self, variants: Sequence[Variant]) -> list[Arm]:
        """Arms of these variants."""
        commit = self.commit.id if self.commit else ""
        return [Arm(self.label(one.name), one.name, one.role, one.findings, commit) for one in variants]


@dataclass(frozen=True)
class Sides:
    """A topic as it was, and as it is or became."""

    then: Side
    now: Side

    @property
    def scenarios(self) -> list[str]:
        """Those that both have."""
        earlier = {one.name for one in self.then.description.scenarios}
        return [one.name for one in self.now.description.scenarios if one.name in earlier]


def prepare_sides(topic: str, then: Commit, progress: Progress, *, now: Commit | None = None) -> Sides:
    """Build a topic at a commit, and in the present tree with its uncommitted changes or at the commit `now`.

    Raises:
        UsageError: If a commit lacks the topic, or both commits are the same.
    """
    if now is not None and now.id == then.id:
        raise UsageError(f"both revisions are {then.short}", "name two that differ; ./lab noise measures no difference")
    with measurement_lock():
        earlier = _at(topic, then, progress)
        later = _present(topic, progress) if now is None else _at(topic, now, progress)
        prune_trees(keep=[one for one in (then, now) if one])
    return Sides(earlier, later)


def _at(topic: str, commit: Commit, progress: Progress) -> Side:
    progress.update(0.0, f"building {topic} at {commit.short}")
    component = component_at(topic, commit)
    return Side(commit.short, commit, component, describe(component))


def _present(topic: str, progress: Progress) -> Side:
    component = find_component(topic)
    prepare(topic, progress)
    commit, changed = present_commit()
    return Side(commit.short + ("+changes" if changed else ""), None, component, describe(component))


def measure_sides(sides: Sides, request: Request, progress: Progress) -> Again:
    """Measure the variants that both sides have, in a scenario and with parameters that both have.

    Raises:
        UsageError: If the sides have nothing in common, or one of them lacks what the request names.
    """
    then, now, notes = sides.then, sides.now, list[str]()
    scenario = select_scenario(now.description, request.scenario)
    earlier = next((one for one in then.description.scenarios if one.name == scenario.name), None)
    if earlier is None:
        both = ", ".join(sides.scenarios) or "none"
        raise UsageError(f"there is no scenario {scenario.name!r} at {then.name}", f"in both: {both}")
    if earlier.operation != scenario.operation:
        notes.append(f"an operation was {earlier.operation!r} at {then.name}, and is {scenario.operation!r}")
    params = _params(then.name, scenario, earlier, request, notes)
    if then.name == now.name:
        notes.append(f"both are {then.name}: whatever differs is the machine")
    elif now.name.endswith("+changes"):
        notes.append(f"{now.name} is the present tree with what is not committed in it")
    with measurement_lock():
        variants, gone = _variants_of_both(sides, scenario, request, progress)
        preset_name, preset = chosen_preset(request)
        arms_then, arms_now = then.arms(variants), now.arms(variants)
        experiment = Experiment(
            component=now.component,
            description=now.description,
            scenario=scenario,
            arms=[*arms_then, *arms_now],
            baseline=arms_then[0].label,
            preset=fit_to_judge(preset, now.component, scenario),
            preset_name=preset_name,
            params=params,
            seed=request.seed,
            kind="regression",
            builds={arm.label: side.component for side, arms in ((then, arms_then), (now, arms_now)) for arm in arms},
            pairs={after.label: before.label for before, after in zip(arms_then, arms_now, strict=True)},
        )
        return Again(
            name=then.name,
            run=execute(experiment, progress),
            earlier=earlier,
            variants=[one.name for one in variants],
            kept={one.variant: one.label for one in arms_then},
            present={one.variant: one.label for one in arms_now},
            gone=gone,
            notes=notes,
            now=now.name,
        )


def _params(
    then: str, scenario: Scenario, earlier: Scenario, request: Request, notes: list[str]
) -> dict[str, ParameterValue]:
    """The request's parameters, and today's defaults where they have changed; adds to `notes` what is new or gone."""
    known = {one.name: one for one in earlier.parameters}
    params = check_parameters(scenario, request.params)
    for name in params:
        if name not in known:
            raise UsageError(f"{scenario.name!r} has no parameter {name!r} at {then}", "leave it at its default")
    for one in scenario.parameters:
        if one.name not in known:
            notes.append(f"the parameter {one.name} is new: it is at its default, {one.default}")
        elif known[one.name].default != one.default:
            params.setdefault(one.name, one.default)
    current = {one.name for one in scenario.parameters}
    notes += [
        f"the parameter {name} is gone: at {then} it is at its default, {one.default}"
        for name, one in known.items()
        if name not in current
    ]
    return params


def _variants_of_both(
    sides: Sides, scenario: Scenario, request: Request, progress: Progress
) -> tuple[list[Variant], dict[str, str]]:
    """The variants that both sides can run, and why the others are left out."""
    then, now = sides.then, sides.now
    earlier = {one.name for one in then.description.variants if scenario.name in one.scenarios}
    wanted = select_variants(now.description, scenario, request.variants)
    both = [one for one in wanted if one.name in earlier]
    gone = {one.name: f"is not there at {then.name}" for one in wanted if one.name not in earlier}
    if not request.variants:
        current = {one.name for one in wanted}
        gone |= dict.fromkeys(sorted(earlier - current), f"is there at {then.name} only")
    for side in (then, now):
        able = provide_runtimes(side.component, both, request.variants, progress)
        gone |= {one.name: "cannot run here" for one in both if one not in able}
        both = able
    if both:
        return both, gone
    if any(one.name in earlier for one in wanted):
        raise MissingError("no variant can run here", "./lab doctor")
    raise UsageError(
        f"no variant is in both: {', '.join(one.name for one in wanted)} came after {then.name}",
        f"there, {scenario.name!r} has: {', '.join(sorted(earlier)) or 'none'}",
    )
