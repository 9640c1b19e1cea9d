"""A run's charts."""

from __future__ import annotations

import functools
import math
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from perflab.charts.chart import MOST_VARIANTS, draw_all, drawn_of
from perflab.charts.distribution import ForkSamples, Latency, distribution_chart, latency_chart
from perflab.charts.estimates import CostPart, Value, parts_chart, ratios_chart, values_chart
from perflab.charts.heat import swaps_chart
from perflab.claims.ledger import Ratio, find_ledgers, read_ledger
from perflab.measure.analysis import analyse, whole_samples
from perflab.model.errors import UsageError
from perflab.stats.composite import rank_rounds
from perflab.stats.diagnostics import summarise
from perflab.stats.metrics import fork_values, median_of, operations_needed, rows_of_forks, sample_values
from perflab.store.tables import PERCENTILES
from perflab.topics.catalogue import find_components

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from perflab.charts.chart import Chart
    from perflab.claims.ledger import Ledger
    from perflab.measure.analysis import Analysis
    from perflab.model.lab import Lab
    from perflab.model.protocol import Metric
    from perflab.stats.columns import Columns


def published_ratios(lab: Lab, analysis: Analysis) -> dict[str, float]:
    """Return the published ratio of each candidate over the same baseline; of a range, its middle."""
    header = analysis.run.header
    found: dict[str, float] = {}
    for ledger in _ledgers(lab.claims):
        if ledger.component != header.component:
            continue
        for claim in ledger.claims:
            if (
                isinstance(claim, Ratio)
                and (claim.scenario, claim.baseline) == (header.scenario.name, analysis.baseline)
                and header.scenario.settings(claim.params) == header.settings
                and (claim.metric or header.scenario.headline.name) == analysis.metric.name
                and claim.published.range is not None
            ):
                found.setdefault(claim.candidate, sum(claim.published.range) / 2)
    return found


def _ledgers(claims: Path) -> list[Ledger]:
    found = find_ledgers(claims)
    return _read(claims, tuple((name, path.stat().st_mtime_ns) for name, path in found.items() if path.is_file()))


@functools.lru_cache(maxsize=1)
def _read(claims: Path, stamps: tuple[tuple[str, int], ...]) -> list[Ledger]:
    # A report draws hundreds of charts; an unreadable file must not stop any of them.
    ledgers = []
    for name, _ in stamps:
        with suppress(UsageError):
            ledgers.append(read_ledger(name, claims))
    return ledgers


# Metrics with these names are the parts of an operation's cost.
_PART = "part-"


@dataclass(frozen=True)
class _Figures:
    """Data for a run's charts; `samples` is empty if two runs are compared."""

    lab: Lab
    analysis: Analysis
    kinds: Collection[str]

    @functools.cached_property
    def samples(self) -> Columns:
        """Samples of the drawn variants, only the columns that charts use: a sample may have 480 figures."""
        metrics = [self.analysis.metric, *self.parts]
        latencies = [PERCENTILES] if "latency" in self.kinds else []
        samples = whole_samples(self.analysis.run, [one.of for one in metrics], latencies)
        return samples.among({(label,) for label in self.order}, "variant")

    @property
    def parts(self) -> list[Metric]:
        """The metrics that are parts of the operation's cost, if that is drawn."""
        metrics = self.analysis.run.header.scenario.metrics if "parts" in self.kinds else []
        return [one for one in metrics if one.name.startswith(_PART)]

    @property
    def order(self) -> list[str]:
        """The variants that are drawn."""
        return list(self.analysis.summaries)[:MOST_VARIANTS]

    @functools.cached_property
    def worst_case(self) -> Analysis | None:
        """The worst case that the topic's table names, if this run has it and it is not the metric shown."""
        header = self.analysis.run.header
        if self.analysis.baseline not in {arm.label for arm in header.arms}:
            return None  # two runs are compared
        if self.analysis.metric.of.startswith("counter:"):
            return None  # it is that of the times
        table = next((one.manifest.table for one in find_components(self.lab) if one.name == header.component), None)
        metrics = {one.name: one for one in header.scenario.metrics if one.name != self.analysis.metric.name}
        if not table or table.worst not in metrics:
            return None
        try:
            # Only for the variants shown: a claim may be about two of two hundred.
            return analyse(self.analysis.run, table.worst, self.analysis.baseline, self.analysis.summaries)
        except UsageError:
            return None

    @property
    def worst_case_beside(self) -> Analysis | None:
        """The worst case, if its unit allows one axis for both."""
        found = self.worst_case
        return found if found and found.metric.unit == self.analysis.metric.unit else None

    def title(self, what: str = "") -> str:
        """A chart's title; it says if not all variants are drawn."""
        header = self.analysis.run.header
        params = ", ".join(f"{name}={value}" for name, value in header.params.items())
        some = drawn_of(len(self.analysis.summaries))
        return f"{header.component} {header.scenario.name}" + (f" ({params})" if params else "") + what + some


def _ratios(of: _Figures) -> Chart | None:
    """Draw each candidate against the baseline, with intervals, the noise band and the published figure."""
    analysis = of.analysis
    known = [one for one in analysis.comparisons if one.scale == "ratio" and one.estimate and one.estimate.interval]
    drawable = [one for one in known if one.candidate in of.order]
    if not drawable:
        return None
    compared = of.worst_case.comparisons if of.worst_case else []
    worst = {one.candidate: one.estimate.value for one in compared if one.scale == "ratio" and one.estimate}
    return ratios_chart(
        drawable,
        metric=f"{analysis.metric.name} ({analysis.metric.unit})",
        noise=analysis.noise.ratio if analysis.noise else None,
        published=published_ratios(of.lab, analysis),
        worst=worst,
        title=of.title(f": against {analysis.baseline}"),
    )


def _values(of: _Figures) -> Chart:
    """Draw each variant's figure with its interval, and its worst case."""
    analysis, worst = of.analysis, of.worst_case_beside
    tail = {label: one.mean.value for label, one in worst.summaries.items() if one.mean} if worst else {}
    roles = {arm.label: arm.role for arm in analysis.run.header.arms}
    rows = [
        Value(label, mean, roles.get(label, ""), tail.get(label))
        for label in of.order
        if (mean := analysis.summaries[label].mean) is not None
    ]
    return values_chart(rows, metric=analysis.metric.name, better=analysis.metric.better, title=of.title())


def _distribution(of: _Figures) -> Chart:
    """Draw samples as points."""
    metric, worst, samples = of.analysis.metric, of.worst_case_beside, of.samples
    values = sample_values(samples, metric.of)
    tail = worst.values if worst else {}
    forks = []
    for (number, variant), own in rows_of_forks(samples).items():
        value = tail[variant][number] if variant in tail else math.nan
        forks.append(ForkSamples(variant, number, values[own].tolist(), None if math.isnan(value) else value))
    forks.sort(key=lambda fork: (of.order.index(fork.variant), fork.number))
    return distribution_chart(forks, metric=metric.name, unit=metric.unit, better=metric.better, title=of.title())


def _latency(of: _Figures) -> Chart | None:
    """Draw each fork's latency percentiles, as far as its variant's samples are large enough."""
    samples = of.samples
    names = [name for name in samples if name.startswith(PERCENTILES)]
    if not names:
        return None
    needed = {name: operations_needed(name.removeprefix(PERCENTILES)) for name in names}
    operations = {label: median_of(samples["ops"][samples["variant"] == label]) for label in of.order}
    forks = []
    for (number, variant), own in rows_of_forks(samples).items():
        known = {
            name.removeprefix(PERCENTILES): value
            for name in names
            if operations[variant] >= needed[name] and not math.isnan(value := median_of(samples[name][own]))
        }
        if known:
            forks.append(Latency(variant, number, known))
    # A maximum alone is not a distribution.
    if not any(set(fork.percentiles) - {"max"} for fork in forks):
        return None
    forks.sort(key=lambda fork: (of.order.index(fork.variant), fork.fork))
    return latency_chart(forks, title=of.title(": latency percentiles"))


def _parts(of: _Figures) -> Chart | None:
    """Draw the parts of an operation's cost."""
    metrics = of.parts
    rows = []
    for metric in metrics:
        values = fork_values(of.samples, metric.of)
        for variant in of.order:
            mean = summarise([one for (_, label), one in values.items() if label == variant], metrics[0].unit).mean
            if mean is not None and mean.interval is not None:
                rows.append(CostPart(variant, metric.name.removeprefix(_PART), mean))
    rows.sort(key=lambda row: of.order.index(row.variant))
    return parts_chart(rows, title=of.title(": what it is made of")) if rows else None


def _swaps(of: _Figures) -> Chart | None:
    """Draw how often each pair of variants swapped places in a round."""
    rounds = {label: of.analysis.values[label] for label in of.order}
    ranking = rank_rounds(rounds, of.analysis.metric.better)
    if len(ranking.places) < 3:  # noqa: PLR2004 - of two the comparison says all
        return None
    return swaps_chart(ranking, title=of.title(": rank stability"))


_OF_SUMMARIES: dict[str, Callable[[_Figures], Chart | None]] = {"ratios": _ratios, "values": _values}
CHARTS = {**_OF_SUMMARIES, "distribution": _distribution, "latency": _latency, "parts": _parts, "swaps": _swaps}


def run_charts(lab: Lab, analysis: Analysis, kinds: Collection[str] = CHARTS.keys()) -> dict[str, Chart]:
    """Return the charts that this run's samples allow, by their names in `CHARTS`; none if all variants are void.

    At most `MOST_VARIANTS` are drawn, and the titles say so.
    """
    if not analysis.summaries:
        return {}
    of = _Figures(lab, analysis, kinds)
    # When two runs are compared, the summaries are of runs, not of this run's variants.
    possible = CHARTS if of.samples.rows else _OF_SUMMARIES
    return draw_all(of.title(), {name: partial(draw, of) for name, draw in possible.items() if name in kinds})
