"""Tables of counts: what programs execute, beside the time that they take."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from perflab.cli.output import show_table
from perflab.model.format import factor, percent, quantity, signed_percent
from perflab.model.units import is_count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perflab.cli.output import Output
    from perflab.measure.analysis import Analysis
    from perflab.profile.profile import Profile
    from perflab.store.records import ProfileRecord
    from perflab.store.runs import Run

    Counts = Mapping[str, Mapping[str, Sequence[float]]]
    """Of an operation in each round, by metric and label."""

_MOST_FUNCTIONS = 5


def counts_of(run: Run) -> Counts:
    """Return a run's counts, instructions first."""
    from perflab.measure.analysis import fork_tables

    metrics = {one.of: name for name, one in run.header.scenario.all_metrics.items()}  # the headline has two names
    labels = sorted((arm.label for arm in run.header.arms), key=lambda label: label != run.header.baseline)
    tables = fork_tables(run, list(metrics))
    return {
        name: {label: found for label in labels if (found := [one for one in table.get(label, []) if isfinite(one)])}
        for of, name in metrics.items()
        if not isinstance(table := tables[of], ValueError)
    }


def show_counts(output: Output, counts: Counts, profiles: Sequence[tuple[ProfileRecord, Profile]]) -> None:
    """Show each metric's counts, their change, and whether they repeat; and the functions that changed most."""
    from perflab.profile.frames import short
    from perflab.profile.tree import difference

    base, *others = next(iter(counts.values()))
    rows = []
    for name, by_label in counts.items():
        means = {label: sum(values) / len(values) for label, values in by_label.items()}
        changes = [signed_percent(means[one] / means[base] - 1) if means[base] else "n/a" for one in others]
        rows.append([name, *(quantity(mean, "") for mean in means.values()), *changes, _repeats([*by_label.values()])])
    columns = ["per operation", base, *others, *(f"{one} against {base}" for one in others), "repeats"]
    show_table(output, columns, rows, title="Counts, simulated by valgrind")
    for record, profile in profiles[1:]:
        first, before = profiles[0]
        changed = difference(before, profile)
        rows = [
            [short(one.frame), *(quantity(value, "") for value in (one.before, one.after, one.delta))]
            for one in changed.changes[:_MOST_FUNCTIONS]
            if one.delta
        ]
        columns = ["function", first.variant, record.variant, "change"]
        show_table(output, columns, rows, title=f"Where instructions changed most ({changed.unit})")


def _repeats(rounds: Sequence[Sequence[float]]) -> str:
    """Say whether the counts of each label are the same in all rounds, or how far they are apart."""
    if min(map(len, rounds)) == 1:
        return "not tried"
    apart = [(max(values) - min(values)) / 2 / (abs(sum(values)) / len(values) or 1) for values in rounds]
    return f"±{percent(max(apart))}" if max(apart) else "exact"


def compare_with_time(output: Output, counts: Counts, timed: Analysis) -> None:
    """Say where the interval of the time does not contain the ratio of the instructions."""
    instructions = next(iter(counts.values()))
    for one in timed.comparisons:
        if is_count(one.unit) or one.scale != "ratio" or one.estimate is None or one.estimate.interval is None:
            continue
        base, other = (sum(instructions.get(label, ())) for label in (one.baseline, one.candidate))
        low, high = one.estimate.interval
        if base and other and not low <= base / other <= high:
            output.say(
                f"{one.candidate}: {factor(base / other)} by instructions, and {one.figures} by time. An instruction"
                " costs more in one of them (caches, branches, dependencies), or one waits: a count is no time."
            )
