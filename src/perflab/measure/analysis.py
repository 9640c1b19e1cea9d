"""The analysis of a run: one value per fork, then summaries and comparisons of forks."""

from __future__ import annotations

import math
import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perflab.measure.counted import EXACT
from perflab.model.errors import LabError, UsageError, one_line, unknown
from perflab.stats.arrays import np
from perflab.stats.comparison import compare
from perflab.stats.diagnostics import diagnose, summarise
from perflab.stats.interval import MINIMUM_ROUNDS
from perflab.stats.noise import noise_band
from perflab.stats.unpaired import compare_unpaired
from perflab.store.forks import columns_of, fork_figures, without_failed_forks
from perflab.store.runs import find_runs, select_runs
from perflab.topics.catalogue import find_metric

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from perflab.model.protocol import Metric
    from perflab.stats.columns import Columns
    from perflab.stats.comparison import Comparison
    from perflab.stats.diagnostics import Diagnostics, Summary
    from perflab.stats.noise import NoiseBand
    from perflab.store.records import RunHeader
    from perflab.store.runs import Run


Table = dict[str, list[float]]
"""A metric's values by label, one for each round; NaN where a fork is missing or failed."""


def noise_for(header: RunHeader, of: str, rounds: int, results: Path) -> NoiseBand | None:
    """Return the band of a metric's ratios in a run of so many rounds of equal variants.

    It is `None` without an A/A run of this scenario on this machine with forks of this length, or with too few rounds.
    """
    if rounds < MINIMUM_ROUNDS:
        return None
    runs = select_runs(
        (run for run in _noise_runs(results) if run.header.scenario.name == header.scenario.name),
        kinds=("noise",),
        component=header.component,
        machine=header.machine.id,
        settings=header.settings,
        shape=header.shape,
    )
    bands = (band_of(run, of, rounds) for run in reversed(runs) if not run.failures)
    return next((band for band in bands if band is not None), None)


# Cached until a run's file has come or gone.
_listed: dict[Path, tuple[dict[str, int], list[Run]]] = {}
_ratios: dict[tuple[Path, int, str], list[float]] = {}


def _noise_runs(results: Path) -> list[Run]:
    """Return the A/A runs in a results folder, oldest first."""
    state: dict[str, int] = {}
    with suppress(OSError), os.scandir(results / "runs") as entries:
        state = {one.name: one.stat().st_mtime_ns for one in entries}
    if results not in _listed or _listed[results][0] != state:
        _listed[results] = state, select_runs(find_runs(results), kinds=("noise",))
    return _listed[results][1]


def band_of(run: Run, of: str, rounds: int | None = None) -> NoiseBand | None:
    """Return an A/A run's noise band for a metric, if it gives one, for so many rounds, by default its own."""
    with suppress(LabError, OSError), figures("no noise band"):
        key = run.folder, run.folder.stat().st_mtime_ns, of
        if key not in _ratios:
            _ratios[key] = []  # if it cannot be read
            table = fork_tables(run, [of])[of]
            if not isinstance(table, ValueError):
                first, second = (np.array(table.get(arm.label, math.nan)) for arm in run.header.arms)
                with np.errstate(all="ignore"):
                    _ratios[key] = np.atleast_1d(first / second).tolist()
        return noise_band(_ratios[key], rounds=rounds)
    return None


@dataclass(frozen=True)
class Analysis:
    """A run's figures for one metric, by label.

    Attributes:
        values: One for each round; NaN where a fork is missing.
        comparisons: Each other label against the baseline.
        noise: The machine's noise band for this component and scenario, if it was measured.
        failures: The reason of each label that dropped out.
        notes: Problems of the run, and warnings.
        void: The labels that dropped out because they broke a rule of the scenario.
    """

    run: Run
    metric: Metric
    baseline: str
    values: Table
    comparisons: list[Comparison]
    summaries: dict[str, Summary]
    diagnostics: dict[str, Diagnostics]
    noise: NoiseBand | None
    failures: dict[str, str]
    notes: list[str] = field(default_factory=list)
    void: list[str] = field(default_factory=list)

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return len(next(iter(self.values.values()), ()))

    @property
    def broken(self) -> list[str]:
        """The labels that dropped out because of an error."""
        return [label for label in self.failures if label not in self.void]

    def comparison(self, candidate: str) -> Comparison | None:
        """Return this candidate's comparison, if it took part and was not the baseline."""
        return next((one for one in self.comparisons if one.candidate == candidate), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `--json`."""
        header = self.run.header
        return {
            "run": self.run.id,
            "component": header.component,
            "scenario": header.scenario.name,
            "operation": header.scenario.operation,
            "params": header.params,
            "preset": header.preset,
            "pairs": header.pairs or "apart",
            "metric": {
                "name": self.metric.name,
                "of": self.metric.of,
                "unit": self.metric.unit,
                "better": self.metric.better,
            },
            "baseline": self.baseline,
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
            "figures": {comparison.candidate: comparison.figures for comparison in self.comparisons},
            "variants": {
                label: {**summary.to_dict(), **self.diagnostics[label].to_dict()}
                for label, summary in self.summaries.items()
            },
            "noise": self.noise.to_dict() if self.noise else None,
            "failures": self.failures,
            "void": self.void,
            "notes": self.notes,
            "machine": {"id": header.machine.id, "title": header.machine.title},
        }


def analyse(run: Run, metric: str | None = None, baseline: str | None = None, among: Collection[str] = ()) -> Analysis:
    """Analyse a run, by default its headline and against its own baseline.

    With `among`, other labels count as if they had not taken part; without the baseline nothing is compared.
    """
    chosen = find_metric(run.header.scenario, metric)
    values = fork_table(run, chosen)
    base = baseline or run.header.baseline
    if among:
        values = {label: row for label, row in values.items() if label in among}
    with figures(f"{chosen.name} cannot be compared in run {run.id}"):
        return _analysis(run, chosen, base, values, [] if among and base not in among else None)


@contextmanager
def figures(what: str) -> Iterator[None]:
    """Turn a value that the statistics refuse or that overflows into a UsageError: `what` cannot be done."""
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            yield
    except (ValueError, ArithmeticError) as error:
        raise UsageError(f"{what}: {one_line(error)}", "measure again") from None


def compare_runs(before: Run, after: Run, label: str | None = None, metric: str | None = None) -> Analysis:
    """Compare one label across two runs, by default the baseline of `before`; drift is not cancelled."""
    check_comparable(before, after)
    if label is None:
        both = {arm.label for arm in before.header.arms} & {arm.label for arm in after.header.arms}
        label = before.header.baseline
        if both and label not in both:  # the label of another build
            label = next(arm.label for arm in after.header.arms if arm.label in both)
    for run in (before, after):
        if label in run.void:
            raise UsageError(f"{label} is void in {run.id}, and has no figure to compare", f"./lab compare {run.id}")
    chosen = find_metric(after.header.scenario, metric)
    values = {name: fork_table(run, chosen) for name, run in (("before", before), ("after", after))}
    for name, table in values.items():
        if label not in table:
            raise unknown(f"variant in the run {name}", label, table)
        if not measured(table[label]):
            raise UsageError(f"{label} has no fork that ended well in the run {name}", "measure it again")
    first, second = _names_of_both(before, after, label)
    rounds = values["before"][label], values["after"][label]
    most = max(map(len, rounds))
    merged = {name: row + [math.nan] * (most - len(row)) for name, row in zip((first, second), rounds, strict=True)}
    with figures(f"{chosen.name} cannot be compared in runs {before.id} and {after.id}"):
        unpaired = compare_unpaired(
            *rounds,
            chosen.name,
            chosen.unit,
            chosen.better,
            labels=(first, second),
            target_half_width=precision_target(before, chosen) or precision_target(after, chosen),
        )
        analysis = _analysis(after, chosen, first, merged, [unpaired])
    analysis.notes.insert(0, "the two runs were not interleaved: drift of the machine between them is in the ratio")
    if decided := [run.id for run in (before, after) if run.ending and run.ending.reason == "decided"]:
        why = "as soon as its claims were decided, which this interval does not allow for"
        analysis.notes.extend(f"{name} ended {why}" for name in decided)
    return analysis


def check_comparable(before: Run, after: Run) -> None:
    """Refuse two runs whose figures must not be compared."""
    one, two = before.header, after.header
    if one.id == two.id:
        raise UsageError("a run is not compared with itself", "name two runs, or one to compare its variants")
    if one.machine.id != two.machine.id:
        raise UsageError("these runs come from different machines and are not compared", f"{before.id}, {after.id}")
    if (one.component, one.scenario.name) != (two.component, two.scenario.name):
        raise UsageError(f"{before.id} and {after.id} measured different things", "compare runs of one scenario")
    if one.shape != two.shape:
        raise UsageError(
            f"{before.id} and {after.id} were measured with forks of another length, and are not comparable",
            f"presets {one.preset} and {two.preset}",
        )


def _names_of_both(before: Run, after: Run, label: str) -> tuple[str, str]:
    """Return a variant's name in each of two runs: by the parameters that differ, else the runs' names."""
    settings = before.header.settings, after.header.settings
    differing = [name for name in settings[1] if settings[0].get(name) != settings[1][name]]
    first, second = (", ".join(f"{name}={one[name]}" for name in differing if name in one) for one in settings)
    # A number and the text of it are written alike.
    return (f"{label} {first}", f"{label} {second}") if first != second else (before.id, after.id)


def measured(rounds: Sequence[float]) -> bool:
    """Say whether a fork of these ended well."""
    return not all(map(math.isnan, rounds))


def fork_table(run: Run, metric: Metric, tables: Mapping[str, Table | ValueError] | None = None) -> Table:
    """Return a metric's value of each fork by label and round, NaN where it is missing or failed; no void labels.

    `tables` are those of the run by metric, if they are made already.
    """
    found = (fork_tables(run, [metric.of]) if tables is None else tables)[metric.of]
    if isinstance(found, ValueError):
        raise UsageError(f"run {run.id} has no figures of {metric.name}: {found}", "leave --metric out") from None
    return found


def fork_tables(run: Run, metrics: Collection[str]) -> dict[str, Table | ValueError]:
    """Return the tables of several metrics, for which the run is read once; for a metric without one, the reason."""
    found = fork_figures(run, metrics)
    return {
        of: ValueError(found.lacking[of])
        if of in found.lacking
        else {
            label: [math.nan if value is None else value for value in found.figures[of][label]]
            for label in found.labels
        }
        for of in metrics
    }


def whole_samples(run: Run, metrics: Iterable[str] = (), more: Iterable[str] = ()) -> Columns:
    """Return the samples of forks that ended well, without void variants; with the columns of metrics, and `more`."""
    wanted = {"round", "variant", "ops", "ns"}.union(more, *map(columns_of, metrics))
    return without_failed_forks(run, run.samples(wanted))


def _runtimes(run: Run, metric: Metric) -> list[str]:
    """Note that variants ran on different runtimes: their ratio is that of the runtimes too."""
    groups: dict[str, list[str]] = {}
    for label, names in fork_figures(run, [metric.of]).runtimes.items():
        for name in names:
            groups.setdefault(name, []).append(label)
    if len(groups) <= 1:
        return []
    said = "; ".join(f"{', '.join(labels)} on {name}" for name, labels in groups.items())
    return [f"on different runtimes: {said}"]


def precision_target(run: Run, metric: Metric) -> float | None:
    """Return the half width at which the run stopped for its precision, if so: its intervals look too short."""
    stopped = run.ending is not None and run.ending.reason == "precision"
    width = run.header.options.get("half_width", 0.0) if stopped and metric == run.header.scenario.headline else 0.0
    return width if width > 0 else None


def compare_in(run: Run, metric: Metric, values: Mapping[str, Sequence[float]], baseline: str) -> list[Comparison]:
    """Compare labels of a run by their values per round, with intervals that allow for how the run ended."""
    return compare(
        values,
        baseline,
        metric.name,
        metric.unit,
        metric.better,
        target_half_width=precision_target(run, metric),
        sequential=run.header.sequential,
        robust=bool(run.header.pairs),
        exact=is_exact(run),
    )


def is_exact(run: Run) -> bool:
    """Return whether a run's counts repeat."""
    return run.ending is not None and run.ending.reason == EXACT


def warnings_of(run: Run) -> list[str]:
    """Return notes and warnings on how a run was measured."""
    small = run.header.machine.small
    said = [f"measured on {small}: where there is more, it may come out otherwise"] if small else []
    return [*said, *run.notes, *([*run.ending.notes, *run.ending.warnings] if run.ending else [])]


def unsettled(run: Run, metric: str | None, labels: Container[str]) -> list[str]:
    """Note labels whose metric, by default the headline, depends on how long their processes lasted."""
    metrics = run.header.scenario.all_metrics
    name = metric or run.header.scenario.headline.name
    hint = ", which --warmup and --sample set" if run.header.shape_text else ""
    changed = run.ending.unsettled if run.ending else []
    own = [one for one in changed if one.metric == name in metrics and one.label in labels]
    return [f"{one.note(metrics[name].unit)}{hint}" for one in own]


def _analysis(run: Run, metric: Metric, baseline: str, values: Table, made: list[Comparison] | None = None) -> Analysis:
    failures = run.failures
    kept = {label: row for label, row in values.items() if measured(row)}
    notes = warnings_of(run) + _runtimes(run, metric) + unsettled(run, metric.name, kept)
    comparisons: list[Comparison] = []
    if made is not None:
        comparisons = made
    elif baseline in kept:
        comparisons = compare_in(run, metric, kept, baseline)
    elif baseline in failures:
        notes.append(f"the baseline {baseline} failed, so nothing is compared")
    else:
        raise unknown("baseline in this run", baseline, kept)
    order = [arm.label for arm in run.header.arms if arm.label in kept] or list(kept)
    order += [label for label in kept if label not in order]
    return Analysis(
        run=run,
        metric=metric,
        baseline=baseline,
        values=values,
        comparisons=sorted(comparisons, key=lambda one: order.index(one.candidate)),
        summaries={label: summarise(kept[label], metric.unit, sequential=run.header.sequential) for label in order},
        diagnostics={label: diagnose(kept[label], metric.unit) for label in order},
        noise=noise_for(run.header, metric.of, len(next(iter(values.values()), ())), run.results),
        failures=failures,
        notes=notes,
        void=run.void,
    )
