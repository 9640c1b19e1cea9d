"""The root-cause table: a report's question, answered in its own words by what share of a profile each cause has."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from perflab.errors import UsageError
from perflab.profiles.waiting import off_cpu

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.profiles.profile import Mode, Profile

EVERYTHING_ELSE = "everything else"


@dataclass(frozen=True)
class Cause:
    """A cause and how to recognise it.

    Args:
        name: In the report's words, as in "waiting for the lock".
        mode: The mode of the profiles in which it shows.
        frames: A regular expression, searched in the cleaned stack joined with `;`, outermost frame first.
    """

    name: str
    mode: Mode
    frames: str


@dataclass(frozen=True)
class Row:
    """A cause's part of a profile.

    Args:
        name: The cause.
        weight: In the profile's unit.
        share: Of the whole profile, from 0 to 1.
        per_operation: Weight per operation, where the profile knows how many there were.
        off_cpu_share: What part of `weight` was slept through, from 0 to 1; only in `wall` mode.
    """

    name: str
    weight: float
    share: float
    per_operation: float | None = None
    off_cpu_share: float | None = None


@dataclass(frozen=True)
class RootCauses:
    """Rows in the order of the causes, what no cause explains last; their shares add up to one."""

    mode: Mode
    unit: str
    total: float
    rows: tuple[Row, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def root_causes(profile: Profile, causes: Sequence[Cause]) -> RootCauses:
    """Attribute every stack to the first cause that matches it.

    Causes of other modes are passed over, so that one list serves all profiles of a scenario.

    Raises:
        UsageError: If a cause's expression is none, or if two causes share a name.
    """
    applicable = [cause for cause in causes if cause.mode == profile.mode]
    names = [cause.name for cause in applicable]
    if len(set(names)) < len(names) or EVERYTHING_ELSE in names:
        raise UsageError(f"root causes need names of their own, none of them {EVERYTHING_ELSE!r}: {', '.join(names)}")
    patterns = [(cause.name, _compiled(cause)) for cause in applicable]
    weights = dict.fromkeys([*names, EVERYTHING_ELSE], 0.0)
    slept = dict.fromkeys(weights, 0.0)
    for stack, weight in profile.stacks.items():
        joined = ";".join(stack)
        name = next((name for name, pattern in patterns if pattern.search(joined)), EVERYTHING_ELSE)
        weights[name] += weight
        if off_cpu(stack):
            slept[name] += weight
    total = profile.total
    rows = tuple(
        Row(
            name=name,
            weight=weight,
            share=weight / total if total else 0.0,
            per_operation=weight / profile.operations if profile.operations else None,
            off_cpu_share=(slept[name] / weight if weight else 0.0) if profile.mode == "wall" else None,
        )
        for name, weight in weights.items()
    )
    return RootCauses(profile.mode, profile.unit, total, rows)


def _compiled(cause: Cause) -> re.Pattern[str]:
    try:
        return re.compile(cause.frames)
    except re.error as error:
        raise UsageError(f"the frames of the root cause {cause.name!r} are no regular expression: {error}") from error
