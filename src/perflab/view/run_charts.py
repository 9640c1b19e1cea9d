"""A run's charts."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

from perflab.judge.ledger import find_ledgers, read_ledger
from perflab.model.errors import MissingError
from perflab.run.analysis import analyse, whole_samples
from perflab.stats.composite import rank_rounds
from perflab.stats.diagnostics import summarise
from perflab.stats.metrics import fork_values, operations_needed
from perflab.view.distribution import Fork, Latency, distribution_chart, latency_chart
from perflab.view.heat import swaps_chart
from perflab.view.ratios import ratios_chart
from perflab.view.topic_charts import worst_metric
from perflab.view.values import Part, Value, parts_chart, values_chart

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    import pandas as pd

    from perflab.judge.ledger import Ledger
    from perflab.model.protocol import Metric
    from perflab.run.analysis import Analysis
    from perflab.view.chart import Chart


def published_ratios(analysis: Analysis) -> dict[str, float]:
    """For each candidate the ratio that a report publishes over the same baseline; the middle of a published range."""
    header = analysis.run.header
    found: dict[str, float] = {}
    for ledger in _ledgers():
        if ledger.component != header.component:
            continue
        for claim in ledger.claims:
            same = (
                claim.kind == "ratio"
                and (claim.scenario, claim.baseline) == (header.scenario.name, analysis.baseline)
                and header.scenario.settings(claim.params) == header.settings
                and (claim.metric or header.scenario.headline.name) == analysis.metric.name
            )
            if same and claim.published.range is not None:
                found.setdefault(claim.candidate, sum(claim.published.range) / 2)
    return found


def _ledgers() -> list[Ledger]:
    return _read(tuple((name, path.stat().st_mtime_ns) for name, path in find_ledgers().items()))


@functools.lru_cache(maxsize=1)
def _read(stamps: tuple[tuple[str, int], ...]) -> list[Ledger]:
    # A report draws hundreds of charts.
    return [read_ledger(name) for name, _ in stamps]


def write_html(chart: Chart, path: Path) -> Path:
    """Write a chart as a page; plotly's script is put beside it once, so that the folder works without a network.

    Raises:
        MissingError: If the folder cannot be written.
    """
    import plotly.io  # noqa: PLC0415 - a third of a second

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        plotly.io.write_html(chart.figure_json, path, include_plotlyjs="directory", validate=False)
    except OSError as error:
        raise MissingError(f"cannot write {path.name}: {error.strerror}", "point PERFLAB_RESULTS elsewhere") from None
    return path


CHARTS = {
    "ratios": "each candidate against the baseline, with intervals, the noise band and the published figure",
    "values": "each variant's figure with its interval",
    "distribution": "every sample as a point",
    "latency": "latency percentiles on a log axis",
    "parts": "what an operation's cost is made of",
    "swaps": "how often each pair of variants stood the other way round in a round",
}

# A scenario whose further metrics are called so names the parts of its operation.
_PART = "part-"
_PERCENTILE = "p:"


def run_charts(analysis: Analysis, kinds: Collection[str] = CHARTS.keys()) -> dict[str, Chart]:
    """Those of these charts that this run's samples allow, by their names in `CHARTS`; none if all of it is void."""
    found: dict[str, Chart] = {}
    if not analysis.summaries:
        return found
    if "ratios" in kinds and (ratios := _ratios(analysis)):
        found["ratios"] = ratios
    if "values" in kinds:
        found["values"] = _values(analysis)
    samples = whole_samples(analysis.run)
    samples = samples[samples["variant"].isin(list(analysis.summaries))]
    if samples.empty:
        # Two runs are compared: what is summarised are runs, not variants of this one.
        return found
    if "distribution" in kinds:
        found["distribution"] = _distribution(analysis, samples)
    if "latency" in kinds and (latency := _latency(analysis, samples)):
        found["latency"] = latency
    if "parts" in kinds and (parts := _parts(analysis, samples)):
        found["parts"] = parts
    if "swaps" in kinds and (swaps := _swaps(analysis)):
        found["swaps"] = swaps
    return found


def _swaps(analysis: Analysis) -> Chart | None:
    rounds = {label: list(analysis.values[label]) for label in analysis.summaries}  # noqa: PD011 - not a frame's
    ranking = rank_rounds(rounds, analysis.metric.better)
    if len(ranking.places) < 3:  # noqa: PLR2004 - of two the comparison says all
        return None
    return swaps_chart(ranking, title=f"{_title(analysis)}: rank stability")


def _worst_case(analysis: Analysis) -> Metric | None:
    """The metric that the topic's table names as its worst case, if this run has it and it is not the one shown."""
    name = worst_metric(analysis.run.header.component)
    if analysis.baseline not in {arm.label for arm in analysis.run.header.arms}:
        return None  # two runs are compared
    if analysis.metric.of.startswith("counter:"):
        return None  # it is that of the times
    metrics = {metric.name: metric for metric in analysis.run.header.scenario.metrics}
    return metrics.get(name) if name != analysis.metric.name else None


def _ratios(analysis: Analysis) -> Chart | None:
    drawable = [one for one in analysis.comparisons if one.scale == "ratio" and one.estimate and one.estimate.interval]
    if not drawable:
        return None
    worst = {}
    if metric := _worst_case(analysis):
        compared = analyse(analysis.run, metric.name, analysis.baseline).comparisons
        worst = {one.candidate: one.estimate.value for one in compared if one.scale == "ratio" and one.estimate}
    return ratios_chart(
        drawable,
        metric=f"{analysis.metric.name} ({analysis.metric.unit})",
        noise=analysis.noise.ratio if analysis.noise else None,
        published=published_ratios(analysis),
        worst=worst,
        title=f"{_title(analysis)}: against {analysis.baseline}",
    )


def _values(analysis: Analysis) -> Chart:
    roles = {arm.label: arm.role for arm in analysis.run.header.arms}
    tails = _tails(analysis)
    rows = [
        Value(label, summary.mean, roles.get(label, ""), tails.get(label))
        for label, summary in analysis.summaries.items()
        if summary.mean is not None
    ]
    metric = analysis.metric
    return values_chart(rows, metric=metric.name, better=metric.better, title=_title(analysis))


def _same_axis(analysis: Analysis) -> Metric | None:
    """The worst-case metric, if it has the unit of what is shown: only then both stand on one axis."""
    metric = _worst_case(analysis)
    return metric if metric and metric.unit == analysis.metric.unit else None


def _tails(analysis: Analysis) -> dict[str, float]:
    """Each variant's worst case."""
    metric = _same_axis(analysis)
    if metric is None:
        return {}
    summaries = analyse(analysis.run, metric.name, analysis.baseline).summaries
    return {label: summary.mean.value for label, summary in summaries.items() if summary.mean is not None}


def _distribution(analysis: Analysis, samples: pd.DataFrame) -> Chart:
    # Each sample taken for a round of its own gives each sample's value by the same formula as a fork's.
    alone = samples.assign(round=range(len(samples)))
    each = fork_values(alone, analysis.metric.of).droplevel("variant").sort_index()
    by_fork: dict[tuple[str, int], list[float]] = {}
    for variant, number, value in zip(samples["variant"], samples["round"], each, strict=True):
        by_fork.setdefault((variant, number), []).append(value)
    order = list(analysis.summaries)
    tail = _same_axis(analysis)
    worst = {} if tail is None else fork_values(samples, tail.of).dropna().to_dict()
    forks = [
        Fork(variant, number, values, worst.get((number, variant))) for (variant, number), values in by_fork.items()
    ]
    forks.sort(key=lambda fork: (order.index(fork.variant), fork.number))
    metric = analysis.metric
    return distribution_chart(
        forks, metric=metric.name, unit=metric.unit, better=metric.better, title=f"{_title(analysis)}: every sample"
    )


def _latencies(samples: pd.DataFrame) -> list[Latency]:
    """Each fork's percentiles that its variant's samples are large enough for."""
    names = [str(name) for name in samples.columns if str(name).startswith(_PERCENTILE)]
    if not names:
        return []
    needed = {name: operations_needed(name.removeprefix(_PERCENTILE)) for name in names}
    operations = samples.groupby("variant")["ops"].median()
    forks = []
    medians = samples.groupby(["variant", "round"])[names].median().reset_index()
    for variant, number, *values in medians.itertuples(index=False, name=None):
        known = {
            name.removeprefix(_PERCENTILE): value
            for name, value in zip(names, values, strict=True)
            if operations[variant] >= needed[name] and not math.isnan(value)
        }
        if known:
            forks.append(Latency(variant, number, known))
    return forks


def _latency(analysis: Analysis, samples: pd.DataFrame) -> Chart | None:
    forks = _latencies(samples)
    # The worst one alone is no distribution.
    if not any(set(fork.percentiles) - {"max"} for fork in forks):
        return None
    order = list(analysis.summaries)
    forks.sort(key=lambda fork: (order.index(fork.variant), fork.fork))
    operation = analysis.run.header.scenario.operation
    return latency_chart(forks, operation=operation, title=f"{_title(analysis)}: latency percentiles")


def _parts(analysis: Analysis, samples: pd.DataFrame) -> Chart | None:
    metrics = [metric for metric in analysis.run.header.scenario.metrics if metric.name.startswith(_PART)]
    if not metrics:
        return None
    rows = []
    for metric in metrics:
        by_variant = fork_values(samples, metric.of).groupby("variant")
        for variant, forks in by_variant:
            mean = summarise(list(forks), metrics[0].unit).mean
            if mean is not None and mean.interval is not None:
                rows.append(Part(str(variant), metric.name.removeprefix(_PART), mean))
    if not rows:
        return None
    order = list(analysis.summaries)
    rows.sort(key=lambda row: order.index(row.variant))
    return parts_chart(rows, title=f"{_title(analysis)}: what it is made of")


def _title(analysis: Analysis) -> str:
    header = analysis.run.header
    params = ", ".join(f"{name}={value}" for name, value in header.params.items())
    return f"{header.component} {header.scenario.name}" + (f" ({params})" if params else "")
