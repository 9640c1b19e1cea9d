"""A profile's charts, and those of two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab import charts
from perflab.components import find_component
from perflab.errors import UsageError
from perflab.profiles import Cause, difference, root_causes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.charts import Chart
    from perflab.profiles import Profile
    from perflab.store import ProfileRecord


def profile_charts(profiles: Sequence[tuple[ProfileRecord, Profile]]) -> dict[str, Chart]:
    """The flame view of each profile, the root causes, and of two profiles the difference view."""
    found: dict[str, Chart] = {}
    for record, profile in profiles:
        found[f"flame-{record.variant}"] = charts.flame(
            profile, title=f"{record.variant}: {record.mode}, {record.scenario}"
        )
    record, _ = profiles[0]
    manifest = find_component(record.component).manifest
    causes = [Cause(cause.name, cause.mode, cause.frames) for cause in manifest.cause if cause.mode == record.mode]
    if causes:
        tables = {one.variant: root_causes(profile, causes) for one, profile in profiles}
        found["causes"] = charts.shares(
            tables, title=f"{record.component} {record.scenario}: root causes ({record.mode})"
        )
    if len(profiles) > 1:
        (first, before), (second, after) = profiles[:2]
        try:
            changed = difference(before, after)
        except UsageError:
            # One of them has no stacks in this mode, as a lock-free queue in lock mode: there is nothing to subtract.
            return found
        found["difference"] = charts.flame_difference(
            changed, title=f"From {first.variant} to {second.variant}: {record.mode}, {record.scenario}"
        )
    return found
