"""Two sets of runs that were made earlier, put side by side without measuring anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.errors import UsageError, unknown
from perflab.runner.again import Again

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.store import Run


def pair_runs(
    then: str, earlier: Sequence[Run], now: str, later: Sequence[Run], variants: Sequence[str] = ()
) -> list[Again]:
    """Pair runs of the same component, scenario and parameters.

    Args:
        then: What the earlier ones are called.
        earlier: They.
        now: What the later ones are called.
        later: They.
        variants: Only these; all that both have without any.

    Returns:
        At least one pair, in the order of `later`.

    Raises:
        UsageError: If nothing can be compared, or machines differ.
    """
    pairs = [(one, other) for other in later for one in earlier if _what(one) == _what(other)]
    if not pairs:
        held = "; ".join(f"{name}: {', '.join(map(_said, runs))}" for name, runs in ((then, earlier), (now, later)))
        raise UsageError(f"{then} and {now} have no scenario with the same parameters in common", held)
    return [_pair(then, one, now, other, variants) for one, other in pairs]


def _pair(then: str, one: Run, now: str, other: Run, variants: Sequence[str]) -> Again:
    if one.id == other.id:
        raise UsageError("a run is not compared with itself", "name another")
    if one.header.machine.id != other.header.machine.id:
        raise UsageError("these runs come from different machines and are not compared", f"{one.id}, {other.id}")
    if one.header.shape != other.header.shape:
        raise UsageError(
            f"{one.id} and {other.id} were measured with forks of another length, and are not comparable",
            f"presets {one.header.preset} and {other.header.preset}",
        )
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
    failures = run.ending.failures if run.ending else {}
    return [arm.label for arm in run.header.arms if arm.label == arm.variant and arm.label not in failures]


def _what(run: Run) -> tuple[object, ...]:
    header = run.header
    return header.component, header.scenario.name, sorted(header.settings.items())


def _said(run: Run) -> str:
    settings = ", ".join(f"{name}={value}" for name, value in run.header.settings.items())
    return f"{run.header.component} {run.header.scenario.name}" + (f" ({settings})" if settings else "")
